//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSEOPT_SPARSEOPTMAIN_H
#define SATTN_TOOLS_SPARSEOPT_SPARSEOPTMAIN_H

namespace sattn {

/// The tool sparse-opt: runs passes on MLIR. Returns the exit status.
int sparseOptMain(int argc, char **argv);

} // namespace sattn

#endif // SATTN_TOOLS_SPARSEOPT_SPARSEOPTMAIN_H
