//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSELSPSERVER_SPARSELSPSERVERMAIN_H
#define SATTN_TOOLS_SPARSELSPSERVER_SPARSELSPSERVERMAIN_H

namespace sattn {

/// The tool sparse-lsp-server: the language server of MLIR with sattn ops, over
/// standard input and output. Returns the exit status.
int sparseLspServerMain(int argc, char **argv);

} // namespace sattn

#endif // SATTN_TOOLS_SPARSELSPSERVER_SPARSELSPSERVERMAIN_H
