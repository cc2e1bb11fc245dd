//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The targets that parameters are chosen for, and the devices whose rows of
// tables do for each other.

#ifndef SATTN_TUNING_TARGET_H
#define SATTN_TUNING_TARGET_H

#include "sattn/Resources/Target.h"

namespace sattn::tuning {

using resources::findHostTarget;
using resources::findTarget;
using resources::Target;
using resources::TargetKind;
using resources::targetNames;

/// The name that rows of this machine's CPU have in tables: "CPU znver4", after
/// LLVM's name of its kind.
std::string getHostDevice();

/// Whether table rows tuned on `other` apply to `device`, another card: those
/// of "NVIDIA A100-SXM4-80GB" apply to every "NVIDIA A100..."; those of H100,
/// H200 and GH200 apply to each other.
bool takesRowsOf(llvm::StringRef device, llvm::StringRef other);

} // namespace sattn::tuning

#endif // SATTN_TUNING_TARGET_H
