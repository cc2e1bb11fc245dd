//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TARGET_PASSES_H
#define SATTN_TARGET_PASSES_H

#include "sattn/Target/KernelVersions.h"

#include "mlir/Pass/Pass.h"

namespace sattn {

#define GEN_PASS_DECL
#include "sattn/Target/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "sattn/Target/Passes.h.inc"

} // namespace sattn

#endif // SATTN_TARGET_PASSES_H
