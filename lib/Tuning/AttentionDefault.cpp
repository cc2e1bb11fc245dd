//===- AttentionDefault.cpp - Tiles of attention --------------------------===//
//
// The computed default, with the reasons of its numbers (docs/Performance.md
// has the measurements).
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Attention.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace sattn::tuning;
using namespace sattn::tuning::attention;

/// Numbers that sizes of tiles are multiples of; those of keys, where blocks
/// are, of the second, an MMA's depth.
static constexpr int64_t kMultiple = 8, kKeyMultiple = 16;
static constexpr int64_t kWarpgroupRows = 64, kPackedKeys = 64;
/// Columns of Q, K and V, in 16 bits, up to which three warpgroups have
/// registers for at least 112 keys.
static constexpr int64_t kNarrowTile = 80;
/// Columns of Q, K and V, in 16 bits, up to which a tile on a GPU has all of
/// V's; of wider ones it has fewer, which its registers hold beside addresses
/// of wide rows. Rows beyond the second number leave room for few others.
static constexpr int64_t kWidestTile = 256, kWidestRow = 512;
/// Limits of a CTA on a chip with wgmma: bytes of shared memory for Q, K, V and
/// the result, and registers of a thread for its parts of tiles.
static constexpr int64_t kOperandBytes = 226 * 1024, kTileRegisters = 192;
/// By how much the estimated time of a tile of fewer queries is shorter where
/// it is taken: a larger one loads K and V for more queries.
static constexpr double kClearlyShorter = 0.95;
/// Columns of a box of TMA, in 16 bits.
static constexpr int64_t kBoxColumns = 64;
/// Heads walked side by side where block rows are computed in parts: long ones
/// of all heads come first.
static constexpr int64_t kRasterGroupOfParts = 16;
/// A block row is too long if its work exceeds kLongRow times the mean work per
/// CTA plus the combine cost, kCombinedKeys, all in keys.
static constexpr double kLongRow = 1.5, kCombinedKeys = 1024;

/// Columns of Q and K, in 16 bits.
static int64_t getDepth(const Facts &facts) {
  return facts.headDim * facts.elementBytes / 2;
}

/// The most columns of Q, K or V, in 16 bits.
static int64_t getWidest(const Facts &facts) {
  return std::max(facts.headDim, facts.valueDim) * facts.elementBytes / 2;
}

/// Whether TMA takes rows of Q, K and V: multiples of 16 bytes. Others are
/// copied by threads, and multiplied by mma.sync.
static bool hasWholeChunks(const Facts &facts) {
  return facts.headDim * facts.elementBytes % 16 == 0 &&
         facts.valueDim * facts.elementBytes % 16 == 0;
}

/// Keys of a tile of two warpgroups whose heads are wide: as many as fit, K and
/// V in two stages each beside Q, all in whole boxes, and as leave each thread
/// registers for its part of the result, the scores and the weights. The result
/// is staged in a stage of K, but for what it has beyond whole boxes.
static int64_t fitKeys(const Facts &facts) {
  constexpr int64_t rows = 2 * kWarpgroupRows, stages = 2, bytes = 2;
  int64_t columnsOfQ = llvm::alignTo(facts.headDim, kBoxColumns);
  int64_t columnsOfV = llvm::alignTo(facts.valueDim, kBoxColumns);
  int64_t rest = llvm::alignTo(facts.valueDim, kColumnUnit) % kBoxColumns;
  int64_t left = kOperandBytes - rows * bytes * (columnsOfQ + rest);
  int64_t keys = left / (stages * bytes * (columnsOfQ + columnsOfV));
  // A thread has one of two columns of the result, and one of two scores, and
  // its weights are in half as many registers.
  keys = std::min(keys, (kTileRegisters - facts.valueDim / 2) * 4 / 3);
  return std::min<int64_t>(llvm::alignDown(keys, kKeyMultiple), rows);
}

