//===- Parameters.h - What a tile program is given --------------*- C++ -*-===//
//
// What is chosen for an op, where it is looked for, and what came of it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_PARAMETERS_H
#define SATTN_TUNING_PARAMETERS_H

#include "sattn/MetaTable/Lookup.h"
#include "sattn/Tuning/Target.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sattn::tuning {

/// As `#sattn.meta`: sizes of a tile in elements, and what a schedule is asked
/// for beyond them.
struct Parameters {
  int64_t rows = 0, columns = 0, depth = 0;
  std::optional<int64_t> stages, warps, rasterGroup, splitK;
  std::optional<int64_t> registerRows, registerVectors, threads;
};

/// Where parameters are looked for.
struct Search {
  Target target;
  /// Whose rows are searched, as the driver names it; empty: none.
  std::string device = {};
  /// As meta::Query.
  int64_t version = 0;
  bool exact = false;
  /// Parameters to take in the place of a row's: "SPLIT_N=4", "num_stages=3".
  llvm::SmallVector<std::string> row = {};
};

struct Choice {
  Parameters parameters;
  /// Which row they are from, by which rule, or that they are the default.
  std::string origin;
  /// Whether a table's row gave them.
  bool isOfTable = false;
  /// Rows that fit no tile of the target, by name.
  std::vector<std::string> problems;
};

/// Makes the parameters of a row fit a target, or says which limit not even the
/// smallest tile of the row keeps.
using FitRow = llvm::function_ref<llvm::Expected<Parameters>(
    const meta::Section &, const meta::Row &)>;

/// From the first table that has a row for the query by any rule, if that row
/// fits, else from the next; else the default.
Choice choose(llvm::ArrayRef<meta::Table> tables, const meta::Query &query,
              FitRow fitRow, llvm::function_ref<Parameters()> computeDefault);

/// Sets a parameter to the number of an entry "tile_m=64": tile_m, tile_n,
/// tile_k, a hint of any op's, or with `takesSplitK` split_k. An error says
/// what was expected.
llvm::Error readParameter(Parameters &tile, llvm::StringRef entry,
                          bool takesSplitK = false);

} // namespace sattn::tuning

#endif // SATTN_TUNING_PARAMETERS_H
