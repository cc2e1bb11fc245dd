//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackOperands.h"

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sattn;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUPACKOPERANDS
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// Yields an element in the type of the target's.
static void widen(OpBuilder &builder, Location loc, ValueRange args) {
  Type type = args[1].getType();
  Value element;
  if (type.isInteger())
    element = arith::ExtSIOp::create(builder, loc, type, args[0]);
  else if (args[0].getType().isInteger())
    element = arith::SIToFPOp::create(builder, loc, type, args[0]);
  else
    element = arith::ExtFOp::create(builder, loc, type, args[0]);
  linalg::YieldOp::create(builder, loc, element);
}

Type sattn::getPackedType(linalg::MatmulOp op) {
  Type packed = getElementTypeOrSelf(op.getDpsInits()[0]);
  auto widens = [&](Value operand) {
    Type element = getElementTypeOrSelf(operand);
    bool isOfKind =
        element.isIntOrFloat() && (element.isInteger() == packed.isInteger() ||
                                   element.isSignlessInteger(8));
    return element == packed ||
           (isOfKind &&
            element.getIntOrFloatBitWidth() < packed.getIntOrFloatBitWidth());
  };
  bool isTaken =
      packed.isF32() || packed.isF64() || packed.isSignlessInteger(32);
  return isTaken && llvm::all_of(op.getInputs(), widens) ? packed : Type();
}

Value sattn::copyWidened(OpBuilder &builder, Location loc, Value tile,
                         Value target, bool isTransposed) {
  if (getElementTypeOrSelf(tile) == getElementTypeOrSelf(target)) {
    // Not generics of the same kind, which canonicalization would fold.
    if (isTransposed)
      return linalg::TransposeOp::create(builder, loc, tile, target,
                                         ArrayRef<int64_t>{1, 0})
          ->getResult(0);
    return linalg::CopyOp::create(builder, loc, tile, target).getResult(0);
  }
  unsigned rank = cast<RankedTensorType>(tile.getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank), source = identity;
  if (isTransposed)
    source = AffineMap::getPermutationMap(ArrayRef<int64_t>{1, 0},
                                          builder.getContext());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, target.getType(), tile, target,
                                   ArrayRef<AffineMap>{source, identity},
                                   iterators, widen)
      .getResult(0);
}

void sattn::readPanels(RewriterBase &rewriter, linalg::MatmulOp op,
                       Value panels, ArrayRef<OpFoldResult> sizes,
                       int64_t columns) {
  Location loc = op.getLoc();
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes,
                                        getElementTypeOrSelf(panels.getType()));
  SmallVector<int64_t> columnDim = {1}, panelsFirst = {1, 0};
  Value right =
      linalg::UnPackOp::create(
          rewriter, loc, panels, empty, columnDim,
          ArrayRef<OpFoldResult>(rewriter.getIndexAttr(columns)), panelsFirst)
          ->getResult(0);
  Value left = op.getDpsInputOperand(0)->get();
  // A new op, since the scalar product that it implies changes its types.
  rewriter.replaceOpWithNewOp<linalg::MatmulOp>(op, ValueRange{left, right},
                                                op.getDpsInits());
}

linalg::TransposeOp sattn::findTranspose(Value matrix) {
  auto transpose = matrix.getDefiningOp<linalg::TransposeOp>();
  bool isSwapped =
      transpose && transpose.getPermutation() == ArrayRef<int64_t>{1, 0};
  return isSwapped ? transpose : linalg::TransposeOp();
}

/// A copy of `tile` in a new tensor of that type. One that is transposed is
/// widened where it is copied.
static Value pack(OpBuilder &builder, Location loc, Value tile, Type packed) {
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, tile), packed);
  linalg::TransposeOp transpose = findTranspose(tile);
  return copyWidened(builder, loc, transpose ? transpose.getInput() : tile,
                     empty, static_cast<bool>(transpose));
}

