//===- Default.cpp - Tiles of attention -----------------------------------===//
//
// The computed default, with the reasons of its numbers (docs/Performance.md
// has the measurements).
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/FlexAttention.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::flex_attention;

/// Tiles are multiples of it.
static constexpr int64_t kMultiple = 8;

/// Two warpgroups of 64 queries, three where heads are so narrow that their
/// registers suffice. K and V have two stages each beside Q, which at 256
/// columns leave room for 64 keys. Heads walked side by side decide the traffic
/// between L2 and HBM, and so the energy (an H200).
static Parameters chooseForWgmma(const Facts &facts, int64_t widest) {
  Parameters tile;
  tile.stages = 2;
  if (widest <= 64) {
    tile.rows = 192;
    tile.depth = 128;
    tile.rasterGroup = facts.isCausal ? 16 : 8;
  } else if (widest <= 128) {
    tile.rows = tile.depth = 128;
    tile.rasterGroup = facts.isCausal ? 8 : 1;
  } else {
    tile.rows = 128;
    tile.depth = 64;
    tile.rasterGroup = facts.isCausal ? 8 : 1;
  }
  return tile;
}

/// As for wgmma, with half of the queries where a tile of 128 would not leave
/// each warp the registers for its scores.
static Parameters chooseForMmaSync(int64_t widest) {
  Parameters tile;
  tile.rows = widest <= 128 ? 128 : 64;
  tile.depth = 64;
  return tile;
}

/// The scores and the result stay within the first two levels of cache.
static Parameters chooseForCPU() {
  Parameters tile;
  tile.rows = tile.depth = 64;
  return tile;
}

/// The largest divisor of `block` that is a tile and at most `most`.
static int64_t fitInto(std::optional<int64_t> block, int64_t most) {
  if (!block)
    return most;
  int64_t size = std::min(most, *block);
  while (size > kMultiple && *block % size != 0)
    size -= kMultiple;
  return size;
}

static Parameters chooseFor(const Facts &facts, const Target &target,
                            int64_t widest) {
  switch (target.kind) {
  case TargetKind::CPU:
    return chooseForCPU();
  case TargetKind::MmaSync:
    return chooseForMmaSync(widest);
  case TargetKind::Wgmma:
    return chooseForWgmma(facts, widest);
  }
  llvm_unreachable("not a kind of target");
}

Parameters
sattn::tuning::flex_attention::defaultParameters(const Facts &facts,
                                                 const Target &target) {
  Parameters tile =
      chooseFor(facts, target, std::max(facts.headDim, facts.valueDim));
  // A warpgroup has 64 rows; fewer queries need no second one.
  if (facts.queries && *facts.queries > 0) {
    int64_t unit = target.kind == TargetKind::CPU ? kMultiple : 64;
    tile.rows =
        std::min<int64_t>(tile.rows, llvm::alignTo(*facts.queries, unit));
  }
  tile.rows = fitInto(facts.blockQueries, tile.rows);
  tile.depth = fitInto(facts.blockKeys, tile.depth);
  tile.columns = llvm::alignTo(facts.valueDim, kMultiple);
  return tile;
}
