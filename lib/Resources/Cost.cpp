//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Cost.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace sattn::resources;

/// Cycles of a step and of a tile beside loads and MMAs: barriers, and the
/// latency of the first loads and the last stores. Fitted on an H200.
static constexpr double kStep = 60, kTile = 600;
/// Cycles of an element between MMAs, and of the change from one to the other,
/// for all threads of a group. Fitted on an H200.
static constexpr double kElement = 0.21, kTurn = 100;
/// Cycles of a launch.
static constexpr double kLaunch = 4000;
/// Tiles of an SM up to which it waits for the last of them; of more, the
/// scheduler balances all but a part of one.
static constexpr double kFewTiles = 4;
/// Part of the shorter one of memory's time and of the SMs' that does not
/// overlap with the other.
static constexpr double kExposed = 0.25;
/// Rows, columns and K of a library's tile of a dense product.
static constexpr double kDenseRows = 128, kDenseColumns = 256, kDenseDepth = 64;

double sattn::resources::estimateStep(const StepWork &step, double ctasPerSM,
                                      const Target &target) {
  const Rates &rates = target.rates;
  double loads = step.bytes / rates.loadedBytes;
  double products = step.mmaOperations / rates.mmaOperations;
  if (step.wgmmaOperations > 0)
    products += step.wgmmaOperations / rates.wgmmaOperations;
  double longest = std::max(loads, products);
  if (step.elements > 0)
    longest = std::max(longest, (products + step.elements * kElement + kTurn) /
                                    (step.turns * ctasPerSM));
  return longest + kStep / ctasPerSM;
}

double sattn::resources::estimateCycles(const KernelWork &work,
                                        const Target &target) {
  assert(target.kind != TargetKind::CPU && "cycles of a GPU");
  const Rates &rates = target.rates;
  double step = estimateStep(work.step, work.ctasPerSM, target);
  double tile =
      work.steps * step + kTile + work.storedBytes / rates.loadedBytes;
  double tilesOfSM = work.tiles / static_cast<double>(target.smCount);
  if (tilesOfSM < kFewTiles && !work.isBalanced)
    tilesOfSM = std::ceil(tilesOfSM);
  double computed =
      std::max(tilesOfSM * tile, work.longestSteps * step + kTile);
  double memory = work.memoryBytes / rates.memoryBytes;
  return std::max(computed, memory) + kExposed * std::min(computed, memory) +
         kLaunch;
}

double sattn::resources::estimateDenseProduct(const DenseProduct &product,
                                              const Target &target) {
  double m = product.m, n = product.n, k = product.k;
  double bytes = static_cast<double>(product.elementBytes);
  double columns = std::min(n, kDenseColumns);
  StepWork step;
  step.bytes = (kDenseRows + columns) * kDenseDepth * bytes;
  double operations = kDenseRows * columns * kDenseDepth * bytes;
  (target.kind == TargetKind::Wgmma ? step.wgmmaOperations
                                    : step.mmaOperations) = operations;
  double steps =
      product.products * m / kDenseRows * n / columns * k / kDenseDepth;
  double memory = product.products * (m * k + k * n + m * n) * bytes /
                  target.rates.memoryBytes;
  double all = steps * estimateStep(step, /*ctasPerSM=*/1, target) /
               static_cast<double>(target.smCount);
  return std::max(all, memory) + kTile + kLaunch;
}
