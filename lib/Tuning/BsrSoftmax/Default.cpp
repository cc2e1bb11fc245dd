//===- Default.cpp - Tiles of softmax without a table ---------------------===//
//
// On a GPU a tile is one row, of one warp, whose first kilobytes are all read
// at once and stay in registers; what is longer is read twice. Many warps hide
// the latency of memory from each other. On the CPU rows of a block, which are
// neighbors in memory; they are read twice.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/BsrSoftmax.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_softmax;

/// Most rows of a tile on the CPU.
static constexpr int64_t kCPURows = 16;
/// Most columns of a part of a block; columns of fragments come in multiples of
/// the second number.
static constexpr int64_t kMaxColumns = 64, kMultiple = 8;
/// Most bytes of a row that a step holds: what is read together hides the
/// latency of memory, and is in registers.
static constexpr int64_t kStepBytes = 2048;
/// Bytes of a row that stay in a warp's registers, at most and by default. Five
/// steps hold all of most rows of 8192 columns of which half are stored, but
/// leave an SM fewer rows, and short rows pass over more steps: only blocks of
/// 32 gain more than these lose. Single elements of odd blocks need registers
/// for addresses and predicates, too.
static constexpr int64_t kMaxHeadBytes = 16384, kHeadBytes = 8192,
                         kMediumHeadBytes = 10240, kOddHeadBytes = 2048;
/// Columns of a block that is neither narrow nor wide, from and below.
static constexpr int64_t kMediumColumns = 32, kWideColumns = 64;

static int64_t chooseHeadBytes(int64_t columns) {
  if (columns % kMultiple != 0)
    return kOddHeadBytes;
  return columns >= kMediumColumns && columns < kWideColumns ? kMediumHeadBytes
                                                             : kHeadBytes;
}

/// The largest divisor of `number` that is at most `most`.
static int64_t findDivisor(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (number % divisor != 0)
    --divisor;
  return divisor;
}

void sattn::tuning::bsr_softmax::fitTo(const Facts &facts, const Target &target,
                                       Parameters &parameters) {
  if (target.kind == TargetKind::CPU) {
    parameters.rows = findDivisor(facts.blockRows, parameters.rows);
    parameters.columns = std::min(parameters.columns, facts.blockColumns);
    parameters.depth = parameters.columns;
    parameters.stages = std::nullopt;
    return;
  }
  parameters.rows = 1;
  parameters.columns =
      llvm::alignTo(std::min(parameters.columns, kMaxColumns), kMultiple);
  int64_t matrix = kBlocksAtOnce * parameters.columns;
  int64_t matrices = std::min({parameters.depth / matrix, kMaxMatrices,
                               kStepBytes / (matrix * facts.elementBytes)});
  parameters.depth = matrix * std::max<int64_t>(1, matrices);
  int64_t stepBytes = parameters.depth * facts.elementBytes;
  parameters.stages =
      std::min(parameters.stages.value_or(std::max<int64_t>(
                   1, chooseHeadBytes(facts.blockColumns) / stepBytes)),
               kMaxHeadBytes / stepBytes);
}

Parameters sattn::tuning::bsr_softmax::defaultParameters(const Facts &facts,
                                                         const Target &target) {
  Parameters tile;
  tile.rows = kCPURows;
  tile.columns = facts.blockColumns;
  if (target.kind != TargetKind::CPU)
    tile.columns = llvm::divideCeil(
        facts.blockColumns, llvm::divideCeil(facts.blockColumns, kMaxColumns));
  // As deep as fits.
  tile.depth = kMaxColumns * kBlocksAtOnce * kMaxMatrices;
  fitTo(facts, target, tile);
  return tile;
}
