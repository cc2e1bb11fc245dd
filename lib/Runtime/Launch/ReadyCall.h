//===- ReadyCall.h - What calls of one kind have in common ------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_LAUNCH_READYCALL_H
#define SATTN_LIB_RUNTIME_LAUNCH_READYCALL_H

#include "KernelParameters.h"
#include "Memory/Scratch.h"

namespace sattn::runtime {

/// One launch of a call.
struct ReadyLaunch {
  const LaunchStep *step;
  CUfunction kernel;
  unsigned grid[3];
  ParameterPlan parameters;
};

/// A call whose every check has passed, with the plan for other calls of its
/// kind: those with tensors of the same types, shapes and strides, at addresses
/// that are equal modulo 16 bytes, or null in both. The plan depends on no
/// contents of memory, and on addresses only modulo 16.
class ReadyCall {
public:
  /// Prepares a call of `tensors` that have passed the manifest's contracts.
  ReadyCall(const Manifest &manifest, const CallTensors &tensors);

  /// A number that is the same for calls of one kind.
  static uint64_t hash(const CallTensors &tensors);
  /// Whether a call with these tensors is of this kind.
  bool fits(const CallTensors &tensors) const;
  /// Whether what the contracts' results may share memory with is certain from
  /// where these tensors are, which fit. Otherwise checkContracts has to say.
  bool isApart(const CallTensors &tensors) const;

  /// Whether it needs a specialization of a kernel that the image lacks. Then
  /// there is nothing else here.
  bool isForOther = false;
  std::vector<ReadyLaunch> launches;
  ScratchLayout scratch;
  /// Addresses of scratch that is not the call's own; null for the others.
  std::vector<void *> kept;

private:
  struct Tensor {
    bool exists = false;
    TensorView view;
    /// The range of bytes that the tensor spans, from its data; empty if `low`
    /// is `high`.
    int64_t low = 0, high = 0;
  };
  struct Result {
    size_t out;
    std::vector<size_t> others;
    /// May be out itself, where its elements are in the same places.
    std::optional<size_t> input;
    bool samePlaces = false;
  };

  void addApart(const ApartCheck &check);
  void addReadOnly(const Manifest &manifest, const CallTensors &tensors,
                   const ReadOnlyCheck &check);
  bool overlap(const CallTensors &tensors, size_t a, size_t b) const;

  std::vector<Tensor> kinds;
  std::vector<Result> results;
};

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_LAUNCH_READYCALL_H
