//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The computed default, with the reasons of its numbers.

#include "../ProductCost.h"

#include "sattn/Tuning/ScatterMm.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::scatter_mm;

/// Rows and columns of a tile on the CPU: with them the accumulator and the
/// packed operands stay within the second-level cache; and columns of a K tile.
static constexpr int64_t kCPURows = 64, kCPUColumns = 128, kCPUDepth = 64;
/// The columns down to which a tile's cost follows from its width.
static constexpr int64_t kLeastColumns = 16;
/// Most rows on a GPU: two warpgroups of wgmma.
static constexpr int64_t kMostRows = 128;
/// Entries that share a tile where a block has half of those rows, and columns
/// of a tile from which they do: what a tile reads of the others is then most
/// of what it reads, and entries of neighboring rows read much of it alike.
static constexpr int64_t kShared = 2, kLeastSharedColumns = 128;
/// Sparsity in hundredths up to which they do: shorter lists have little alike,
/// and the longer one of a tile keeps the other's warps waiting.
static constexpr int64_t kSharedSparsity = 80;
/// Bytes of a row of a K tile on a GPU: the longest swizzle.
static constexpr int64_t kDepthBytes = 128;
/// Above so many rows a tile by mma.sync has so many columns: two CTAs
/// share an SM, and one computes while the other waits.
static constexpr int64_t kLowRows = 32, kSharedColumns = 128;
/// The least rows or K columns on the CPU: fewer are worse than a long tile.
static constexpr int64_t kLeastCPUPart = 8;
/// Units of a tile, from the best on: of wgmma, of mma.sync, of any.
static constexpr int64_t kUnits[] = {64, 16, 8};

/// The largest divisor of `size` up to `most` that is a multiple of the best
/// unit. If no unit divides `size`, all of it or `most`, padded with zeros.
static int64_t findPart(int64_t size, int64_t most) {
  for (int64_t unit : kUnits)
    for (int64_t part = llvm::alignDown(std::min(size, most), unit); part > 0;
         part -= unit)
      if (size % part == 0)
        return part;
  return std::min<int64_t>(llvm::alignTo(size, kUnits[1]), most);
}

/// The columns of a tile: `most`, but no more than hold all of N.
static int64_t fitColumns(const Facts &facts, int64_t most) {
  if (!facts.n)
    return most;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(*facts.n, 1)),
                             kLeastColumns, most);
}

/// The longest divisor up to `most`, or all where that would be short.
static int64_t findDivisor(int64_t size, int64_t most) {
  if (size <= most)
    return size;
  for (int64_t part = most; part >= kLeastCPUPart; --part)
    if (size % part == 0)
      return part;
  return size;
}

void sattn::tuning::scatter_mm::fitTo(const Facts &facts, const Target &target,
                                      Parameters &parameters) {
  if (target.kind != TargetKind::CPU)
    return;
  if (facts.blockRows % parameters.rows != 0)
    parameters.rows = findDivisor(facts.blockRows, parameters.rows);
  if (facts.blockColumns % parameters.depth != 0)
    parameters.depth = findDivisor(facts.blockColumns, parameters.depth);
}

/// The least rows and columns of a tile that is cut for the sake of more tiles.
static constexpr int64_t kLeastCutRows = 16, kLeastCutColumns = 64;

/// The tile, or one of fewer rows or columns of it where the estimated time is
/// shorter, as it is where there are fewer tiles than SMs.
static Parameters cutTile(const Facts &facts, const Parameters &tile,
                          const Target &target) {
  llvm::SmallVector<Parameters> tiles;
  for (Parameters low = tile;; low.rows /= 2) {
    for (Parameters narrow = low;; narrow.columns /= 2) {
      tiles.push_back(narrow);
      if (narrow.columns % 2 != 0 || narrow.columns / 2 < kLeastCutColumns)
        break;
    }
    if (low.rows % 2 != 0 || low.rows / 2 < kLeastCutRows ||
        !isPart(low.rows / 2, facts.blockRows))
      break;
  }
  return takeShortest(tiles, [&](const Parameters &each) {
    return estimateCycles(facts, each, target);
  });
}

Parameters sattn::tuning::scatter_mm::defaultParameters(const Facts &facts,
                                                        const Target &target) {
  Parameters tile;
  if (target.kind == TargetKind::CPU) {
    tile.rows = findDivisor(facts.blockRows, kCPURows);
    tile.columns = fitColumns(facts, kCPUColumns);
    tile.depth = findDivisor(facts.blockColumns, kCPUDepth);
    return tile;
  }
  tile.rows = findPart(facts.blockRows, kMostRows);
  tile.depth = findPart(facts.blockColumns, kDepthBytes / facts.elementBytes);
  int64_t most = std::min<int64_t>(
      target.maxColumns, llvm::alignDown(target.maxAccumulator / tile.rows,
                                         target.columnMultiple));
  if (target.kind == TargetKind::MmaSync && tile.rows > kLowRows)
    most = std::min(most, kSharedColumns);
  tile.columns = fitColumns(facts, most);
  // Blocks of few rows load more of the others than they multiply: CTAs
  //  that work on the same columns share it.
  if (tile.rows < kMostRows)
    tile.rasterGroup = 1;
  if (target.kind == TargetKind::Wgmma && facts.elementBytes == 2 &&
      facts.blockRows * kShared == kMostRows &&
      facts.sparsity.value_or(0) <= kSharedSparsity &&
      tile.columns >= kLeastSharedColumns)
    tile.rows *= kShared;
  return cutTile(facts, tile, target);
}
