//===- KernelParameters.h - What a kernel is launched with ------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_LAUNCH_KERNELPARAMETERS_H
#define SATTN_LIB_RUNTIME_LAUNCH_KERNELPARAMETERS_H

#include "CallTensors.h"
#include "sattn/Runtime/Manifest.h"
#include "sattn/Runtime/TensorMap.h"

namespace sattn::runtime {

/// The parameters of one launch but for what differs between calls of one
/// kind: addresses and scalars.
class ParameterPlan {
public:
  /// Collects the values of a step's parameters. The arguments have been
  /// checked; only shapes of scratch count. Errors: a value that does not fit
  /// in i32, a tensor that a tensor map cannot describe.
  static ErrorOr<ParameterPlan> create(const Manifest &manifest,
                                       const LaunchStep &step,
                                       const CallTensors &tensors,
                                       const std::vector<int64_t> &values,
                                       const std::vector<TensorView> &scratch);

private:
  friend class KernelParameters;

  enum class Source { Tensor, Scratch, Scalar };
  /// A word of the parameters that differs from call to call.
  struct Patch {
    Source source;
    size_t index, word;
    /// The type of a scalar.
    DType type = DType::F32;
  };
  struct Map {
    Source source;
    size_t index;
    /// The map's name in messages.
    std::string name;
    /// The map's fields without the address.
    TensorMapFields fields;
  };
  /// The location of a parameter: a word, or a tensor map.
  struct Place {
    bool isMap;
    size_t index;
  };

  template <class Number> void append(Number number);
  /// Appends MLIR's memref descriptor.
  void appendMemref(Source source, size_t index, const TensorView &tensor);

  /// Numbers of 4 or 8 bytes, of which the first bytes count.
  std::vector<uint64_t> words;
  std::vector<Map> maps;
  std::vector<Patch> patches;
  std::vector<Place> places;
};

/// The parameters of one launch, in memory that the driver copies from. May be
/// filled again, which allocates nothing then.
class KernelParameters {
public:
  /// Fills in the values of a call. Errors: those of encoding a tensor map.
  /// `scratch` has an address for each array.
  Error fill(const ParameterPlan &plan, const CallTensors &tensors,
             const std::vector<Argument> &arguments,
             const std::vector<void *> &scratch, const CudaDriver &driver,
             TensorMapCache &tensorMaps);

  /// One pointer for each parameter of the kernel, as cuLaunchKernel wants
  /// them; valid until this object is filled again.
  void **pointers() { return addresses.data(); }

private:
  std::vector<uint64_t> words;
  std::vector<TensorMap> maps;
  std::vector<void *> addresses;
};

/// The bytes of each parameter that a step passes, in order.
std::vector<size_t> parameterSizes(const Manifest &manifest,
                                   const LaunchStep &step);

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_LAUNCH_KERNELPARAMETERS_H
