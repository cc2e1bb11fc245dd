//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUDISABLEELEMENTUNROLLING
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// The position in a vector of the element that the op moves, or null.
static Value getPosition(Operation *op) {
  if (auto insert = dyn_cast<LLVM::InsertElementOp>(op))
    return insert.getPosition();
  if (auto extract = dyn_cast<LLVM::ExtractElementOp>(op))
    return extract.getPosition();
  return {};
}

namespace {
struct CPUDisableElementUnrollingPass
    : public sattn::impl::SAttnCPUDisableElementUnrollingBase<
          CPUDisableElementUnrollingPass> {
  void runOnOperation() override {
    // Loops of threads count too: they are regions of OpenMP's ops.
    getOperation()->walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        if (!region.empty() && !region.hasOneBlock())
          annotate(region);
    });
  }

private:
  LLVM::LoopAnnotationAttr getAnnotation() {
    auto unroll = LLVM::LoopUnrollAttr::get(
        &getContext(), /*disable=*/BoolAttr::get(&getContext(), true),
        /*count=*/{}, /*runtimeDisable=*/{}, /*full=*/{},
        /*followupUnrolled=*/{}, /*followupRemainder=*/{},
        /*followupAll=*/{});
    return LLVM::LoopAnnotationAttr::get(
        &getContext(), /*disableNonforced=*/{}, /*vectorize=*/{},
        /*interleave=*/{}, unroll, /*unrollAndJam=*/{}, /*licm=*/{},
        /*distribute=*/{}, /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{},
        /*mustProgress=*/{}, /*isVectorized=*/{}, /*startLoc=*/{},
        /*endLoc=*/{}, /*parallelAccesses=*/{});
  }

  void annotate(Region &region) {
    DominanceInfo dominance(getOperation());
    CFGLoopInfo loops(dominance.getDomTree(&region));
    LLVM::LoopAnnotationAttr annotation = getAnnotation();
    for (Operation &op : region.getOps()) {
      Value position = getPosition(&op);
      CFGLoop *loop = position && !matchPattern(position, m_Constant())
                          ? loops.getLoopFor(op.getBlock())
                          : nullptr;
      Block *latch = loop ? loop->getLoopLatch() : nullptr;
      if (!latch)
        continue;
      if (auto jump = dyn_cast<LLVM::BrOp>(latch->getTerminator()))
        jump.setLoopAnnotationAttr(annotation);
    }
  }
};
} // namespace
