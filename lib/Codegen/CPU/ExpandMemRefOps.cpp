//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops of memref that upstream lowers to a call of its runner's library, or
// does not lower.

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUEXPANDMEMREFOPS
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// Whether the lowering to LLVM copies it by memcpy.
static bool isContiguous(MemRefType type) {
  return type.getLayout().isIdentity() ||
         (type.hasStaticShape() && type.getNumElements() > 0 &&
          memref::isStaticShapeAndContiguousRowMajor(type));
}

static void expandCopy(RewriterBase &rewriter, memref::CopyOp op) {
  auto from = dyn_cast<MemRefType>(op.getSource().getType()),
       to = dyn_cast<MemRefType>(op.getTarget().getType());
  if (!from || !to || (isContiguous(from) && isContiguous(to)))
    return;
  rewriter.setInsertionPoint(op);
  linalg::makeMemRefCopyOp(rewriter, op.getLoc(), op.getSource(),
                           op.getTarget());
  rewriter.eraseOp(op);
}

/// Expands an expand_shape with several dynamic sizes in a group, by its size
/// operands. `expand-strided-metadata` derives one dynamic size of a group from
/// the source's size and does not use the operands.
static void expandShape(RewriterBase &rewriter, memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  auto isDynamic = [&](int64_t i) { return type.isDynamicDim(i); };
  if (llvm::all_of(groups, [&](ArrayRef<int64_t> group) {
        return llvm::count_if(group, isDynamic) <= 1;
      }))
    return;
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto source =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes =
      getMixedValues(op.getStaticOutputShape(), op.getOutputShape(), rewriter);
  SmallVector<OpFoldResult> strides(sizes.size());
  AffineExpr s0, s1;
  bindSymbols(rewriter.getContext(), s0, s1);
  auto [staticStrides, staticOffset] = type.getStridesAndOffset();
  for (auto [group, stride] :
       llvm::zip_equal(groups, source.getConstifiedMixedStrides()))
    for (int64_t i : llvm::reverse(group)) {
      strides[i] = ShapedType::isDynamic(staticStrides[i])
                       ? stride
                       : rewriter.getIndexAttr(staticStrides[i]);
      if (i != group.front())
        stride = affine::makeComposedFoldedAffineApply(rewriter, loc, s0 * s1,
                                                       {stride, sizes[i]});
    }
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, type, source.getBaseBuffer(), source.getConstifiedMixedOffset(),
      sizes, strides);
}

namespace {
struct CPUExpandMemRefOpsPass
    : public sattn::impl::SAttnCPUExpandMemRefOpsBase<CPUExpandMemRefOpsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        expandCopy(rewriter, copy);
      else if (auto shape = dyn_cast<memref::ExpandShapeOp>(op))
        expandShape(rewriter, shape);
    });
  }
};
} // namespace
