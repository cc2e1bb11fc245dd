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

/// The schemas of all ops' rows, in the order of the ops' names.
meta::OpSchemas allSchemas();

/// meta::loadTables with the rows of all ops.
std::vector<meta::Table> loadTables(llvm::StringRef path,
                                    std::vector<std::string> &problems);

/// Names of the facts that an op takes, in the order of the alphabet; none
/// where no op has the name.
std::vector<std::string> getFactNames(llvm::StringRef op);

} // namespace sattn::tuning

#endif // SATTN_TUNING_OPS_H
