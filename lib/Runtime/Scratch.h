//===- Scratch.h - Scratch arrays of a call ---------------------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_SCRATCH_H
#define SATTN_LIB_RUNTIME_SCRATCH_H

#include "sattn/Runtime/CudaDriver.h"
#include "sattn/Runtime/Manifest.h"

namespace sattn::runtime {

/// The scratch arrays of one call, one after the other in one piece of memory.
struct ScratchLayout {
  /// One for each array of the manifest; `data` is null until `place`.
  std::vector<TensorView> arrays;
  /// Of the whole piece.
  size_t bytes = 0;

  /// Lays out the arrays that `wanted` holds for; the others get no memory.
  /// Errors: an extent that is negative, sizes that do not fit.
  static ErrorOr<ScratchLayout> create(const Manifest &manifest,
                                       const std::vector<int64_t> &values,
                                       const std::vector<bool> &wanted);

  /// Sets the arrays' addresses, in memory of `bytes` bytes.
  void place(void *memory);

  /// Sets those of the placed arrays to zero that have to be, in the order of
  /// the stream.
  Error clear(const Manifest &manifest, const CudaDriver &driver,
              CUstream stream) const;

private:
  /// From the start of the piece; nothing for arrays without memory.
  std::vector<std::optional<size_t>> offsets;
};

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_SCRATCH_H
