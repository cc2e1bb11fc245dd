//===- BsrAddmm.h - Parameters of bsr_addmm ---------------------*- C++ -*-===//
//
// How the parameters of one bsr_addmm are chosen, from what is known of it: the
// op, and the C library for Python (sattn-c/BsrAddmm.h), ask the same.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_BSRADDMM_H
#define SATTN_TUNING_BSRADDMM_H

#include "sattn/Tuning/Parameters.h"

namespace sattn::tuning::bsr_addmm {

/// What is known of one bsr_addmm. Sizes are in elements; what is not known is
/// left out.
struct Facts {
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

/// The parameters of `search.row`, made to fit, where there are some; else of
/// the tables, where a device is named and M, N and K are known; else the
/// default. An error says why the given row cannot be, or fits no tile.
llvm::Expected<Choice> choose(llvm::ArrayRef<meta::Table> tables,
                              const Facts &facts, const Search &search);

/// What the choice follows from. Sizes are in elements; what is not known is
/// left out.
struct Problem {
  std::optional<int64_t> m, n;
  /// Of a block: at least 1.
  int64_t blockRows = 0, blockColumns = 0;
  /// How many such products there are.
  int64_t batches = 1;
  /// Of the operands: 2 or 4.
  int64_t elementBytes = 2;
  /// Part of the blocks that is not stored, in hundredths.
  std::optional<int64_t> sparsity;
  /// Whether a tile may have several block rows.
  bool takesPanels = true;
};

/// The rows of tables: (M, K, N, BM, BK, beta==0, beta==1, alpha==1), with our
/// parameters or those of PyTorch's kernel.
extern const meta::OpSchema kSchema;

/// Part of blocks that is not stored, in hundredths, rounded:
/// 1 - nnz * blockRows * blockColumns / (m * k). 0 where m or k is 0, and where
/// more are stored than a matrix has.
int64_t sparsityInHundredths(int64_t nnz, int64_t blockRows,
                             int64_t blockColumns, int64_t m, int64_t k);

/// Most columns of a tile of `rows` rows that takes `depth` columns of a block
/// at a time: what one instruction, or the threads' registers, hold. A multiple
/// of the target's; 0 where there are none. For targets with a limit alone.
int64_t widestColumns(const Problem &problem, int64_t rows, int64_t depth,
                      const Target &target);

/// The parameters of a row, made to fit:
///
/// - rows: `tile_m`, or one block row
/// - columns: `tile_n` or N / SPLIT_N, up to the target's next multiple, at
///   most what its registers and two stages of shared memory hold
/// - depth: `tile_k`, or the default's
/// - stages: `stages` or num_stages, from 2 to what shared memory holds
/// - warps: `warps` or num_warps; where the target leaves a choice, at most 8,
///   so that a thread has 8 to 64 accumulators
/// - group: `group` or GROUP_SIZE_ROW, at most the columns of tiles
///
/// The last three are left out for the CPU, which has none of them. An error
/// says which limit not even the narrowest tile of the row keeps.
llvm::Expected<Parameters> fitRow(const meta::Section &section,
                                  const meta::Row &row, const Problem &problem,
                                  const Target &target);

/// What is taken where no table has a row: chosen to be never far off.
Parameters defaultParameters(const Problem &problem, const Target &target);

/// What a tuner tries, the default first: tiles that keep the target's limits,
/// each of them once.
std::vector<Parameters> candidates(const Problem &problem,
                                   const Target &target);

} // namespace sattn::tuning::bsr_addmm

namespace sattn::tuning {
/// The rows of bsr_addmm and of PyTorch's scatter_mm.
meta::OpSchemas getBsrAddmmSchemas();
} // namespace sattn::tuning

#endif // SATTN_TUNING_BSRADDMM_H
