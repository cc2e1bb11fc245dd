//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackTile.h"

#include "PackOperands.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace sattn;

namespace {
/// A right operand that a tile copies: the window and what it is made of.
class TileWindow {
public:
  static std::optional<TileWindow> find(Value right, scf::ForallOp tiles) {
    TileWindow window;
    if (linalg::TransposeOp transpose = findTranspose(right)) {
      window.isTransposed = true;
      right = transpose.getInput();
    }
    window.window = right;
    auto pad = right.getDefiningOp<tensor::PadOp>();
    if (pad && (!pad.getConstantPaddingValue() || !pad.hasZeroLowPad()))
      return std::nullopt;
    window.slice =
        (pad ? pad.getSource() : right).getDefiningOp<tensor::ExtractSliceOp>();
    if (!window.slice || !window.slice.hasUnitStride() ||
        !window.getType().hasStaticShape() || window.getType().getRank() != 2 ||
        !tiles.isDefinedOutsideOfLoop(window.slice.getSource()))
      return std::nullopt;
    return window;
  }

  /// Before `op`, or before the loops of its tile in which the window does not
  /// change.
  void setInsertionPoint(OpBuilder &b, linalg::MatmulOp op) {
    Operation *last = window.getDefiningOp();
    if (last->getBlock() != op->getBlock() &&
        op->getParentOfType<scf::ForallOp>()->isProperAncestor(last))
      b.setInsertionPointAfter(last);
    else
      b.setInsertionPoint(op);
  }

  /// The slice, if a loop inside the one over `tiles` takes one after the
  /// other.
  tensor::ExtractSliceOp getRepeated(scf::ForallOp tiles) {
    auto loop = slice->getParentOfType<scf::ForOp>();
    return loop && tiles->isProperAncestor(loop) ? slice
                                                 : tensor::ExtractSliceOp();
  }

  /// The panels of the window, from left to right. A transposed window is
  /// copied in squares of `side` elements.
  Value pack(OpBuilder &b, Location loc, Type element, int64_t columns,
             int64_t side) {
    lanes = side;
    int64_t depth = getType().getDimSize(isTransposed ? 1 : 0),
            width = getType().getDimSize(isTransposed ? 0 : 1);
    Value empty = tensor::EmptyOp::create(
        b, loc, ArrayRef<int64_t>{width / columns, depth, columns}, element);
    std::optional<Value> isWhole = buildIsWhole(b, loc);
    if (!isWhole)
      return copy(b, loc, window, empty);
    if (!*isWhole)
      return copy(b, loc, takeWhole(b, loc), empty);
    return scf::IfOp::create(
               b, loc, *isWhole,
               [&](OpBuilder &nested, Location) {
                 scf::YieldOp::create(
                     nested, loc,
                     copy(nested, loc, takeWhole(nested, loc), empty));
               },
               [&](OpBuilder &nested, Location) {
                 scf::YieldOp::create(nested, loc,
                                      copy(nested, loc, window, empty));
               })
        .getResult(0);
  }

private:
  bool isTransposed = false;
  Value window;
  tensor::ExtractSliceOp slice;
  /// The side of squares that are transposed in registers.
  int64_t lanes = 1;

  RankedTensorType getType() {
    return cast<RankedTensorType>(window.getType());
  }

