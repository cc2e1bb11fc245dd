//===- Default.cpp - Tiles of sampled_addmm -------------------------------===//
//
// The computed default, with the reasons of its numbers.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/SampledAddmm.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::sampled_addmm;

/// Rows and columns of a tile on the CPU: with them the accumulator and the
/// packed operands stay within the second-level cache.
static constexpr int64_t kCPURows = 64, kCPUColumns = 128;
/// Most rows on a GPU: two warpgroups of wgmma.
static constexpr int64_t kMostRows = 128;
/// Warpgroups of a CTA that compute: those of several stored blocks
/// that follow each other share the copy of mat1's rows, which else is half of
/// what a long sum takes from L2. More would leave a thread too few registers
/// for its accumulator and the epilogue.
static constexpr int64_t kWarpgroups = 4;
/// Elements of a block from which a tile has no other: half of the bytes of
/// blocks of 64 for each product, and longer steps (111 us with one block of
/// 128 x 128, 136 with two, K = 4096 on an H200).
static constexpr int64_t kLargeBlock = 128 * 128;
/// Bytes of a row of mat1 up to which a sum is short: one step, and a tile of
/// one block, since the time is that of finding a tile and storing it.
static constexpr int64_t kShortBytes = 256;
/// Most stored blocks of such a tile where one warpgroup has a block: they
/// share one copy of mat1's rows, and are stored one by one. Fewer read more
/// rows, and search for them more often. The fewer blocks are stored, the
/// shorter runs are.
static constexpr int64_t kRun = 32;
/// Columns of the blocks of a tile of fewer rows than wgmma's, for each of its
/// rows: those blocks share the copy of mat1's rows by mma.sync. They take 0.57
/// to 0.92 of the time of one block of 16 or 32, K from 64 to 4096 on an H200;
/// with more, epilogues that read the result spill.
static constexpr int64_t kColumnsOfRow = 8;
/// Bytes of a row of a K tile on a GPU, the longest swizzle; columns of a K
/// tile on the CPU.
static constexpr int64_t kDepthBytes = 128, kCPUDepth = 64;
/// Units of a tile, from the best on: of wgmma, of mma.sync, of any.
static constexpr int64_t kUnits[] = {64, 16, 8};

/// The longest divisor of a multiple of 8 that is at most `most`, one of the
/// best unit that there is.
static int64_t findDivisor(int64_t size, int64_t most) {
  for (int64_t unit : kUnits)
    for (int64_t part = llvm::alignDown(std::min(size, most), unit); part > 0;
         part -= unit)
      if (size % part == 0)
        return part;
  return size;
}

Parameters
sattn::tuning::sampled_addmm::defaultParameters(const Facts &facts,
                                                const Target &target) {
  bool isCPU = target.kind == TargetKind::CPU;
  Parameters tile;
  tile.rows = findDivisor(facts.blockRows, isCPU ? kCPURows : kMostRows);
  tile.columns = findDivisor(
      facts.blockColumns,
      isCPU ? kCPUColumns
            : std::min(target.maxColumns, target.maxAccumulator / tile.rows));
  tile.depth = isCPU ? kCPUDepth : kDepthBytes / facts.elementBytes;
  // Whole blocks, by wgmma, which takes f32 in one layout alone.
  bool isNarrow = target.kind == TargetKind::Wgmma && facts.elementBytes < 4;
  bool isShort = isNarrow && facts.elementBytes == 2 && facts.k &&
                 *facts.k * facts.elementBytes <= kShortBytes;
  if (isShort)
    tile.depth = kShortBytes / facts.elementBytes;
  bool isWhole =
      tile.rows == facts.blockRows && tile.columns == facts.blockColumns;
  if (isShort && facts.canBeRun && isWhole && tile.rows <= kUnits[0] &&
      tile.columns <= kUnits[0])
    tile.columns *= kRun;
  else if (isNarrow && isWhole && tile.rows < kUnits[0] &&
           tile.rows % kUnits[1] == 0 && tile.columns % kUnits[1] == 0)
    while (2 * tile.columns <= kColumnsOfRow * tile.rows)
      tile.columns *= 2;
  if (isNarrow && !isShort && tile.rows % kUnits[0] == 0 &&
      tile.columns == facts.blockColumns && tile.columns % kUnits[0] == 0 &&
      tile.rows * tile.columns < kLargeBlock)
    tile.columns *= std::max<int64_t>(
        std::min(kWarpgroups * kUnits[0] / tile.rows,
                 target.maxAccumulator / (tile.rows * tile.columns)),
        1);
  // A short sum is one step.
  if (facts.k)
    tile.depth = std::clamp<int64_t>(llvm::alignTo(*facts.k, kUnits[1]),
                                     kUnits[1], tile.depth);
  return tile;
}
