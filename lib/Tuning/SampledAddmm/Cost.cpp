//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// From the facts of products at stored blocks to the work of the cost model.

#include "sattn/Resources/Cost.h"
#include "sattn/Layout/WgmmaDescriptor.h"
#include "sattn/Tuning/SampledAddmm.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn;
using namespace sattn::tuning;
using namespace sattn::tuning::sampled_addmm;
using sattn::layout::kWgmmaRows;

/// Rows of an MMA of mma.sync.
static constexpr int64_t kMmaRows = 16;
/// Stored elements of the result, which are not known: half of a matrix of
/// 4096 x 4096. They are many tiles, whose number does not change which is the
/// fastest.
static constexpr double kStored = 4096.0 * 4096 / 2;
/// Rows and columns of that matrix.
static constexpr double kSize = 4096;
/// Most CTAs of an SM that the model counts.
static constexpr double kMostCTAs = 8;

std::optional<double> sattn::tuning::sampled_addmm::estimateCycles(
    const Facts &facts, const Parameters &tile, const Target &target) {
  if (!facts.k || *facts.k == 0 || target.kind == TargetKind::CPU ||
      tile.rows < 1 || tile.columns < 1 || tile.depth < 1)
    return std::nullopt;
  auto rows = static_cast<double>(tile.rows),
       columns = static_cast<double>(tile.columns),
       depth = static_cast<double>(tile.depth),
       bytes = static_cast<double>(facts.elementBytes),
       k = static_cast<double>(*facts.k);
  bool isWgmma =
      target.kind == TargetKind::Wgmma && tile.rows % kWgmmaRows == 0;
  auto multipliedRows = static_cast<double>(
      llvm::alignTo(tile.rows, isWgmma ? kWgmmaRows : kMmaRows));
  // Blocks that share rows are as many as a row has.
  double shared = std::min(columns, kSize / 2);
  resources::KernelWork work;
  work.tiles = kStored / (rows * shared);
  work.steps = work.longestSteps =
      static_cast<double>(llvm::divideCeil(*facts.k, tile.depth));
  work.step.bytes = (rows + shared) * depth * bytes;
  (isWgmma ? work.step.wgmmaOperations : work.step.mmaOperations) =
      2 * multipliedRows * shared * depth * bytes / 2;
  work.ctasPerSM =
      std::clamp(static_cast<double>(target.maxAccumulator) / (rows * columns),
                 1.0, kMostCTAs);
  work.storedBytes = rows * shared * bytes;
  work.memoryBytes = (2 * kSize * k + kStored) * bytes;
  return resources::estimateCycles(work, target);
}
