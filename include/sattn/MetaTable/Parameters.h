//===- Parameters.h - Parameters that fit a target --------------*- C++ -*-===//
//
// What a tile program is given, what fits a target, and what is taken where no
// table has a row.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_METATABLE_PARAMETERS_H
#define SATTN_METATABLE_PARAMETERS_H

#include "sattn/MetaTable/Lookup.h"

namespace sattn::meta {

/// As `#sattn.meta`: sizes of a tile in elements, and what a schedule is asked
/// for beyond them.
struct Parameters {
  int64_t rows = 0, columns = 0, depth = 0;
  std::optional<int64_t> stages, warps, group;
};

/// One bsr_addmm. Sizes are in elements; what is not known is left out.
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

enum class TargetKind {
  CPU,
  /// mma.sync on tiles that cp.async fetched: sm_80, sm_86, sm_89.
  MmaSync,
  /// wgmma on tiles that the copy engine fetched: sm_90a.
  Wgmma,
};

/// What limits a tile.
struct Target {
  llvm::StringLiteral name;
  TargetKind kind;
  /// Columns of a tile are a multiple of it.
  int64_t columnMultiple;
  /// Most columns of a tile; the CPU has no limit.
  int64_t maxColumns;
  /// Most elements of a tile's accumulator, rows x columns, in the registers of
  /// the thread block that computes it; products by mma.sync may take fewer
  /// (widestColumns).
  int64_t maxAccumulator;
  /// Thread blocks that run at one time.
  int64_t multiprocessors;
  /// Shared memory of a thread block; 0 for the CPU. The rest of the compiler
  /// knows it (sattn/Target/Chip.h), so the caller gives it.
  int64_t sharedBytes = 0;
};

/// "cpu", "sm_80", "sm_86", "sm_89" or "sm_90a", without its shared memory.
std::optional<Target> findTarget(llvm::StringRef name);
/// Those names.
llvm::SmallVector<llvm::StringRef> targetNames();

/// Most columns of a tile of `rows` rows that takes `depth` columns of a block
/// at a time: what one instruction, or the threads' registers, hold. A multiple
/// of the target's; 0 where there are none. For targets with a limit alone.
int64_t widestColumns(const Problem &problem, int64_t rows, int64_t depth,
                      const Target &target);

/// The parameters of a row of bsr_addmm, made to fit:
///
/// - rows: `tile_m`, or one block row
/// - columns: `tile_n` or N / SPLIT_N, up to the target's next multiple, at
/// most
///   what its registers and two stages of shared memory hold
/// - depth: `tile_k`, or the default's
/// - stages: `stages` or num_stages, from 2 to what shared memory holds
/// - warps: `warps` or num_warps; where the target leaves a choice, at most 8,
///   so that a thread has 8 to 64 accumulators
/// - group: `group` or GROUP_SIZE_ROW, at most the columns of tiles
///
/// The last three are left out for the CPU, which has none of them. An error
/// says which limit not even the narrowest tile of the row keeps.
llvm::Expected<Parameters> fitRow(const Section &section, const Row &row,
                                  const Problem &problem, const Target &target);

/// What is taken where no table has a row: chosen to be never far off.
Parameters defaultParameters(const Problem &problem, const Target &target);

} // namespace sattn::meta

#endif // SATTN_METATABLE_PARAMETERS_H