/// The operand transposed to its default map, if its own map transposes it;
/// null if the map is neither.
static Value orderDimensions(OpBuilder &b, Location loc, Value operand,
                             AffineMap map, AffineMap expected) {
  if (map == expected)
    return operand;
  if (map.getNumResults() != 2 || map.getResult(0) != expected.getResult(1) ||
      map.getResult(1) != expected.getResult(0))
    return {};
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, operand);
  std::swap(sizes[0], sizes[1]);
  Value empty = tensor::EmptyOp::create(
      b, loc, sizes, getElementTypeOrSelf(operand.getType()));
  return linalg::TransposeOp::create(b, loc, operand, empty,
                                     ArrayRef<int64_t>{1, 0})
      ->getResult(0);
}

void sattn::orderTileProducts(RewriterBase &rewriter, Operation *root) {
  SmallVector<linalg::MatmulOp> products;
  root->walk([&](linalg::MatmulOp op) {
    if (op->getParentOfType<scf::ForallOp>() && op.hasPureTensorSemantics() &&
        op.hasUserDefinedMaps())
      products.push_back(op);
  });
  for (linalg::MatmulOp op : products) {
    rewriter.setInsertionPoint(op);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<AffineMap> expected =
        linalg::MatmulOp::getDefaultIndexingMaps(op.getContext());
    SmallVector<Value> inputs;
    for (auto [i, input] : llvm::enumerate(op.getInputs()))
      if (Value ordered = orderDimensions(rewriter, op.getLoc(), input, maps[i],
                                          expected[i]))
        inputs.push_back(ordered);
    if (inputs.size() == 2 && maps[2] == expected[2])
      rewriter.replaceOpWithNewOp<linalg::MatmulOp>(op, inputs,
                                                    op.getDpsInits());
  }
}

SmallVector<linalg::MatmulOp> sattn::findTileProducts(Operation *root) {
  SmallVector<linalg::MatmulOp> products;
  root->walk([&](linalg::MatmulOp op) {
    if (op->getParentOfType<scf::ForallOp>() && op.hasPureTensorSemantics() &&
        !op.hasUserDefinedMaps())
      products.push_back(op);
  });
  return products;
}

/// Whether an operand of a matrix product is read in place.
static bool isReadInPlace(OpOperand &input, Type packed) {
  Value tile = input.get();
  if (getElementTypeOrSelf(tile) != packed)
    return false;
  // The left operand is read one element at a time, with any strides, but each
  // read of a pad would need a bounds test.
  if (input.getOperandNumber() == 0)
    return !tile.getDefiningOp<tensor::PadOp>();
  // Panels are packed already, and a transposed tile is a copy.
  return tile.getDefiningOp<linalg::UnPackOp>() ||
         tile.getDefiningOp<linalg::TransposeOp>();
}

/// Packs an operand of `op` before the loops of its tile in which the operand
/// does not change.
static Value packOnce(OpBuilder &builder, linalg::MatmulOp op, Value tile,
                      Type packed) {
  OpBuilder::InsertionGuard guard(builder);
  auto tiles = op->getParentOfType<scf::ForallOp>();
  auto pad = tile.getDefiningOp<tensor::PadOp>();
  if (pad && pad->getBlock() != op->getBlock() && tiles->isProperAncestor(pad))
    builder.setInsertionPointAfter(pad);
  return pack(builder, op.getLoc(), tile, packed);
}

namespace {
struct CPUPackOperandsPass
    : public sattn::impl::SAttnCPUPackOperandsBase<CPUPackOperandsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (linalg::MatmulOp op : findTileProducts(getOperation())) {
      Type packed = getPackedType(op);
      if (!packed)
        continue;
      rewriter.setInsertionPoint(op);
      SmallVector<Value> inputs;
      for (OpOperand *input : op.getDpsInputOperands())
        inputs.push_back(isReadInPlace(*input, packed)
                             ? input->get()
                             : packOnce(rewriter, op, input->get(), packed));
      // A new op, since the scalar product that it implies changes its types.
      rewriter.replaceOpWithNewOp<linalg::MatmulOp>(op, inputs,
                                                    op.getDpsInits());
    }
  }
};
} // namespace
