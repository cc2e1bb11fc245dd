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

/// Number of threads that every system gives without a trial.
inline constexpr int64_t kThreadsGiven = 16;

/// The number, at most `threads` and with the calling one, of threads that the
/// system runs at one time with stacks of `stackBytes`: all of them start, wait
/// for each other and end. `threads` where it gives them all. Numbers up to
/// kThreadsGiven, and those that were given before, are not tried.
int64_t tryThreads(int64_t threads, size_t stackBytes);

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_THREADLIMIT_H
