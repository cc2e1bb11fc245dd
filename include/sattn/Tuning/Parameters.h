//===- Parameters.h - What a tile program is given --------------*- C++ -*-===//
//
// The parameters of an op, the search for them, and its result.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_PARAMETERS_H
#define SATTN_TUNING_PARAMETERS_H

#include "sattn/MetaTable/Lookup.h"
#include "sattn/Tuning/Target.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace sattn::tuning {

/// Parameters as in `#sattn.meta`: sizes of a tile in elements, and hints for
/// the schedule.
struct Parameters {
  int64_t rows = 0, columns = 0, depth = 0;
  std::optional<int64_t> stages, warps, rasterGroup, splitK;
  std::optional<int64_t> registerRows, registerVectors, threads;
};

/// Where parameters are looked for.
struct Search {
  Target target;
  /// The device whose rows are searched, as the driver names it; empty: none.
  std::string device = {};
  /// The version and the exactness of the query, as in meta::Query.
  int64_t version = 0;
  bool exact = false;
  /// Parameters to take in the place of a row's: "SPLIT_N=4", "num_stages=3".
  llvm::SmallVector<std::string> row = {};
};

/// The time of a kernel by the cost model (sattn/Resources/Cost.h).
struct Estimate {
  double cycles = 0;
  /// The time of a dense product by a library over that of the kernel; 0 where
  /// there is no such product.
  double denseRatio = 0;

  /// Whether a dense product is said to be faster, with a margin since
  /// estimates of single products are off by up to a third.
  bool isDenseFaster() const { return denseRatio > 0 && denseRatio < 0.85; }
};

struct Choice {
  Parameters parameters;
  /// Which row they are from, by which rule, or that they are the default.
  std::string origin;
  /// Whether a table's row gave them.
  bool isOfTable = false;
  /// Rows that fit no tile of the target, by name.
  std::vector<std::string> problems;
  /// Nothing where the op has no cost model, a size is not known, or on the
  /// CPU.
  std::optional<Estimate> estimate = {};
};

/// Makes the parameters of a row fit a target, or says which limit not even the
/// smallest tile of the row keeps.
using FitRow = llvm::function_ref<llvm::Expected<Parameters>(
    const meta::Section &, const meta::Row &)>;

/// The estimated time of parameters; nothing where it is not known.
using EstimateCycles =
    llvm::function_ref<std::optional<double>(const Parameters &)>;

/// The parameters of the first table that has a row for the query by any rule,
/// if that row fits, else of the next table; the default if no table's row
/// fits. A row of another size, sparsity or result type is left out where its
/// parameters are estimated to take clearly longer than the default.
Choice choose(llvm::ArrayRef<meta::Table> tables, const meta::Query &query,
              FitRow fitRow, llvm::function_ref<Parameters()> computeDefault,
              EstimateCycles estimate);

/// Sets a parameter to the number of an entry "tile_m=64": tile_m, tile_n,
/// tile_k, a hint of any op's, or with `takesSplitK` split_k. An error says
/// what was expected.
llvm::Error readParameter(Parameters &tile, llvm::StringRef entry,
                          bool takesSplitK = false);

} // namespace sattn::tuning

#endif // SATTN_TUNING_PARAMETERS_H
