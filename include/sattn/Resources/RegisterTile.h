//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The accumulator of a matrix product in a CPU's vector registers.

#ifndef SATTN_RESOURCES_REGISTERTILE_H
#define SATTN_RESOURCES_REGISTERTILE_H

#include <cstdint>
#include <string>

namespace sattn::resources {

/// Rows, and vectors of a row.
struct RegisterTile {
  int64_t rows, vectors;
};

/// Width of the vectors of a CPU that is not known.
inline constexpr int64_t kDefaultVectorBits = 512;

/// Vector registers of a CPU with vectors of that width: AVX-512 has 32, and
/// the x86 CPUs before it have 16.
int64_t countVectorRegisters(int64_t vectorBits);

/// Rows of the computed default for vectors of that width, where a row of the
/// tile has so many: at least 1.
int64_t chooseRegisterRows(int64_t vectorBits, int64_t vectors);
/// Vectors of a row of the default.
int64_t chooseVectors(int64_t vectorBits);

/// Why a register tile is impossible ("expected ..., but got ..."), a size of 0
/// being the default; an empty text where it is possible. Accumulators, a row
/// of the right operand and an element of the left one are in registers.
std::string findRegisterTileProblem(RegisterTile tile, int64_t vectorBits);

} // namespace sattn::resources

#endif // SATTN_RESOURCES_REGISTERTILE_H
