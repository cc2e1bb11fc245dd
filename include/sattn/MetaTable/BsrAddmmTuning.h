//===- BsrAddmmTuning.h - Parameters of bsr_addmm ---------------*- C++ -*-===//
//
// How the parameters of one bsr_addmm are chosen, from what is known of it: the
// pass sattn-inject-meta and the C library (sattn-c/Tuning.h) ask the same.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_METATABLE_BSRADDMMTUNING_H
#define SATTN_METATABLE_BSRADDMMTUNING_H

#include "sattn/MetaTable/Choose.h"

namespace sattn::meta {

/// What is known of one bsr_addmm. Sizes are in elements; what is not known is
/// left out.
struct BsrAddmmFacts {
  std::optional<int64_t> m, n, k;
  /// Of a block: at least 1.
  int64_t blockRows = 0, blockColumns = 0;
  /// How many such products there are.
  int64_t batches = 1;
  /// Element types: of the operands "f16", "bf16" or "f32", and of the result.
  std::string dtype, outDtype;
  /// Stored blocks of one matrix.
  std::optional<int64_t> nnz;
  /// In hundredths; it goes before what `nnz` says.
  std::optional<int64_t> sparsity;
  /// Those that are known at run time alone count as 1, as they are by default
  /// in torch.addmm.
  double alpha = 1, beta = 1;
  /// Whether a tile may have several block rows.
  bool takesPanels = true;
  /// Whether the batches have columns in common, but not offsets; a tile then
  /// has one block row.
  bool sharesColumns = false;
};

/// Where parameters are looked for.
struct Search {
  Target target;
  /// Whose rows are searched, as the driver names it; empty: none.
  std::string device;
  /// As Query.
  int64_t version = 0;
  bool exact = false;
  /// Parameters to take in the place of a row's: "SPLIT_N=4", "num_stages=3".
  llvm::SmallVector<std::string> row;
};

/// The parameters of `search.row`, made to fit, where there are some; else of
/// the tables, where a device is named and M, N and K are known; else the
/// default. An error says why the given row cannot be, or fits no tile.
llvm::Expected<Choice> chooseBsrAddmm(llvm::ArrayRef<Table> tables,
                                      const BsrAddmmFacts &facts,
                                      const Search &search);

} // namespace sattn::meta

#endif // SATTN_METATABLE_BSRADDMMTUNING_H
