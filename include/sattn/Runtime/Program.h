//===- Program.h - A compiled program on a CUDA device ----------*- C++ -*-===//

#ifndef SATTN_RUNTIME_PROGRAM_H
#define SATTN_RUNTIME_PROGRAM_H

#include "sattn/Runtime/Device.h"
#include "sattn/Runtime/Manifest.h"
#include "sattn/Runtime/MemoryPool.h"
#include "sattn/Runtime/Prepared.h"
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

  /// Copies the index arrays of the arguments' sparse operands and launches, on
  /// `stream`, what depends on them alone. Of the other arguments only shapes
  /// count; their data may be null. Allocates memory, so not while the stream
  /// is captured. Checks shapes and the manifest's checks before.
  ErrorOr<Prepared> prepare(const std::vector<Argument> &arguments,
                            CUstream stream);

  /// As `launch` without `prepared`, but with its copies of index arrays and
  /// what was computed from them. `arguments` has index arrays too, of which
  /// only shapes and types count: they must be those that were prepared. A
  /// change of the caller's index arrays does not show; one of the values does,
  /// since they are read in place. The work of `prepare` must come before, as
  /// it does on the same stream. Several launches may use one `prepared` at the
  /// same time.
  Error launch(const Prepared &prepared, const std::vector<Argument> &arguments,
               CUstream stream);

private:
  explicit Program(const Device &device) : device(device) {}

  /// A step whose every check has passed.
  struct ReadyLaunch {
    const LaunchStep *step;
    CUfunction kernel;
    unsigned grid[3];
  };

  /// The steps that are launched with these values, of those with `prepare` as
  /// given (all, if absent).
  ErrorOr<std::vector<ReadyLaunch>>
  collectLaunches(const std::vector<int64_t> &values,
                  std::optional<bool> prepare) const;

  /// Packs the parameters of all, then launches all.
  Error launchAll(const std::vector<ReadyLaunch> &launches,
                  const std::vector<Argument> &arguments,
                  const std::vector<int64_t> &values,
                  const std::vector<TensorView> &scratch, CUstream stream);

  /// The call of a program, or of what is left of it after `prepared`.
  Error run(const Prepared *prepared, const std::vector<Argument> &arguments,
            CUstream stream);

  const Device &device;
  Manifest description;
  CUmodule module = nullptr;
  /// One for each step of the manifest.
  std::vector<CUfunction> kernels;
  TensorMapCache tensorMaps;
  /// Of scratch, where the manifest has any.
  std::optional<MemoryPool> pool;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_PROGRAM_H
