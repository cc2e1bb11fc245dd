//===- Scratch.h - Scratch arrays of a call ---------------------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_MEMORY_SCRATCH_H
#define SATTN_LIB_RUNTIME_MEMORY_SCRATCH_H

#include "sattn/Runtime/CudaDriver.h"
#include "sattn/Runtime/Manifest.h"

namespace sattn::runtime {

/// The scratch arrays of one call, one after the other: first those whose
/// contents do not matter, then those that are zero before the launches, so
/// that one fill does for all of them.
struct ScratchLayout {
  /// One for each array of the manifest; `data` is null until `place`.
  std::vector<TensorView> arrays;
  /// Bytes of both parts, and of the first.
  size_t bytes = 0, unsetBytes = 0;
  /// Bytes of the second part, up to the end of its last array.
  size_t zeroBytes = 0;

  /// Lays out the arrays that `wanted` holds for; the others get no memory.
  /// Errors: an extent that is negative, sizes that do not fit.
  static ErrorOr<ScratchLayout> create(const Manifest &manifest,
                                       const std::vector<int64_t> &values,
                                       const std::vector<bool> &wanted);

  /// The address of an array, with the two parts at these addresses; null for
  /// an array without memory.
  void *address(size_t array, void *unset, void *zeros) const;

  /// Sets the arrays' addresses, in memory of `bytes` bytes.
  void place(void *memory);

private:
  /// From the start of the first part; nothing for arrays without memory.
  std::vector<std::optional<size_t>> offsets;
};

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_MEMORY_SCRATCH_H
