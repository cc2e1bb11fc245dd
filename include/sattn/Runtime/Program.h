//===- Program.h - A compiled program on a CUDA device ----------*- C++ -*-===//

#ifndef SATTN_RUNTIME_PROGRAM_H
#define SATTN_RUNTIME_PROGRAM_H

#include "sattn/Runtime/Device.h"
#include "sattn/Runtime/Manifest.h"
#include "sattn/Runtime/TensorMap.h"

namespace sattn::runtime {

/// A manifest and the kernels of its image, loaded into a device.
class Program {
public:
  /// `image` is PTX or a cubin. Errors: the manifest's own, a target that is
  /// not this device's, an image that the driver rejects (with its log), a
  /// kernel that the image lacks, that needs more shared memory or threads than
  /// there are, or whose parameters are not the manifest's. The device must
  /// outlive the program.
  static ErrorOr<std::unique_ptr<Program>> load(const Device &device,
                                                std::string_view manifestJson,
                                                std::string_view image);

  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const Manifest &manifest() const { return description; }

  /// Launches the program's kernels on `stream` (null: the default stream) and
  /// returns without waiting for them. Tensors are in device memory, which must
  /// stay until the kernels are done. Steps whose grid is empty in any
  /// dimension are left out.
  ///
  /// Before the first launch everything is checked: shapes and aliasing (not
  /// the contents of index arrays, which are on the device), the manifest's
  /// checks, grids, tensor maps. Where that fails nothing is launched. May be
  /// called from several threads.
  Error launch(const std::vector<Argument> &arguments, CUstream stream);

private:
  explicit Program(const Device &device) : device(device) {}

  const Device &device;
  Manifest description;
  CUmodule module = nullptr;
  /// One for each step of the manifest.
  std::vector<CUfunction> kernels;
  TensorMapCache tensorMaps;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_PROGRAM_H
