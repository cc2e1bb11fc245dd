//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETUNE_SPARSETUNEMAIN_H
#define SATTN_TOOLS_SPARSETUNE_SPARSETUNEMAIN_H

namespace sattn {

/// The tool sparse-tune: finds fast parameters of ops on this machine, and
/// shows, compares and joins tables of them. Returns the exit status.
int sparseTuneMain(int argc, char **argv);

} // namespace sattn

#endif // SATTN_TOOLS_SPARSETUNE_SPARSETUNEMAIN_H
