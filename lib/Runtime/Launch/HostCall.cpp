//===- HostCall.cpp - Calls of programs compiled for the CPU --------------===//

#include "sattn/Runtime/HostCall.h"

using namespace sattn::runtime;

void sattn::runtime::callHost(HostEntry entry, const Manifest &manifest,
                              const std::vector<Argument> &arguments) {
  // MLIR's memref descriptor: two pointers, the offset, sizes, strides.
  std::vector<std::vector<int64_t>> descriptors(arguments.size());
  std::vector<void *> pointers(arguments.size());
  union Scalar {
    float f32;
    double f64;
  };
  std::vector<Scalar> scalars(arguments.size());
  std::vector<void *> packed(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (const double *number = std::get_if<double>(&arguments[i])) {
      if (manifest.arguments[i].type == DType::F64)
        scalars[i].f64 = *number;
      else
        scalars[i].f32 = static_cast<float>(*number);
      packed[i] = &scalars[i];
      continue;
    }
    const auto &view = std::get<TensorView>(arguments[i]);
    auto address = reinterpret_cast<intptr_t>(view.data);
    std::vector<int64_t> &descriptor = descriptors[i];
    descriptor = {address, address, 0};
    descriptor.insert(descriptor.end(), view.shape.begin(), view.shape.end());
    descriptor.insert(descriptor.end(), view.strides.begin(),
                      view.strides.end());
    pointers[i] = descriptor.data();
    packed[i] = &pointers[i];
  }
  entry(packed.data());
}
