//===- Program.h - A compiled program on a CUDA device ----------*- C++ -*-===//

#ifndef SATTN_RUNTIME_PROGRAM_H
#define SATTN_RUNTIME_PROGRAM_H

#include "sattn/Runtime/Device.h"
#include "sattn/Runtime/Manifest.h"
#include "sattn/Runtime/Prepared.h"
#include "sattn/Runtime/TensorMap.h"

#include <functional>

namespace sattn::runtime {

class ReadyCall;
struct ReadyLaunch;

/// A manifest and the kernels of its image, loaded into a device.
class Program {
public:
  /// `image` is PTX or a cubin. Errors: the manifest's own, a target that is
  /// not this device's, an image that the driver rejects (with its log), a
  /// kernel that the image lacks, that needs more shared memory or threads than
  /// there are, or whose parameters are not the manifest's. The device must
  /// outlive the program. `code` is a cubin of the image or empty; where the
  /// driver refuses it the image is loaded.
  static ErrorOr<std::unique_ptr<Program>> load(const Device &device,
                                                std::string_view manifestJson,
                                                std::string_view image,
                                                std::string_view code = {});

  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const Manifest &manifest() const { return description; }

  /// Makes a program of the same arguments with specializations of kernels that
  /// this one lacks, loaded into the same device.
  using Complete = std::function<ErrorOr<std::unique_ptr<Program>>()>;

  /// Sets the function that makes the complete program when the first call
  /// comes that needs a specialization which this one lacks, once. Without it
  /// such calls are refused.
  void setComplete(Complete complete);

  /// Launches the program's kernels on `stream` (null: the default stream) and
  /// returns without waiting for them. Tensors are in device memory, which must
  /// stay until the kernels are done. Steps whose grid is empty in any
  /// dimension are left out.
  ///
  /// Before the first launch everything is checked: shapes and aliasing (not
  /// the contents of index arrays, which are on the device), the manifest's
  /// checks, specializations that the image lacks, grids, tensor maps. If that
  /// fails, nothing is launched. Values that follow from types, shapes, strides
  /// and alignment are kept for later calls of the same kind. May be called
  /// from several threads.
  Error launch(const std::vector<Argument> &arguments, CUstream stream);

  /// Copies the index arrays of the arguments' sparse operands and launches, on
  /// `stream`, the steps that depend on them alone. Only the shapes of the
  /// other arguments count; their data may be null. Allocates memory and
  /// synchronizes, so not while the stream is captured. Checks shapes and the
  /// manifest's checks before.
  ErrorOr<Prepared> prepare(const std::vector<Argument> &arguments,
                            CUstream stream);

  /// Launches, on `stream`, the steps that are hints (docs/Manifest.md) and
  /// returns without waiting for them; their results are in `memory`, of
  /// `hintBytes`, aligned to 256 bytes. Index arrays are read in place: later
  /// calls with the result are right whatever they hold by then. Not while the
  /// stream is captured. Checks shapes and the manifest's checks before.
  ErrorOr<Prepared> prepareHints(const std::vector<Argument> &arguments,
                                 void *memory, CUstream stream);

  /// Bytes of device memory for the results of hints: 0 if no step is one.
  ErrorOr<size_t> hintBytes(const std::vector<Argument> &arguments) const;

  /// As `launch` without `prepared`, but with its copies of index arrays and
  /// the results computed from them. `arguments` has index arrays too, whose
  /// shapes and types must be those that were prepared; their contents do not
  /// count. A change of the caller's index arrays does not show; one of the
  /// values does, since they are read in place. Any stream, and several
  /// launches at the same time.
  ///
  /// With hints, arguments may have other contents and other shapes; hints that
  /// were made with other values are not used. Another stream waits for them; a
  /// captured one, which must not, uses them if they are done.
  Error launch(const Prepared &prepared, const std::vector<Argument> &arguments,
               CUstream stream);

private:
  explicit Program(const Device &device);

  /// All steps; those that are launched ahead of calls, and the others.
  enum class Steps { All, Preprocess, AfterPreprocess, Hints, AfterHints };
  static bool belongs(const LaunchStep &step, Steps which);
  /// The scratch arrays that these steps use.
  std::vector<bool> scratchOf(Steps which) const;

  /// The steps that are launched with these values, of those given, and their
  /// parameters.
  ErrorOr<std::vector<ReadyLaunch>>
  collectLaunches(const CallTensors &tensors,
                  const std::vector<int64_t> &values,
                  const std::vector<TensorView> &scratch, Steps which) const;

  /// The needs of the steps that are launched ahead of calls.
  struct Ahead;
  ErrorOr<Ahead> planAhead(const std::vector<Argument> &arguments,
                           Steps which) const;
  /// Fills what is zero, and launches them with scratch in this memory.
  Error launchAhead(Ahead &ahead, const CallTensors &tensors,
                    const std::vector<Argument> &arguments, void *memory,
                    Prepared &prepared, CUstream stream);
  /// The values that hints depend on.
  std::vector<int64_t> hintValues(const std::vector<int64_t> &values) const;

  /// Makes the parameters of all, then launches all. `isPrepared`: index arrays
  /// are copies that nobody writes to.
  Error launchAll(const std::vector<ReadyLaunch> &launches,
                  const CallTensors &tensors,
                  const std::vector<Argument> &arguments,
                  const std::vector<void *> &scratch, bool isPrepared,
                  CUstream stream);

  /// Checks everything and computes the plan of calls of this kind.
  ErrorOr<std::shared_ptr<const ReadyCall>>
  makeReady(const Prepared *prepared, const std::vector<Argument> &arguments,
            const CallTensors &tensors) const;

  /// Runs a program, or its remaining steps after `prepared`.
  Error run(const Prepared *prepared, CallCache &cache,
            const std::vector<Argument> &arguments, const CallTensors &tensors,
            CUstream stream);

  /// Runs the call in the program that has all specializations.
  Error runOther(const Prepared *prepared,
                 const std::vector<Argument> &arguments,
                 const CallTensors &tensors, CUstream stream);

  /// The program for calls that this one lacks a specialization for.
  ErrorOr<Program *> findOther();

  const Device &device;
  Manifest description;
  Complete complete;
  std::mutex otherMutex;
  std::unique_ptr<Program> other;
  CUmodule module = nullptr;
  /// One for each step of the manifest.
  std::vector<CUfunction> kernels;
  TensorMapCache tensorMaps;
  std::shared_ptr<CallCache> calls;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_PROGRAM_H
