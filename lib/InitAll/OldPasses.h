//===- OldPasses.h - Old names of passes ------------------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_INITALL_OLDPASSES_H
#define SATTN_LIB_INITALL_OLDPASSES_H

namespace sattn {
/// Registers the old names of passes, which are errors that say the new ones.
void registerOldPasses();
} // namespace sattn

#endif // SATTN_LIB_INITALL_OLDPASSES_H
