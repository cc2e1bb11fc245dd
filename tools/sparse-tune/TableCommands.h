//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETUNE_TABLECOMMANDS_H
#define SATTN_TOOLS_SPARSETUNE_TABLECOMMANDS_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace sattn::tune {

/// Prints the rows of a table, of one op or of all.
llvm::Error showTable(const std::string &path, const std::string &op);

/// Prints the rows that two tables do not have in common: "-" of the first, "+"
/// of the second. Returns whether there are any.
llvm::Expected<bool> diffTables(const std::string &first,
                                const std::string &second);

/// Puts the rows of tables into one, later ones in the place of earlier ones
/// with the same key.
llvm::Error mergeTables(const std::string &into,
                        const std::vector<std::string> &from);

/// Puts the rows of a copy of PyTorch's torch/sparse/_triton_ops_meta.py, whole
/// or in part, into a table. Only numbers are taken.
llvm::Error importTable(const std::string &file, const std::string &into);

} // namespace sattn::tune

#endif // SATTN_TOOLS_SPARSETUNE_TABLECOMMANDS_H
