//===- Default.cpp - Tiles of softmax without a table ---------------------===//
//
// Rows are read twice, the second time from L2: the fewer rows a tile has, the
// less its blocks take of it, and the more tiles there are for all SMs.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/BsrSoftmax.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_softmax;

/// Rows of a fragment, which one warp has; rows and columns of fragments come
/// in multiples of the second number.
static constexpr int64_t kWarpRows = 16, kMultiple = 8;
/// Most rows of a thread block, of 16 warps, and columns of a part.
static constexpr int64_t kMaxRows = 256, kMaxColumns = 64;
/// Most parts of a step, each of which has code of its own, and columns of all
/// of them: what is read together hides the latency of memory, and is in
/// registers, in f32 a quarter of those that a thread has. Of 16 bits there may
/// be more, but before Hopper the generic version then spills.
static constexpr int64_t kMaxParts = 4, kStepColumns = 128,
                         kLongStepColumns = 256;

/// The largest divisor of `number` that is at most `most` and a multiple of
/// `unit`, or 0.
static int64_t findDivisor(int64_t number, int64_t most, int64_t unit = 1) {
  int64_t divisor = std::min(number, most) / unit * unit;
  while (divisor > 0 && number % divisor != 0)
    divisor -= unit;
  return divisor;
}

void sattn::tuning::bsr_softmax::fitTo(const Facts &facts, const Target &target,
                                       Parameters &parameters) {
  int64_t parts = parameters.depth / parameters.columns;
  if (target.kind == TargetKind::CPU) {
    parameters.rows = findDivisor(facts.blockRows, parameters.rows);
    parameters.columns = std::min(parameters.columns, facts.blockColumns);
    parameters.depth = parameters.columns;
    return;
  }
  int64_t rows = findDivisor(facts.blockRows,
                             std::min(parameters.rows, kMaxRows), kMultiple);
  // Whole blocks, or parts of higher ones; the last rows are padding.
  if (rows == 0) {
    int64_t most = facts.blockRows > kMaxRows
                       ? std::clamp(parameters.rows, kWarpRows, kMaxRows)
                       : facts.blockRows;
    rows = llvm::alignTo(most, kMultiple);
  }
  parameters.rows = rows;
  parameters.columns =
      llvm::alignTo(std::min(parameters.columns, kMaxColumns), kMultiple);
  bool isLong = target.kind == TargetKind::Wgmma && facts.elementBytes == 2;
  int64_t most =
      (isLong ? kLongStepColumns : kStepColumns) / parameters.columns;
  parameters.depth =
      parameters.columns * std::max<int64_t>(1, std::min(parts, most));
}

Parameters sattn::tuning::bsr_softmax::defaultParameters(const Facts &facts,
                                                         const Target &target) {
  Parameters tile;
  tile.rows = findDivisor(facts.blockRows, kWarpRows);
  tile.columns = facts.blockColumns;
  if (target.kind != TargetKind::CPU)
    tile.columns = llvm::divideCeil(
        facts.blockColumns, llvm::divideCeil(facts.blockColumns, kMaxColumns));
  tile.depth = tile.columns * kMaxParts;
  fitTo(facts, target, tile);
  return tile;
}