/// Two warpgroups of queries in the place of three where their tiles keep more
/// SMs busy.
static void takeFewerRows(Parameters &tile, const Facts &facts,
                          const Target &target) {
  if (tile.rows <= 2 * kWarpgroupRows)
    return;
  Parameters fewer = tile;
  fewer.rows = 2 * kWarpgroupRows;
  std::optional<double> cycles = estimateCycles(facts, tile, target);
  if (cycles &&
      *estimateCycles(facts, fewer, target) < kClearlyShorter * *cycles)
    tile.rows = fewer.rows;
}

/// The tile for wgmma: two warpgroups of 64 queries, three where heads are so
/// narrow that their registers suffice. Heads walked side by side decide the
/// traffic between L2 and HBM, and so the energy (an H200). Where Q and K are
/// wider than 256 columns, 64 queries leave them the shared memory.
static Parameters chooseForWgmma(const Facts &facts) {
  Parameters tile;
  int64_t widest = getWidest(facts);
  bool areUnequal = facts.isCausal || facts.areListsShared;
  tile.stages = 2;
  // Blocks of lists are no multiples of 192 rows and 112 keys.
  bool areListed = facts.blockQueries || facts.blockKeys;
  if (widest <= 64) {
    tile.rows = hasWholeChunks(facts) ? 192 : 128;
    tile.depth = 128;
    tile.rasterGroup = areUnequal ? 16 : 8;
  } else if (widest <= kNarrowTile && hasWholeChunks(facts) &&
             facts.elementBytes == 2 && !areListed && !facts.hasDropout) {
    tile.rows = 192;
    tile.depth = 112;
    tile.rasterGroup = areUnequal ? 8 : 1;
  } else if (widest <= 128) {
    tile.rows = tile.depth = 128;
    tile.rasterGroup = areUnequal ? 8 : 1;
  } else {
    tile.rows = getDepth(facts) <= kWidestTile ? 128 : 64;
    tile.depth = getDepth(facts) <= kWidestRow ? 64 : 16;
    if (facts.elementBytes == 2 && widest <= kWidestTile &&
        hasWholeChunks(facts))
      tile.depth = std::max(tile.depth, fitKeys(facts));
    tile.rasterGroup = areUnequal ? 8 : 1;
  }
  return tile;
}

/// The tile for mma.sync: that for wgmma, with fewer queries and keys where a
/// larger tile would not leave each warp the registers for its scores, or Q and
/// K the shared memory.
static Parameters chooseForMmaSync(const Facts &facts) {
  Parameters tile;
  int64_t widest = getWidest(facts), depth = getDepth(facts);
  tile.rows = widest <= 128          ? 128
              : depth <= kWidestTile ? 64
              : depth <= kWidestRow  ? 32
                                     : 16;
  tile.depth = widest <= 128 ? 64 : widest <= 192 ? 32 : 16;
  return tile;
}

/// The tile for the CPU. K and V are copied for each tile of queries, and a
/// row's reductions cost the same for more keys. Scores and operands stay
/// within the second level of cache.
static Parameters chooseForCPU() {
  Parameters tile;
  tile.rows = tile.depth = 128;
  return tile;
}

/// The largest divisor of `block` that is a multiple and at most `most`.
int64_t sattn::tuning::attention::fitInto(std::optional<int64_t> block,
                                          int64_t most, int64_t multiple) {
  if (!block)
    return most;
  int64_t size = std::min(most, *block);
  while (size > multiple && *block % size != 0)
    size -= multiple;
  return size;
}

bool sattn::tuning::attention::mayPadColumns(int64_t headDim, int64_t valueDim,
                                             int64_t elementBytes) {
  int64_t narrowest = std::min(headDim, valueDim);
  return elementBytes == 2 && narrowest < kPaddedColumns &&
         2 * narrowest > kPaddedColumns;
}

