//===- Tables.h - Tables that are searched ----------------------*- C++ -*-===//
//
// Which tables are searched, and in which order.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_METATABLE_TABLES_H
#define SATTN_METATABLE_TABLES_H

#include "sattn/MetaTable/MetaTable.h"

namespace sattn::meta {

/// The table that the library carries.
llvm::StringRef shippedTableText();

/// The path of the user's own table: $XDG_CONFIG_HOME/sattn/meta-table.json, by
/// default ~/.config/sattn/meta-table.json; empty if neither is known.
std::string userTablePath();

/// The tables to search, in this order: the file `path` (an option or argument;
/// empty: none), the file that the environment variable SATTN_META_TABLE names,
/// the user's table, the shipped one. A file that cannot be used is left out,
/// and `problems` gets a message for it; the user's table may be missing.
std::vector<Table> loadTables(llvm::StringRef path, OpSchemas schemas,
                              std::vector<std::string> &problems);

} // namespace sattn::meta

#endif // SATTN_METATABLE_TABLES_H
