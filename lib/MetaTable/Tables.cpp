//===- Tables.cpp - Tables that are searched ------------------------------===//
//
// The search order.
//
//===----------------------------------------------------------------------===//

#include "sattn/MetaTable/Tables.h"

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

std::vector<Table> sattn::meta::loadTables(StringRef path, OpSchemas schemas,
                                           std::vector<std::string> &problems) {
  std::vector<Table> tables;
  auto add = [&](llvm::Expected<Table> table) {
    if (table)
      tables.push_back(std::move(*table));
    else
      problems.push_back(llvm::toString(table.takeError()));
  };
  if (!path.empty())
    add(loadTable(path, schemas, problems));
  if (StringRef named = environment("SATTN_META_TABLE"); !named.empty())
    add(loadTable(named, schemas, problems));
  if (std::string user = userTablePath();
      !user.empty() && llvm::sys::fs::exists(user))
    add(loadTable(user, schemas, problems));
  add(parseTable(shippedTableText(), "the shipped table", schemas, problems));
  return tables;
}
