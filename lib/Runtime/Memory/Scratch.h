//===- Scratch.h - Scratch arrays of a call ---------------------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_MEMORY_SCRATCH_H
#define SATTN_LIB_RUNTIME_MEMORY_SCRATCH_H

#include "sattn/Runtime/Manifest.h"
#include "sattn/Runtime/ScratchMemory.h"

namespace sattn::runtime {

/// The scratch arrays of one call, one after the other: first those whose
/// contents do not matter, then those that are zero before the launches, so
/// that one fill does for all of them, then those that are also zero after.
struct ScratchLayout {
  /// One for each array of the manifest; `data` is null until `place`.
  std::vector<TensorView> arrays;
  /// Bytes of all parts, one after the other.
  size_t total = 0;
  /// Bytes of each part: of the first with what aligns the next one, of the
  /// others up to the end of the last array.
  ScratchBytes bytes;

  /// Lays out the arrays that `wanted` holds for; the others get no memory.
  /// Errors: an extent that is negative, sizes that do not fit.
  static ErrorOr<ScratchLayout> create(const Manifest &manifest,
                                       const std::vector<int64_t> &values,
                                       const std::vector<bool> &wanted);

  /// The address of an array, with the parts at these addresses; null for an
  /// array without memory.
  void *address(size_t array, void *unset, void *zeros, void *leftZeros) const;

  /// Sets the arrays' addresses, in memory of `total` bytes, of which those
  /// from `unset` on are to be zero.
  void place(void *memory);

private:
  struct Place {
    size_t part, offset;
  };
  /// Places of arrays; nothing for arrays without memory.
  std::vector<std::optional<Place>> places;
  size_t begins[3] = {};
};

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_MEMORY_SCRATCH_H
