//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Mma.h"

#include "sattn/Layout/WarpDivision.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::resources;
using sattn::layout::Major;

/// Most accumulators of a thread for mma.sync: if other threads load, and if
/// whole warpgroups multiply, which then take the loading threads' registers.
static constexpr int64_t kSpecializedMmaAccumulators = 96;
static constexpr int64_t kWarpgroupMmaAccumulators = 128;
/// Rows of 16-bit tiles that take twice as many accumulators if TMA does not
/// load: none of their epilogues spills.
static constexpr int64_t kDenseRows = 128;

SharedOperand MmaShape::getA() const {
  if (isTransposedA)
    return {k, m, elementBytes, Major::MN};
  return {m, k, elementBytes, Major::K};
}

SharedOperand MmaShape::getB() const {
  if (isTransposedB)
    return {n, k, elementBytes, Major::K};
  return {k, n, elementBytes, Major::MN};
}

static int64_t getSwizzle(const SharedOperand &tile) {
  return sattn::layout::wgmmaSwizzle(tile.rows, tile.columns, tile.elementBytes,
                                     tile.major);
}

bool sattn::resources::isWgmmaOperand(const SharedOperand &tile) {
  return getSwizzle(tile) != 0;
}

bool sattn::resources::hasWholeRows(const SharedOperand &tile) {
  return tile.columns * tile.elementBytes % getSwizzle(tile) == 0;
}

bool sattn::resources::fitsWgmma(const MmaShape &mma) {
  return sattn::layout::isWgmmaResult(mma.m, mma.n, mma.isInteger) &&
         isWgmmaOperand(mma.getA()) && isWgmmaOperand(mma.getB());
}

int64_t sattn::resources::getWidestColumns(int64_t rows, int64_t k,
                                           int64_t elementBytes,
                                           bool isTransposedB, bool isGrouped,
                                           const Target &target) {
  int64_t multiple = target.columnMultiple;
  MmaShape narrowest = {rows, multiple, k, elementBytes};
  narrowest.isTransposedB = isTransposedB;
  bool isWgmma = fitsWgmma(narrowest) && hasWholeRows(narrowest.getA()) &&
                 hasWholeRows(narrowest.getB());
  if (target.kind == TargetKind::Wgmma && (isWgmma || isGrouped))
    return llvm::alignDown(
        std::min(target.maxColumns, target.maxAccumulator / rows), multiple);
  if (target.kind == TargetKind::MmaSync && elementBytes == 2 &&
      rows == kDenseRows)
    return target.maxColumns;
  auto getMost = [&](const layout::WarpDivision &division) {
    if (target.kind != TargetKind::Wgmma)
      return layout::kMmaAccumulators;
    return division.warps() % 4 == 0 ? kWarpgroupMmaAccumulators
                                     : kSpecializedMmaAccumulators;
  };
  int64_t columns = llvm::alignDown(target.maxColumns, multiple);
  while (columns > 0) {
    auto division = layout::divideAmongWarps(
        rows, columns, columns, layout::getMmaWarps(rows, columns));
    if (division && division->accumulators(columns) <= getMost(*division))
      break;
    columns -= multiple;
  }
  return columns;
}
