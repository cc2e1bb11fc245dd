//===- Cost.cpp - Estimated cycles of scatter_mm --------------------------===//
//
// From the facts of sums of listed products to the work of the cost model.
//
//===----------------------------------------------------------------------===//

#include "../ProductCost.h"

#include "sattn/Tuning/ScatterMm.h"

using namespace sattn::tuning;
using namespace sattn::tuning::scatter_mm;

std::optional<double> sattn::tuning::scatter_mm::estimateCycles(
    const Facts &facts, const Parameters &tile, const Target &target) {
  std::optional<int64_t> n = facts.wholeN ? facts.wholeN : facts.n;
  if (!facts.m || !n || !facts.k || !facts.sparsity ||
      target.kind == TargetKind::CPU || tile.rows < 1 || tile.depth < 1 ||
      tile.columns < 1)
    return std::nullopt;
  BlockProduct product = {static_cast<double>(*facts.m),
                          static_cast<double>(*n),
                          static_cast<double>(*facts.k),
                          /*products=*/1,
                          facts.blockRows,
                          facts.blockColumns,
                          facts.elementBytes,
                          static_cast<double>(100 - *facts.sparsity) / 100};
  return resources::estimateCycles(getWork(product, tile, target), target);
}
