//===- Philox.h - Random bits of a place ------------------------*- C++ -*-===//
//
// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_PHILOX_H
#define SATTN_REFERENCE_PHILOX_H

#include <array>
#include <cstdint>

namespace sattn::reference {

/// Four words for each counter and key.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                               std::array<uint32_t, 2> key);

/// Whether dropout keeps the weight of this place; the numbers count modulo
/// 2^32. A probability outside of [0, 1] is the nearer of the two, a NaN is 0.
bool isKept(double probability, int64_t seed, int64_t offset, int64_t batch,
            int64_t row, int64_t column);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_PHILOX_H
