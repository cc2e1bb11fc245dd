//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_METATABLE_TABLEFILE_H
#define SATTN_METATABLE_TABLEFILE_H

#include "sattn/MetaTable/MetaTable.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sattn::meta {

/// The text of a table, a line for each row, which parseTable reads. Sections
/// are in the order of what identifies them.
std::string printTable(const Table &table);

/// Puts the rows of `section` into the table, in the place of those with the
/// same keys. Parameters that rows may leave to the passes are 0 in rows that
/// do not have them. An error where the table's rows have other parameters
/// besides.
llvm::Error mergeSection(Table &table, const Section &section);

/// The file that a path names, through links; the path where there is none.
std::string resolveTablePath(llvm::StringRef path);

/// Changes the table in the file at `path`, which is made, with its folder,
/// where it is missing. Processes that do so wait for each other, by a lock on
/// the file `path` + ".lock", and a reader sees the old file or the new one. A
/// table that stays the same is not written. An error, with the file as it was,
/// where `change` fails, and where the file or the new table holds anything
/// that parseTable does not take.
llvm::Error updateTable(llvm::StringRef path, OpSchemas schemas,
                        llvm::function_ref<llvm::Error(Table &)> change);

} // namespace sattn::meta

#endif // SATTN_METATABLE_TABLEFILE_H
