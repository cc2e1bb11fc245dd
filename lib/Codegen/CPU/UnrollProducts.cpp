//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUUNROLLPRODUCTS
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// Iterations that become one, at most. 16 were slower by 2% on a Zen 4 with
/// blocks of 64.
static constexpr int64_t kMostIterations = 8;
/// Iterations of a loop that are all unrolled. A loop of two iterations of
/// eight spilled elements of the left operand (blocks of 16, AVX2: 0.6 of dense
/// sgemm's rate, unrolled 0.86), and one of four is 4% slower than none.
static constexpr int64_t kShortLoop = 32;

/// Whether the addresses of further iterations of a read are a constant apart.
static bool hasKnownStride(vector::TransferReadOp read) {
  auto type = dyn_cast<MemRefType>(read.getBase().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return type && succeeded(type.getStridesAndOffset(strides, offset)) &&
         !strides.empty() && !ShapedType::isDynamic(strides.back());
}

/// The number of iterations of a loop to unroll; 1 for a loop of unknown
/// length, for one whose operands have unknown strides, and for one without
/// products.
static int64_t countUnrolled(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  Block *body = loop.getBody();
  if (!trips || trips->isZero() ||
      body->getOps<vector::ContractionOp>().empty())
    return 1;
  for (Operation &op : *body) {
    auto read = dyn_cast<vector::TransferReadOp>(op);
    if (op.getNumRegions() > 0 || (read && !hasKnownStride(read)))
      return 1;
  }
  if (trips->ule(kShortLoop))
    return trips->getSExtValue();
  int64_t factor = kMostIterations;
  while (trips->urem(factor) != 0)
    --factor;
  return factor;
}

namespace {
struct CPUUnrollProductsPass
    : public sattn::impl::SAttnCPUUnrollProductsBase<CPUUnrollProductsPass> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, int64_t>> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (int64_t factor = countUnrolled(loop); factor > 1)
        loops.push_back({loop, factor});
    });
    for (auto [loop, factor] : loops)
      (void)loopUnrollByFactor(loop, factor);
  }
};
} // namespace
