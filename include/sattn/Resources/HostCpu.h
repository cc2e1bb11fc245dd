//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The CPU that code is made for in this process.

#ifndef SATTN_RESOURCES_HOSTCPU_H
#define SATTN_RESOURCES_HOSTCPU_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace sattn::resources {

struct HostCpu {
  /// LLVM's name of its kind: "znver4".
  std::string name;
  /// Its instructions, as LLVM's targets take them, in the order of their
  /// names: "+avx2", "-avx512f".
  std::vector<std::string> features;
  /// Width of its vector registers.
  int64_t vectorBits = 128;
  /// Threads that it runs at one time.
  int64_t threads = 1;
};

/// This machine's CPU or, where the environment variable SATTN_CPU names one,
/// that one: "haswell" on a machine that has its instructions. The error of one
/// that does not exist, or whose instructions this machine lacks. It is read
/// once.
llvm::Expected<HostCpu> getHostCpu();

} // namespace sattn::resources

#endif // SATTN_RESOURCES_HOSTCPU_H
