//===- Ops.cpp - The ops that tables have rows of -------------------------===//
//
// The list of ops, which CMake writes.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Ops.h"

using namespace sattn;

namespace sattn::tuning {
#define SATTN_TUNED_OP(NAME) meta::OpSchemas get##NAME##Schemas();
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
