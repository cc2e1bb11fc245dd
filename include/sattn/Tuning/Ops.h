//===- Ops.h - The ops that tables have rows of -----------------*- C++ -*-===//
//
// All ops whose parameters are tuned. An op is in the list by its folder's name
// in lib/Tuning/CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_OPS_H
#define SATTN_TUNING_OPS_H

#include "sattn/MetaTable/Tables.h"

namespace sattn::tuning {

/// What the rows of each op look like.
meta::OpSchemas allSchemas();

/// meta::loadTables with the rows of all ops.
std::vector<meta::Table> loadTables(llvm::StringRef path,
                                    std::vector<std::string> &problems);

} // namespace sattn::tuning

#endif // SATTN_TUNING_OPS_H
