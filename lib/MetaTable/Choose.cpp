//===- Choose.cpp - Tables that are searched ------------------------------===//
//
// The search order, and the default where no row is found.
//
//===----------------------------------------------------------------------===//

#include "sattn/MetaTable/Choose.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace sattn::meta;
using llvm::StringRef;

static constexpr char kShippedTable[] =
#include "ShippedTable.inc"
    ;

StringRef sattn::meta::shippedTableText() { return kShippedTable; }

static StringRef environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string sattn::meta::userTablePath() {
  llvm::SmallString<128> path(environment("XDG_CONFIG_HOME"));
  if (path.empty()) {
    path = environment("HOME");
    if (path.empty())
      return "";
    llvm::sys::path::append(path, ".config");
  }
  llvm::sys::path::append(path, "sattn", "meta-table.json");
  return std::string(path);
}

std::vector<Table> sattn::meta::loadTables(StringRef path,
                                           std::vector<std::string> &problems) {
  std::vector<Table> tables;
  auto add = [&](llvm::Expected<Table> table) {
    if (table)
      tables.push_back(std::move(*table));
    else
      problems.push_back(llvm::toString(table.takeError()));
  };
  if (!path.empty())
    add(loadTable(path, problems));
  if (StringRef named = environment("SATTN_META_TABLE"); !named.empty())
    add(loadTable(named, problems));
  if (std::string user = userTablePath();
      !user.empty() && llvm::sys::fs::exists(user))
    add(loadTable(user, problems));
  add(parseTable(shippedTableText(), "the shipped table", problems));
  return tables;
}

Choice sattn::meta::choose(llvm::ArrayRef<Table> tables, const Query &query,
                           const Problem &problem, const Target &target) {
  Choice choice;
  for (const Table &table : tables) {
    std::optional<Match> match = lookup(table, query);
    if (!match)
      continue;
    llvm::Expected<Parameters> fitted =
        fitRow(*match->section, *match->row, problem, target);
    if (fitted) {
      choice.parameters = *fitted;
      choice.origin = match->describe();
      return choice;
    }
    choice.problems.push_back(match->describe() + " fits no tile: " +
                              llvm::toString(fitted.takeError()));
  }
  choice.parameters = defaultParameters(problem, target);
  choice.origin = "the computed default (no table has a row that does for " +
                  query.describe() + ")";
  return choice;
}
