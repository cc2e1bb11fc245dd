//===- Cost.cpp - Estimated cycles of products ----------------------------===//
//
// From the facts of a product to the work of the cost model.
//
//===----------------------------------------------------------------------===//

#include "../ProductCost.h"

#include "sattn/Tuning/BsrAddmm.h"

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

/// Limits from which on a row is long: more than this many times the mean, and
/// this many blocks more. In rows drawn all alike there is none.
static constexpr int64_t kLong = 2, kLongBlocks = 4;

bool sattn::tuning::bsr_addmm::hasUnequalRows(const Problem &problem) {
  return problem.m && problem.n && problem.k && problem.sparsity &&
         problem.longestRow && *problem.k >= problem.blockColumns &&
         double(*problem.longestRow) >
             kLong * getMeanRow(problem) + kLongBlocks;
}

static std::optional<double> getDensity(const Problem &problem) {
  if (problem.density || !problem.sparsity)
    return problem.density;
  return static_cast<double>(100 - *problem.sparsity) / 100;
}

static std::optional<BlockProduct> getProduct(const Problem &problem) {
  std::optional<double> density = getDensity(problem);
  if (!problem.m || !problem.n || !problem.k || !density || *problem.m == 0 ||
      *problem.n == 0 || *problem.k < problem.blockColumns)
    return std::nullopt;
  // Rows of about equal length are as if nothing was known of them.
  std::optional<int64_t> longestRow =
      hasUnequalRows(problem) ? problem.longestRow : std::nullopt;
  return BlockProduct{static_cast<double>(*problem.m),
                      static_cast<double>(*problem.n),
                      static_cast<double>(*problem.k),
                      static_cast<double>(problem.batches),
                      problem.blockRows,
                      problem.blockColumns,
                      problem.elementBytes,
                      *density,
                      longestRow};
}

double sattn::tuning::bsr_addmm::getMeanRow(const Problem &problem) {
  return static_cast<double>(*problem.k) /
         static_cast<double>(problem.blockColumns) * *getDensity(problem);
}

std::optional<double> sattn::tuning::bsr_addmm::estimateCycles(
    const Problem &problem, const Parameters &tile, const Target &target) {
  std::optional<BlockProduct> product = getProduct(problem);
  if (!product || target.kind == TargetKind::CPU || tile.rows < 1 ||
      tile.depth < 1 || tile.columns < 1)
    return std::nullopt;
  return resources::estimateCycles(getWork(*product, tile, target), target);
}

std::optional<double>
sattn::tuning::bsr_addmm::estimateDenseCycles(const Problem &problem,
                                              const Target &target) {
  std::optional<BlockProduct> product = getProduct(problem);
  // f32 in IEEE precision has no MMA.
  if (!product || problem.elementBytes > 2 || target.kind == TargetKind::CPU)
    return std::nullopt;
  return resources::estimateDenseProduct({product->m, product->n, product->k,
                                          product->products,
                                          product->elementBytes},
                                         target);
}
