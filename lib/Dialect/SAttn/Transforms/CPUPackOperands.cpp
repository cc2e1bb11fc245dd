//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUPACKOPERANDS
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

/// A copy of `tile` in a new tensor of f32.
static Value pack(OpBuilder &builder, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type f32 = builder.getF32Type();
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, tile), f32);
  // Not a generic of the same kind, which canonicalization would fold.
  if (type.getElementType().isF32())
    return linalg::CopyOp::create(builder, loc, tile, empty).getResult(0);
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), tile, empty,
             ArrayRef<AffineMap>{identity, identity}, iterators,
             [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
               Value element = args[0];
               if (!element.getType().isF32())
                 element =
                     arith::ExtFOp::create(nested, nestedLoc, f32, element);
               linalg::YieldOp::create(nested, nestedLoc, element);
             })
      .getResult(0);
}

namespace {
struct CPUPackOperandsPass
    : public sattn::impl::SAttnCPUPackOperandsBase<CPUPackOperandsPass> {
  void runOnOperation() override {
    SmallVector<linalg::MatmulOp> products;
    getOperation().walk([&](linalg::MatmulOp op) {
      if (op->getParentOfType<scf::ForallOp>() && op.hasPureTensorSemantics())
        products.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::MatmulOp op : products) {
      rewriter.setInsertionPoint(op);
      SmallVector<Value> inputs;
      for (OpOperand *input : op.getDpsInputOperands()) {
        Type element = getElementTypeOrSelf(input->get().getType());
        if (!element.isF32() && !element.isF16() && !element.isBF16())
          break;
        // The left operand is read one element at a time, whatever its strides.
        bool isReadInPlace =
            element.isF32() && input == op.getDpsInputOperand(0);
        inputs.push_back(isReadInPlace
                             ? input->get()
                             : pack(rewriter, op.getLoc(), input->get()));
      }
      // A new op, since the scalar product that it implies changes its types.
      if (inputs.size() == 2)
        rewriter.replaceOpWithNewOp<linalg::MatmulOp>(op, inputs,
                                                      op.getDpsInits());
    }
  }
};
} // namespace
