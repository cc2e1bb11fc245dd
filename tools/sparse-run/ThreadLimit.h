//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_THREADLIMIT_H
#define SATTN_TOOLS_SPARSERUN_THREADLIMIT_H

#include <cstddef>
#include <cstdint>

namespace sattn::run {

/// Threads that each system gives: so many are not tried.
inline constexpr int64_t kThreadsGiven = 16;

/// How many of `threads`, the calling one among them, the system gives at one
/// time with stacks of `stackBytes`: all of them start, wait for each other and
/// end. `threads` where it gives them all. Numbers up to kThreadsGiven, and
/// those that were given before, are not tried.
int64_t tryThreads(int64_t threads, size_t stackBytes);

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_THREADLIMIT_H
