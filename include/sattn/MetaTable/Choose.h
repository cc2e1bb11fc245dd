//===- Choose.h - Tables that are searched ----------------------*- C++ -*-===//
//
// Which tables are searched, in which order, and what comes of it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_METATABLE_CHOOSE_H
#define SATTN_METATABLE_CHOOSE_H

#include "sattn/MetaTable/Parameters.h"

namespace sattn::meta {

/// The table that the library carries.
llvm::StringRef shippedTableText();

/// Where the user's own table lies: $XDG_CONFIG_HOME/sattn/meta-table.json, by
/// default ~/.config/sattn/meta-table.json; empty where neither is known.
std::string userTablePath();

/// The tables to search, in this order: the file `path` (an option or argument;
/// empty: none), the file that the environment variable SATTN_META_TABLE names,
/// the user's table, the shipped one. A file that cannot be used is left out,
/// and `problems` gets a message for it; the user's table may be missing.
std::vector<Table> loadTables(llvm::StringRef path,
                              std::vector<std::string> &problems);

struct Choice {
  Parameters parameters;
  /// Which row they are from, by which rule, or that they are the default.
  std::string origin;
  /// Rows that fit no tile of the target, by name.
  std::vector<std::string> problems;
};

/// The parameters of bsr_addmm: from the first table that has a row for the
/// query by any rule, if that row fits, else from the next; else the default.
Choice choose(llvm::ArrayRef<Table> tables, const Query &query,
              const Problem &problem, const Target &target);

} // namespace sattn::meta

#endif // SATTN_METATABLE_CHOOSE_H
