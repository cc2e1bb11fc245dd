//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSEREDUCE_SPARSEREDUCEMAIN_H
#define SATTN_TOOLS_SPARSEREDUCE_SPARSEREDUCEMAIN_H

namespace sattn {

/// The tool sparse-reduce: makes a program smaller that shows a fault. Returns
/// the exit status.
int sparseReduceMain(int argc, char **argv);

} // namespace sattn

#endif // SATTN_TOOLS_SPARSEREDUCE_SPARSEREDUCEMAIN_H
