//===- Ops.cpp - The ops that tables have rows of -------------------------===//
//
// The list of ops, which CMake writes.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Ops.h"
#include "sattn/Tuning/NamedFacts.h"

#include "llvm/ADT/StringExtras.h"

using namespace sattn;

namespace sattn::tuning {
#define SATTN_TUNED_OP(NAME)                                                   \
  meta::OpSchemas get##NAME##Schemas();                                        \
  NamedOp get##NAME##ByName();
#include "TunedOps.inc"
} // namespace sattn::tuning

meta::OpSchemas tuning::allSchemas() {
  static const std::vector<const meta::OpSchema *> schemas = [] {
    std::vector<const meta::OpSchema *> all;
#define SATTN_TUNED_OP(NAME)                                                   \
  all.insert(all.end(), get##NAME##Schemas().begin(),                          \
             get##NAME##Schemas().end());
#include "TunedOps.inc"
    return all;
  }();
  return schemas;
}

std::vector<meta::Table>
tuning::loadTables(llvm::StringRef path, std::vector<std::string> &problems) {
  return meta::loadTables(path, allSchemas(), problems);
}

llvm::Expected<tuning::Choice>
tuning::choose(llvm::StringRef name, llvm::ArrayRef<meta::Table> tables,
               llvm::ArrayRef<NamedFact> facts, const Search &search) {
  static const NamedOp ops[] = {
#define SATTN_TUNED_OP(NAME) get##NAME##ByName(),
#include "TunedOps.inc"
  };
  for (const NamedOp &op : ops) {
    if (op.name != name)
      continue;
    NamedFacts given(facts);
    return op.choose(tables, given, search);
  }
  llvm::SmallVector<llvm::StringRef> names;
  for (const NamedOp &op : ops)
    names.push_back(op.name);
  return llvm::createStringError("expected an op out of " +
                                 llvm::join(names, ", ") + ", but got '" +
                                 name + "'");
}
