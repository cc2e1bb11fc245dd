//===- KernelParameters.h - What a kernel is launched with ------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_KERNELPARAMETERS_H
#define SATTN_LIB_RUNTIME_KERNELPARAMETERS_H

#include "sattn/Runtime/Manifest.h"
#include "sattn/Runtime/TensorMap.h"

namespace sattn::runtime {

/// The parameters of one launch, in memory that the driver copies from.
class KernelParameters {
public:
  /// Collects what a step's parameters stand for. The arguments have been
  /// checked, and scratch has its memory. Errors: a value that does not fit in
  /// i32, a tensor that a tensor map cannot describe.
  static ErrorOr<KernelParameters> pack(const Manifest &manifest,
                                        const LaunchStep &step,
                                        const std::vector<Argument> &arguments,
                                        const std::vector<int64_t> &values,
                                        const std::vector<TensorView> &scratch,
                                        const CudaDriver &driver,
                                        TensorMapCache &tensorMaps);

  /// One pointer for each parameter of the kernel, as cuLaunchKernel wants
  /// them; valid as long as this object.
  std::vector<void *> pointers();

private:
  /// A number of 4 or 8 bytes (the first bytes count), or a tensor map.
  using Slot = std::variant<uint64_t, TensorMap>;

  template <class Number> void append(Number number);
  /// MLIR's memref descriptor.
  void appendMemref(const TensorView &tensor);

  std::vector<Slot> slots;
};

/// The bytes of each parameter that a step passes, in order.
std::vector<size_t> parameterSizes(const Manifest &manifest,
                                   const LaunchStep &step);

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_KERNELPARAMETERS_H