int64_t sattn::tuning::attention::chooseColumns(const Facts &facts,
                                                const Target &target) {
  int64_t columns = facts.valueDim;
  if (target.kind != TargetKind::CPU && getWidest(facts) > kWidestTile) {
    int64_t most = target.kind == TargetKind::Wgmma ? 192 : 128;
    columns = llvm::divideCeil(columns, llvm::divideCeil(columns, most));
  }
  int64_t narrowest = std::min(facts.headDim, facts.valueDim);
  bool isPadded = target.kind == TargetKind::Wgmma && facts.elementBytes == 2 &&
                  2 * narrowest > kPaddedColumns;
  if (!isPadded)
    return llvm::alignTo(columns, kMultiple);
  return llvm::alignTo(columns, narrowest < kPaddedColumns ? kPaddedColumns
                                                           : kColumnUnit);
}

static Parameters chooseFor(const Facts &facts, const Target &target) {
  switch (target.kind) {
  case TargetKind::CPU:
    return chooseForCPU();
  case TargetKind::MmaSync:
    return chooseForMmaSync(facts);
  case TargetKind::Wgmma:
    return chooseForWgmma(facts);
  }
  llvm_unreachable("not a kind of target");
}

/// CTAs that run at one time: one of 128 rows in an SM, or several of
/// fewer.
static int64_t countCTAs(const Parameters &tile, const Target &target) {
  return target.smCount * std::max<int64_t>(1, 2 * kWarpgroupRows / tile.rows);
}

/// Parts of all block rows for each CTA to have one, or nothing where
/// no row is much longer than its share of all: a tile is one CTA's,
/// one block of keys after the other, so that such a row is the whole time.
static std::optional<int64_t>
chooseParts(const Facts &facts, const Parameters &tile, const Target &target) {
  if (!facts.seenBlocks || !facts.longestRow || !facts.blockKeys ||
      !facts.blockQueries)
    return std::nullopt;
  double tilesOfRow = double(*facts.blockQueries) / double(tile.rows);
  double ctas = double(countCTAs(tile, target));
  double share = double(*facts.seenBlocks) * tilesOfRow / ctas;
  if (double(*facts.longestRow) <=
      kLongRow * share + kCombinedKeys / double(*facts.blockKeys))
    return std::nullopt;
  return std::max<int64_t>(1, ctas / tilesOfRow);
}

Parameters sattn::tuning::attention::defaultParameters(const Facts &facts,
                                                       const Target &target) {
  Parameters tile = chooseFor(facts, target);
  takeFewerRows(tile, facts, target);
  // A warpgroup has 64 rows; fewer queries need no second one.
  int64_t unit = target.kind == TargetKind::CPU ? kMultiple : kWarpgroupRows;
  if (facts.rows && *facts.rows > 0)
    tile.rows = std::min<int64_t>(tile.rows, llvm::alignTo(*facts.rows, unit));
  else if (facts.isPacked)
    tile.rows = std::min(tile.rows, kWarpgroupRows);
  // Values that a function has for each head take registers.
  if (facts.isPacked)
    tile.depth = std::min(tile.depth, kPackedKeys);
  // So do the words of dropout; with more keys they spill.
  if (facts.hasDropout && target.kind != TargetKind::CPU) {
    bool isNarrow = target.kind == TargetKind::Wgmma && getWidest(facts) <= 64;
    tile.depth = std::min<int64_t>(tile.depth, isNarrow ? 32 : 16);
  }
  if (!facts.isPacked)
    tile.rows = fitInto(facts.blockQueries, tile.rows, kMultiple);
  tile.depth = fitInto(facts.blockKeys, tile.depth, kKeyMultiple);
  tile.columns = chooseColumns(facts, target);
  // Dropout and wide heads leave too few registers for parts.
  if (facts.mayHaveParts && !facts.hasDropout &&
      getWidest(facts) <= kWidestTile / 2 && target.kind == TargetKind::Wgmma)
    tile.splitK = chooseParts(facts, tile, target);
  if (tile.splitK && facts.areListsShared)
    tile.rasterGroup = kRasterGroupOfParts;
  return tile;
}
