//===- Default.cpp - Tiles of softmax without a table ---------------------===//
//
// On a GPU a tile is one row, of two warps, whose first kilobytes are all read
// at once and stay in registers; what is longer is read twice. Many rows hide
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
/// Most bytes of a row that a step holds, of all arrays together: what is read
/// together hides the latency of memory, and is in registers.
static constexpr int64_t kStepBytes = 2048;
/// Warps that share a row: the more, the sooner it is done and the less its
/// latency shows, but each one repeats what belongs to the row. One where that
/// is most of its work.
static constexpr int64_t kWarps = 2;
/// Bytes of a row that stay in its warps' registers, at most and by default, of
/// all arrays together.
/// Five steps hold all of most rows of 8192 columns of which half are stored;
/// more would leave an SM fewer rows. Short accesses, and single elements of
/// odd blocks, need registers for addresses and predicates, too.
static constexpr int64_t kMaxHeadBytes = 16384, kHeadBytes = 10240,
                         kShortHeadBytes = 4096, kOddHeadBytes = 2048;
/// Bytes more of a head that ends with a block.
static constexpr int64_t kMoreBytes = 2048;
/// Bytes of a row that a lane reads at once, at most, and below which accesses
/// are short.
static constexpr int64_t kAccessBytes = 16, kShortBytes = 8;

/// Whether lanes, four of which have a row of a matrix, read few bytes at once.
static bool isShort(const Facts &facts, const Parameters &parameters) {
  return parameters.columns * facts.elementBytes < 4 * kShortBytes;
}
static bool isOdd(const Facts &facts) {
  return facts.blockColumns % kMultiple != 0;
}
/// Whether some part of a block is clipped.
static bool isClipped(const Facts &facts, const Parameters &parameters) {
  return facts.blockColumns % parameters.columns != 0;
}

int64_t sattn::tuning::bsr_softmax::countBlocksAtOnce(int64_t columns,
                                                      int64_t elementBytes,
                                                      int64_t warps) {
  // Four lanes of a warp have a row of the matrix.
  int64_t columnWarps = warps;
  while (columnWarps > 1 &&
         (columns % (kMultiple * columnWarps) != 0 ||
          columns * elementBytes % (4 * kAccessBytes * columnWarps) != 0))
    columnWarps /= 2;
  return kBlocksAtOnce * warps / columnWarps;
}

/// The largest divisor of `number` that is at most `most`.
static int64_t findDivisor(int64_t number, int64_t most) {
  int64_t divisor = std::min(number, most);
  while (number % divisor != 0)
    --divisor;
  return divisor;
}

/// Steps of the default's bytes, and as many more as end with a block if these
/// are few.
static int64_t chooseHeadSteps(const Facts &facts, const Parameters &parameters,
                               int64_t stepBytes) {
  int64_t bytes = isOdd(facts)                 ? kOddHeadBytes
                  : isShort(facts, parameters) ? kShortHeadBytes
                                               : kHeadBytes;
  int64_t steps = std::max<int64_t>(1, bytes / facts.arrays / stepBytes);
  int64_t whole = llvm::alignTo(
      steps, llvm::divideCeil(facts.blockColumns, parameters.columns));
  return (whole - steps) * stepBytes * facts.arrays <= kMoreBytes ? whole
                                                                  : steps;
}

void sattn::tuning::bsr_softmax::fitTo(const Facts &facts, const Target &target,
                                       Parameters &parameters) {
  if (target.kind == TargetKind::CPU) {
    parameters.rows = findDivisor(facts.blockRows, parameters.rows);
    parameters.columns = std::min(parameters.columns, facts.blockColumns);
    parameters.depth = parameters.columns;
    parameters.stages = parameters.warps = std::nullopt;
    return;
  }
  parameters.rows = 1;
  parameters.columns =
      llvm::alignTo(std::min(parameters.columns, kMaxColumns), kMultiple);
  int64_t warps =
      isClipped(facts, parameters) || isShort(facts, parameters) ? 1 : kWarps;
  parameters.warps = llvm::bit_floor(static_cast<uint64_t>(
      std::clamp<int64_t>(parameters.warps.value_or(warps), 1, kMaxWarps)));
  int64_t matrix = countBlocksAtOnce(parameters.columns, facts.elementBytes,
                                     *parameters.warps) *
                   parameters.columns;
  int64_t matrixBytes = matrix * facts.elementBytes * facts.arrays;
  int64_t matrices = std::min(
      {parameters.depth / matrix, kMaxMatrices, kStepBytes / matrixBytes});
  parameters.depth = matrix * std::max<int64_t>(1, matrices);
  int64_t stepBytes = parameters.depth * facts.elementBytes;
  int64_t stages = chooseHeadSteps(facts, parameters, stepBytes);
  int64_t most = std::max<int64_t>(1, kMaxHeadBytes / facts.arrays / stepBytes);
  parameters.stages = std::min(parameters.stages.value_or(stages), most);
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
  tile.depth = kMaxColumns * kBlocksAtOnce * kMaxWarps * kMaxMatrices;
  fitTo(facts, target, tile);
  return tile;
}
