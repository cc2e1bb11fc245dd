//===- Explain.h - What a call of a program would do ------------*- C++ -*-===//

#ifndef SATTN_RUNTIME_EXPLAIN_H
#define SATTN_RUNTIME_EXPLAIN_H

#include "sattn/Runtime/Manifest.h"

namespace sattn::runtime {

/// A kernel that a call launches.
struct KernelChoice {
  std::string kernel;
  /// The kernel's specialization: "aligned", "register_reads" or "generic";
  /// empty if the kernel has only one specialization, whatever the arguments.
  std::string version;
  /// Part of `Program::prepare`.
  bool preprocess = false;
  /// The parameters of its tiles and their origin; empty if it has none.
  std::string parameters, origin;
  /// The reasons why the specialization is not "aligned", a sentence for each
  /// argument whose strides, alignment or extents TMA cannot take.
  std::vector<std::string> reasons;
};

/// The error of a call that needs specializations of kernels which the image
/// lacks: the kernels, and the arguments that the others cannot take. `values`
/// are the manifest's for these arguments.
Error findMissing(const Manifest &manifest,
                  const std::vector<Argument> &arguments,
                  const std::vector<int64_t> &values);

/// The kernels that a call with these arguments launches, in order, on a device
/// with so many SMs, those that the image lacks among them. Reads
/// nothing of the tensors' memory and launches nothing.
/// Errors as those of `evaluate` and `runChecks`, and those of shapes
/// (Contract.h).
ErrorOr<std::vector<KernelChoice>>
explainCall(const Manifest &manifest, const std::vector<Argument> &arguments,
            int64_t smCount = 1);

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_EXPLAIN_H
