//===- Explain.h - What a call of a program would do ------------*- C++ -*-===//

#ifndef SATTN_RUNTIME_EXPLAIN_H
#define SATTN_RUNTIME_EXPLAIN_H

#include "sattn/Runtime/Manifest.h"

namespace sattn::runtime {

/// A kernel that a call launches.
struct KernelChoice {
  std::string kernel;
  /// Which of the kernel's versions: "aligned", "register_reads" or "generic";
  /// empty where it has one alone, which nothing about the arguments changes.
  std::string version;
  /// Part of `Program::prepare`.
  bool prepare = false;
  /// Of its tiles, and where these came from; empty where it has none.
  std::string parameters, origin;
  /// Why the version is not "aligned", a sentence each: which argument's
  /// strides, alignment or extents are not what TMA needs.
  std::vector<std::string> reasons;
};

/// The kernels that a call with these arguments launches, in order, on a device
/// of so many multiprocessors. Reads nothing of the tensors' memory and
/// launches nothing. Errors as those of `evaluate` and `runChecks`, and those
/// of shapes (Contract.h).
ErrorOr<std::vector<KernelChoice>>
explainCall(const Manifest &manifest, const std::vector<Argument> &arguments,
            int64_t multiprocessors = 1);

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_EXPLAIN_H
