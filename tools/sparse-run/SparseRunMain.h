//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_SPARSERUNMAIN_H
#define SATTN_TOOLS_SPARSERUN_SPARSERUNMAIN_H

namespace sattn {

/// The program sparse-run. Returns its exit code: 0, or 1 on any error, of
/// which there is then a line on standard error.
int sparseRunMain(int argc, char **argv);

} // namespace sattn

#endif // SATTN_TOOLS_SPARSERUN_SPARSERUNMAIN_H
