//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductCost.h"

#include "sattn/Layout/WgmmaDescriptor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace sattn;
using namespace sattn::tuning;
using sattn::layout::kWgmmaRows;

/// Rows of an MMA of mma.sync.
static constexpr int64_t kMmaRows = 16;

/// Most CTAs of an SM that the model counts.
static constexpr double kMostCTAs = 8;

/// A step of a tile, of whose rows a part has a block in the step's column.
static resources::StepWork getStep(const BlockProduct &product,
                                   const Parameters &tile, double part,
                                   const Target &target) {
  double bytes = static_cast<double>(product.elementBytes);
  double depth = static_cast<double>(tile.depth),
         columns = static_cast<double>(tile.columns);
  bool isWgmma = target.kind == TargetKind::Wgmma &&
                 product.blockRows % kWgmmaRows == 0 &&
                 tile.rows % kWgmmaRows == 0;
  double rows = part * static_cast<double>(llvm::alignTo(
                           tile.rows, isWgmma ? kWgmmaRows : kMmaRows));
  resources::StepWork step;
  step.bytes =
      (part * static_cast<double>(tile.rows) + columns) * depth * bytes;
  // A multiplication and an addition, which count by 16 bits.
  double operations = 2 * rows * columns * depth * bytes / 2;
  (isWgmma ? step.wgmmaOperations : step.mmaOperations) = operations;
  return step;
}

resources::KernelWork sattn::tuning::getWork(const BlockProduct &product,
                                             const Parameters &tile,
                                             const Target &target) {
  double rows = static_cast<double>(tile.rows),
         columns = static_cast<double>(tile.columns);
  double groups =
      static_cast<double>(std::max<int64_t>(1, tile.rows / product.blockRows));
  // The rows of a group take the steps of all columns that one of them stores.
  double density = product.density, blocks = 1;
  if (groups > 1 && density > 0)
    blocks = (1 - std::pow(1 - density, groups)) / density;
  double mean = product.getMeanRow();
  double longest = product.longestRow ? static_cast<double>(*product.longestRow)
                                      : mean * blocks;
  double split = static_cast<double>(tile.splitK.value_or(1));
  double stepsOfBlock =
      static_cast<double>(llvm::divideCeil(product.blockColumns, tile.depth)) /
      split;
  double bytes = static_cast<double>(product.elementBytes);
  resources::KernelWork work;
  work.tiles = product.products * std::ceil(product.m / rows) *
               std::ceil(product.n / columns) * split;
  work.steps = mean * blocks * stepsOfBlock;
  work.longestSteps = longest * stepsOfBlock;
  work.isBalanced = product.longestRow.has_value();
  work.step = getStep(product, tile, 1 / blocks, target);
  work.ctasPerSM =
      std::clamp(static_cast<double>(target.maxAccumulator) / (rows * columns),
                 1.0, kMostCTAs);
  work.storedBytes = rows * std::min(product.n, columns) * bytes;
  work.memoryBytes = product.products * bytes *
                     (product.m * product.k * density + product.k * product.n +
                      product.m * product.n);
  return work;
}

Parameters sattn::tuning::takeShortest(
    llvm::ArrayRef<Parameters> tiles,
    llvm::function_ref<std::optional<double>(const Parameters &)> getCycles,
    double near) {
  llvm::SmallVector<double> all;
  for (const Parameters &tile : tiles) {
    std::optional<double> cycles = getCycles(tile);
    if (!cycles)
      return tiles.front();
    all.push_back(*cycles);
  }
  double most = near * *llvm::min_element(all);
  for (auto [tile, cycles] : llvm::zip_equal(tiles, all))
    if (cycles <= most)
      return tile;
  return tiles.front();
}
