//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/AttentionGradients.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::attention;

/// Columns of all accumulators in a row of a tile: a thread has half as many
/// registers of them. Parts of both gradients of keys have a third operand and
/// a fourth, whose addresses take registers, too.
static constexpr int64_t kMostColumns = 256, kMostColumnsOfBoth = 192;
/// Columns that a part has at least: the scores are computed for each part.
static constexpr int64_t kFewestColumns = 64;
/// The depth of an MMA of 16 bits, of which the walked rows are a multiple, and
/// of one of 32 bits.
static constexpr int64_t kDepth = 16, kDepthOf32Bits = 8;
/// Rows of a warpgroup, of two warps, and of one.
static constexpr int64_t kWarpgroupRows = 64, kTwoWarpsRows = 32,
                         kWarpRows = 16;
/// Bytes of shared memory beside the operands: barriers and vectors.
static constexpr int64_t kOtherBytes = 512;
/// Columns of f32 scores that are staged at one time, a box of 128 bytes, and
/// how many of these boxes there are; bytes of a score.
static constexpr int64_t kStagedColumns = 32, kStagedBoxes = 2, kScoreBytes = 4;

/// Equal parts of at most `most` columns, in whole MMAs.
static int64_t divide(int64_t columns, int64_t most) {
  int64_t parts = llvm::divideCeil(columns, most);
  return llvm::alignTo(llvm::divideCeil(columns, parts), kColumnUnit);
}

/// The columns with which the accumulators of a tile fit in registers.
static int64_t countColumns(const GradientTile &tile, const Facts &facts,
                            const Target &target) {
  int64_t most = kMostColumns / tile.gradients;
  if (target.kind != TargetKind::CPU && tile.widest > most)
    return divide(tile.widest,
                  tile.gradients == 1 ? most : kMostColumnsOfBoth / 2);
  bool isPadded =
      target.kind == TargetKind::Wgmma &&
      mayPadColumns(facts.headDim, facts.valueDim, facts.elementBytes);
  return llvm::alignTo(tile.widest, isPadded ? kPaddedColumns : 8);
}

int64_t sattn::tuning::attention::countBytes(const GradientTile &tile,
                                             const Facts &facts) {
  int64_t operands = facts.headDim + facts.valueDim;
  bool isPart = tile.columns < tile.widest;
  int64_t factors = isPart ? tile.gradients * tile.columns : 0;
  int64_t staged = tile.gradients == 0
                       ? kStagedBoxes * kScoreBytes * tile.rows *
                             std::min(tile.walked, kStagedColumns)
                       : 0;
  return facts.elementBytes *
             (tile.rows * operands + tile.walked * (operands + factors)) +
         staged;
}

void sattn::tuning::attention::fitGradients(GradientTile &tile,
                                            const Facts &facts,
                                            const Target &target) {
  tile.columns = countColumns(tile, facts, target);
  // The words of dropout take registers.
  if (facts.hasDropout && target.kind != TargetKind::CPU)
    tile.walked = std::min<int64_t>(
        tile.walked, tile.widest <= kFewestColumns ? 2 * kDepth : kDepth);
  fitBytes(tile, facts, target);
}

void sattn::tuning::attention::fitBytes(GradientTile &tile, const Facts &facts,
                                        const Target &target) {
  if (target.kind == TargetKind::CPU)
    return;
  // The rows that warps share are the last to go: one warp alone waits for each
  // of its MMAs.
  while (countBytes(tile, facts) + kOtherBytes > target.sharedBytes) {
    if (tile.walked > kDepth)
      tile.walked =
          std::max<int64_t>(llvm::alignDown(tile.walked / 2, 8), kDepth);
    else if (tile.rows > kWarpgroupRows)
      tile.rows = kWarpgroupRows;
    else if (tile.rows > kTwoWarpsRows)
      tile.rows = kTwoWarpsRows;
    else if (tile.gradients > 0 && tile.columns > kFewestColumns)
      tile.columns =
          divide(tile.widest, std::max(tile.columns / 2, kFewestColumns));
    else if (tile.rows > kWarpRows)
      tile.rows = kWarpRows;
    else if (facts.elementBytes > 2 && tile.walked > kDepthOf32Bits)
      tile.walked = kDepthOf32Bits;
    else
      return;
  }
}

std::optional<double> sattn::tuning::attention::estimateCycles(
    const GradientTile &tile, const Facts &facts, const Target &target) {
  int64_t columns = std::min(tile.columns, tile.widest);
  if (columns < 1)
    return std::nullopt;
  int64_t operands = facts.headDim + facts.valueDim;
  int64_t sums = tile.gradients * columns;
  TileWork work;
  work.rows = tile.rows;
  work.walked = tile.walked;
  work.multiplied = operands + sums;
  work.kept = operands;
  // Parts of the factors of sums are read from the operands' tiles.
  work.sharedKept = work.sharedLoaded =
      alignToBoxes(facts.headDim) + alignToBoxes(facts.valueDim);
  work.loaded = columns < tile.widest ? operands + sums : operands;
  work.stored = sums;
  work.rounded = std::max<int64_t>(tile.gradients, 1);
  work.storedBytes = tile.gradients == 0 ? 4 : 0;
  work.parts = llvm::divideCeil(tile.widest, columns);
  return estimateCycles(facts, work, target);
}
