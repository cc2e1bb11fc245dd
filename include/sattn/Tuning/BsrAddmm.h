//===- BsrAddmm.h - Parameters of bsr_addmm ---------------------*- C++ -*-===//
//
// How the parameters of one bsr_addmm are chosen, from what is known of it: the
// op, and the C library for Python (sattn-c/Tuning.h), ask the same.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_BSRADDMM_H
#define SATTN_TUNING_BSRADDMM_H

#include "sattn/Tuning/Parameters.h"

namespace sattn::tuning::bsr_addmm {

/// The known facts of one bsr_addmm. Sizes are in elements; unknown values are
/// left out.
struct Facts {
  std::optional<int64_t> m, n, k;
  /// Rows and columns of a block, at least 1.
  int64_t blockRows = 0, blockColumns = 0;
  /// How many such products there are.
  int64_t batches = 1;
  /// Element types: of the stored blocks "f16", "bf16", "f32", "i8", "f8E4M3FN"
  /// or "f8E5M2", and of the result.
  std::string dtype, outDtype;
  /// Stored blocks of one matrix.
  std::optional<int64_t> nnz;
  /// Stored blocks of the block row that has most of them.
  std::optional<int64_t> longestRow;
  /// The sparsity in hundredths; it takes precedence over `nnz`.
  std::optional<int64_t> sparsity;
  /// Values that are known only at run time count as 1, the default of
  /// torch.addmm.
  double alpha = 1, beta = 1;
  /// Whether a tile may have several block rows.
  bool takesRowBlockGroups = true;
  /// Whether columns of b are contiguous.
  bool alongK = false;
  /// Whether the batches share columns, but not offsets; a tile then has one
  /// block row.
  bool sharesColumns = false;
  /// Block rows of a tile of several, where a plan is given.
  std::optional<int64_t> plannedBlockRows;
};

/// The parameters of `search.row`, made to fit, if given; else those of the
/// tables, if a device is named and M, N and K are known; else the default. An
/// error says why the given row is impossible, or fits no tile.
llvm::Expected<Choice> choose(llvm::ArrayRef<meta::Table> tables,
                              const Facts &facts, const Search &search);

/// The inputs of the choice, as facts have them.
struct Problem;
Problem makeProblem(const Facts &facts);

/// The inputs of the choice. Sizes are in elements; unknown values are left
/// out.
struct Problem {
  std::optional<int64_t> m, n, k;
  /// Rows and columns of a block, at least 1.
  int64_t blockRows = 0, blockColumns = 0;
  /// How many such products there are.
  int64_t batches = 1;
  /// Bytes of an element of the operands: 1, 2 or 4.
  int64_t elementBytes = 2;
  /// Part of the blocks that is not stored, in hundredths.
  std::optional<int64_t> sparsity;
  /// Part of the blocks that is stored; that of the sparsity where it is not
  /// given.
  std::optional<double> density;
  /// Stored blocks of the block row that has most of them.
  std::optional<int64_t> longestRow;
  /// Whether a tile may have several block rows.
  bool takesRowBlockGroups = true;
  /// Whether columns of b are contiguous.
  bool alongK = false;
};

/// The rows of tables: (M, K, N, BM, BK, beta==0, beta==1, alpha==1), with our
/// parameters or those of PyTorch's kernel.
extern const meta::OpSchema kSchema;

/// Part of blocks that is not stored, in hundredths, rounded:
/// 1 - nnz * blockRows * blockColumns / (m * k). 0 where m or k is 0, and where
/// more are stored than a matrix has.
int64_t sparsityInHundredths(int64_t nnz, int64_t blockRows,
                             int64_t blockColumns, int64_t m, int64_t k);

/// Most columns of a tile of `rows` rows with a K tile of `depth`, within the
/// limits of one instruction or the threads' registers. A multiple of the
/// target's; 0 if there are none. Only for targets with a limit.
int64_t widestColumns(const Problem &problem, int64_t rows, int64_t depth,
                      const Target &target);

/// Stored blocks of a block row, on average. K and the density are known.
double getMeanRow(const Problem &problem);

/// Cycles of a kernel by the cost model (sattn/Resources/Cost.h). Nothing
/// unless M, N, K and the density are known and not 0, and the target is a GPU.
std::optional<double> estimateCycles(const Problem &problem,
                                     const Parameters &tile,
                                     const Target &target);

/// Cycles of a dense product of the same sizes by a library. Nothing where
/// `estimateCycles` has nothing, and for f32.
std::optional<double> estimateDenseCycles(const Problem &problem,
                                          const Target &target);

/// Whether one block row is known to be much longer than they are on average,
/// as none is of those drawn all alike.
bool hasUnequalRows(const Problem &problem);

/// The parameters of a row, made to fit:
///
/// - rows: `tile_m`, or one block row
/// - columns: `tile_n` or N / SPLIT_N, up to the target's next multiple, at
///   most what its registers and two stages of shared memory hold
/// - depth: `tile_k`, or the default's
/// - stages: `stages` or num_stages, from 2 to what shared memory holds
/// - warps: `warps` or num_warps; where the target leaves a choice, at most 8,
///   so that a thread has 8 to 64 accumulators
/// - CTAs that share a reduction: `split_k`, where the target has
///   clusters, from 1 to `kMaxClusterSize`
/// - raster group: `raster_group` (`group` in older tables) or GROUP_SIZE_ROW,
/// at most the columns of tiles
///
/// The last four are left out for the CPU, which has none of them. An error
/// says which limit not even the narrowest tile of the row keeps.
llvm::Expected<Parameters> fitRow(const meta::Section &section,
                                  const meta::Row &row, const Problem &problem,
                                  const Target &target);

/// The parameters without a table's row: chosen to be never far from the best.
Parameters defaultParameters(const Problem &problem, const Target &target);

} // namespace sattn::tuning::bsr_addmm

#endif // SATTN_TUNING_BSRADDMM_H
