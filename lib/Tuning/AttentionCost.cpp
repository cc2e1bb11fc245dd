//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The estimated cycles of attention and of its gradients.

#include "sattn/Resources/Cost.h"
#include "sattn/Tuning/Attention.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace sattn;
using namespace sattn::tuning;
using namespace sattn::tuning::attention;

/// Rows of a warpgroup's MMA and of a warp's, and columns of a box of TMA.
static constexpr int64_t kWarpgroupRows = 64, kWarpRows = 16, kBoxColumns = 64;
/// Stages of what is walked in shared memory.
static constexpr int64_t kStages = 2;
/// Warpgroups that take turns: a third one computes beside the second.
static constexpr double kMostTurns = 2;
/// CTAs of one warpgroup that share an SM, and columns of sums up to which they
/// have the registers.
static constexpr double kMostCTAs = 2;
static constexpr int64_t kMostSums = 128;
/// The part of blocks in lists whose number is not known.
static constexpr double kUnknownDensity = 0.5;

int64_t sattn::tuning::attention::alignToBoxes(int64_t columns) {
  return llvm::alignTo(columns, kBoxColumns);
}

/// The part of all blocks that lists have; 1 without lists.
static double getDensity(const Facts &facts) {
  if (!facts.blockQueries || !facts.blockKeys)
    return 1;
  if (!facts.seenBlocks)
    return kUnknownDensity;
  auto rows = static_cast<double>(*facts.rows);
  double blocks = std::ceil(rows / static_cast<double>(*facts.blockQueries)) *
                  std::ceil(rows / static_cast<double>(*facts.blockKeys)) *
                  static_cast<double>(*facts.batches);
  return std::min(1.0, static_cast<double>(*facts.seenBlocks) / blocks);
}

/// CTAs that share an SM: of one warpgroup as many as fit in shared memory and
/// as there are.
static double countCTAs(const Facts &facts, const TileWork &work, double tiles,
                        const Target &target) {
  if (work.rows > kWarpgroupRows || work.stored > kMostSums)
    return 1;
  int64_t bytes =
      facts.elementBytes *
      (work.rows * work.sharedKept + kStages * work.walked * work.sharedLoaded);
  double fitting = std::floor(static_cast<double>(target.sharedBytes) /
                              static_cast<double>(bytes));
  double most = std::max(1.0, tiles / static_cast<double>(target.smCount));
  return std::clamp(std::min(fitting, most), 1.0, kMostCTAs);
}

std::optional<double> sattn::tuning::attention::estimateCycles(
    const Facts &facts, const TileWork &work, const Target &target) {
  if (!facts.rows || !facts.batches || *facts.rows == 0 ||
      *facts.batches == 0 || facts.isPacked ||
      target.kind != TargetKind::Wgmma || work.rows < 1 || work.walked < 1)
    return std::nullopt;
  auto length = static_cast<double>(*facts.rows),
       batches = static_cast<double>(*facts.batches),
       rows = static_cast<double>(work.rows),
       walked = static_cast<double>(work.walked),
       bytes = static_cast<double>(facts.elementBytes);
  double density = getDensity(facts);
  bool isWgmma = work.rows % kWarpgroupRows == 0;
  resources::KernelWork kernel;
  kernel.tiles =
      std::ceil(length / rows) * batches * static_cast<double>(work.parts);
  kernel.longestSteps = std::ceil(length / walked) * density;
  // Tiles of unequal work are balanced by their order.
  kernel.isBalanced = facts.isCausal;
  kernel.steps =
      facts.isCausal ? (length + rows) / (2 * walked) : kernel.longestSteps;
  resources::StepWork &step = kernel.step;
  step.bytes = walked * static_cast<double>(work.loaded) * bytes;
  auto multipliedRows = static_cast<double>(
      llvm::alignTo(work.rows, isWgmma ? kWarpgroupRows : kWarpRows));
  (isWgmma ? step.wgmmaOperations : step.mmaOperations) =
      2 * multipliedRows * walked * static_cast<double>(work.multiplied) *
      bytes / 2;
  step.elements = rows * walked * static_cast<double>(work.rounded);
  step.turns = isWgmma ? std::min(kMostTurns, rows / kWarpgroupRows) : 1;
  kernel.ctasPerSM = countCTAs(facts, work, kernel.tiles, target);
  kernel.storedBytes = rows * static_cast<double>(work.stored) * bytes;
  auto columns = static_cast<double>(work.kept + work.loaded + work.stored);
  kernel.memoryBytes =
      length * batches *
      (columns * bytes +
       length * density * static_cast<double>(work.storedBytes));
  return resources::estimateCycles(kernel, target);
}

std::optional<double> sattn::tuning::attention::estimateCycles(
    const Facts &facts, const Parameters &tile, const Target &target) {
  // A tile whose columns are not chosen yet has all.
  int64_t columns = facts.valueDim;
  if (tile.columns > 0)
    columns = std::min(columns, tile.columns);
  TileWork work;
  work.rows = tile.rows;
  work.walked = tile.depth;
  work.multiplied = work.loaded = facts.headDim + columns;
  work.kept = facts.headDim;
  work.sharedKept = alignToBoxes(facts.headDim);
  work.sharedLoaded = alignToBoxes(facts.headDim) + alignToBoxes(columns);
  work.stored = columns;
  work.parts = llvm::divideCeil(facts.valueDim, columns);
  return estimateCycles(facts, work, target);
}
