//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TARGET_KERNELVERSIONS_H
#define SATTN_TARGET_KERNELVERSIONS_H

#include "llvm/Support/CommandLine.h"

namespace sattn {

/// The specializations of kernels that a program holds.
enum class KernelVersions {
  All,
  /// Kernels for arguments that TMA takes, on any chip; calls that need another
  /// kernel are refused.
  TMA,
  /// The one that takes all arguments.
  Generic
};

/// Names of the values of an option.
inline llvm::cl::ValuesClass getKernelVersionsValues() {
  return llvm::cl::values(
      clEnumValN(KernelVersions::All, "all", "every specialization"),
      clEnumValN(KernelVersions::TMA, "tma",
                 "those for arguments that TMA takes, on any chip; calls "
                 "that need another are refused"),
      clEnumValN(KernelVersions::Generic, "generic",
                 "the one that takes any strides and alignment"));
}

} // namespace sattn

#endif // SATTN_TARGET_KERNELVERSIONS_H