  /// Whether the slice has all of the window's elements: null if it always has,
  /// nothing if it never has.
  std::optional<Value> buildIsWhole(OpBuilder &b, Location loc) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    Value isWhole;
    int64_t kept = 0;
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes())) {
      if (dropped.test(dim))
        continue;
      int64_t whole = getType().getDimSize(kept++);
      if (std::optional<int64_t> constant = getConstantIntValue(size)) {
        if (*constant != whole)
          return std::nullopt;
        continue;
      }
      Value isEqual = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::eq, cast<Value>(size),
          arith::ConstantIndexOp::create(b, loc, whole));
      isWhole =
          isWhole ? arith::AndIOp::create(b, loc, isWhole, isEqual).getResult()
                  : isEqual;
    }
    return isWhole;
  }

  /// The slice of all of the window's elements.
  Value takeWhole(OpBuilder &b, Location loc) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    int64_t kept = 0;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!dropped.test(dim))
        size = b.getIndexAttr(getType().getDimSize(kept++));
    return tensor::ExtractSliceOp::create(b, loc, getType(), slice.getSource(),
                                          slice.getMixedOffsets(), sizes,
                                          slice.getMixedStrides());
  }

  /// A loop from 0 to `end` that carries a tensor.
  template <typename Body>
  static Value loop(OpBuilder &b, Location loc, int64_t end, Value carried,
                    Body body) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto build = [&](OpBuilder &nested, Location, Value index,
                     ValueRange args) {
      scf::YieldOp::create(nested, loc, body(nested, index, args[0]));
    };
    return scf::ForOp::create(b, loc, constant(0), constant(end), constant(1),
                              carried, build)
        .getResult(0);
  }

  /// Copies the part of `source` at `from` to the part of `panels` at `to`,
  /// which has that shape.
  Value copyPart(OpBuilder &b, Location loc, Value source,
                 ArrayRef<OpFoldResult> from, Value panels,
                 ArrayRef<OpFoldResult> to, ArrayRef<int64_t> shape) {
    SmallVector<OpFoldResult> ones(3, b.getIndexAttr(1)),
        sizes = getAsIndexOpFoldResult(b.getContext(), shape), extent(sizes);
    extent.insert(extent.begin(), b.getIndexAttr(1));
    if (isTransposed)
      std::swap(sizes[0], sizes[1]);
    Value part = tensor::ExtractSliceOp::create(b, loc, source, from, sizes,
                                                ArrayRef(ones).drop_back());
    Value target = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(shape, getElementTypeOrSelf(panels)),
        panels, to, extent, ones);
    target = copyWidened(b, loc, part, target, isTransposed);
    return tensor::InsertSliceOp::create(b, loc, target, panels, to, extent,
                                         ones);
  }

  /// Copies the window, or the slice that is as large, to `panels`.
  Value copy(OpBuilder &b, Location loc, Value source, Value panels) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(panels.getType()).getShape();
    int64_t depth = shape[1], columns = shape[2];
    OpFoldResult zero = b.getIndexAttr(0);
    auto columnOf = [&](OpBuilder &nested, Value panel) {
      return affine::makeComposedFoldedAffineApply(
          nested, loc, nested.getAffineDimExpr(0) * columns,
          {OpFoldResult(panel)});
    };
    // Rows of squares that registers transpose: each reads its rows from their
    // first element to their last.
    auto copySquares = [&](OpBuilder &outer, Value panel, Value carried) {
      auto copyOne = [&](OpBuilder &nested, Value square, Value target) {
        AffineExpr d0 = nested.getAffineDimExpr(0),
                   d1 = nested.getAffineDimExpr(1);
        auto apply = [&](AffineExpr expr) {
          return affine::makeComposedFoldedAffineApply(
              nested, loc, expr, {OpFoldResult(panel), OpFoldResult(square)});
        };
        return copyPart(nested, loc, source,
                        {apply(d0 * columns + d1 * lanes), zero}, target,
                        {panel, zero, apply(d1 * lanes)}, {depth, lanes});
      };
      return loop(outer, loc, columns / lanes, carried, copyOne);
    };
    if (isTransposed)
      return loop(b, loc, shape[0], panels, copySquares);
    auto copyRow = [&](OpBuilder &outer, Value row, Value rows) {
      return loop(outer, loc, shape[0], rows,
                  [&](OpBuilder &nested, Value panel, Value carried) {
                    return copyPart(nested, loc, source,
                                    {row, columnOf(nested, panel)}, carried,
                                    {panel, row, zero}, {1, columns});
                  });
    };
    return loop(b, loc, depth, panels, copyRow);
  }
};
} // namespace

tensor::ExtractSliceOp sattn::packRightTile(RewriterBase &rewriter,
                                            linalg::MatmulOp op, Type packed,
                                            int64_t columns, int64_t lanes) {
  auto tiles = op->getParentOfType<scf::ForallOp>();
  Value right = op.getDpsInputOperand(1)->get();
  std::optional<TileWindow> window = TileWindow::find(right, tiles);
  if (!window)
    return {};
  Location loc = op.getLoc();
  window->setInsertionPoint(rewriter, op);
  Value panels = window->pack(rewriter, loc, packed, columns, lanes);
  rewriter.setInsertionPoint(op);
  readPanels(rewriter, op, panels, tensor::getMixedSizes(rewriter, loc, right),
             columns);
  return window->getRepeated(tiles);
}
