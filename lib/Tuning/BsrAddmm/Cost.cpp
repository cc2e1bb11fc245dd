//===- Cost.cpp - Estimated cycles of products ----------------------------===//
//
// From the facts of a product to the work of the cost model.
//
//===----------------------------------------------------------------------===//

#include "../ProductCost.h"

#include "sattn/Tuning/BsrAddmm.h"

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

static std::optional<BlockProduct> getProduct(const Problem &problem) {
  if (!problem.m || !problem.n || !problem.k || !problem.sparsity ||
      *problem.k < problem.blockColumns)
    return std::nullopt;
  return BlockProduct{static_cast<double>(*problem.m),
                      static_cast<double>(*problem.n),
                      static_cast<double>(*problem.k),
                      static_cast<double>(problem.batches),
                      problem.blockRows,
                      problem.blockColumns,
                      problem.elementBytes,
                      static_cast<double>(100 - *problem.sparsity) / 100,
                      problem.longestRow};
}

double sattn::tuning::bsr_addmm::getMeanRow(const Problem &problem) {
  return getProduct(problem)->getMeanRow();
}

std::optional<double> sattn::tuning::bsr_addmm::estimateCycles(
    const Problem &problem, const Parameters &tile, const Target &target) {
  std::optional<BlockProduct> product = getProduct(problem);
  if (!product || target.kind == TargetKind::CPU || tile.rows < 1 ||
      tile.depth < 1 || tile.columns < 1)
    return std::nullopt;
  return resources::estimateCycles(getWork(*product, tile, target), target);
}

std::optional<double> sattn::tuning::bsr_addmm::estimateDenseRatio(
    const Problem &problem, const Parameters &tile, const Target &target) {
  std::optional<double> blocks = estimateCycles(problem, tile, target);
  if (!blocks || *blocks == 0)
    return std::nullopt;
  BlockProduct product = *getProduct(problem);
  double dense =
      resources::estimateDenseProduct(product.products * product.m, product.n,
                                      product.k, product.elementBytes, target);
  return dense / *blocks;
}
