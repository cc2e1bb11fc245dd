//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETUNE_WORKER_H
#define SATTN_TOOLS_SPARSETUNE_WORKER_H

#include "CommandLine.h"

namespace sattn::tune {

/// A process that compiles and runs candidates, as tuner::ProcessMeasurer asks
/// on standard input; returns at its end.
int runWorker(run::Target target, int64_t device, int64_t threads);

} // namespace sattn::tune

#endif // SATTN_TOOLS_SPARSETUNE_WORKER_H
