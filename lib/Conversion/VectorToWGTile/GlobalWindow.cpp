//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalWindow.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sattn;

/// Whether an index is the size of dimension `dim` of `memref`.
static bool isSizeOf(Value index, Value memref, int64_t dim) {
  if (auto expand = memref.getDefiningOp<memref::ExpandShapeOp>())
    if (expand.getMixedOutputShape()[dim] == OpFoldResult(index))
      return true;
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    // The one dimension of the group whose size is not 1.
    SmallVector<int64_t> others;
    for (int64_t from : collapse.getReassociationIndices()[dim])
      if (collapse.getSrcType().getDimSize(from) != 1)
        others.push_back(from);
    if (others.size() == 1 && isSizeOf(index, collapse.getSrc(), others[0]))
      return true;
  }
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>())
    if (view.getMixedSizes()[dim] == OpFoldResult(index))
      return true;
  auto dimOp = index.getDefiningOp<memref::DimOp>();
  return dimOp && dimOp.getSource() == memref &&
         dimOp.getConstantIndex() == dim;
}

/// Whether `expr` of `operands` plus `offset` is the size of dimension `dim` of
/// `memref`, whatever the values.
static bool reachesEnd(AffineExpr expr, unsigned numDims, unsigned numSymbols,
                       ValueRange operands, OpFoldResult offset, Value memref,
                       int64_t dim) {
  MLIRContext *context = expr.getContext();
  // The offset joins as one more symbol (or as a constant).
  SmallVector<Value> values(operands);
  AffineExpr sum = expr;
  if (std::optional<int64_t> constant = getConstantIntValue(offset)) {
    sum = sum + *constant;
  } else {
    values.push_back(cast<Value>(offset));
    sum = sum + getAffineSymbolExpr(numSymbols++, context);
  }
  AffineMap map = AffineMap::get(numDims, numSymbols, sum);
  affine::fullyComposeAffineMapAndOperands(&map, &values);
  affine::canonicalizeMapAndOperands(&map, &values);

  // Less the size, nothing must remain.
  int64_t size = cast<MemRefType>(memref.getType()).getDimSize(dim);
  AffineExpr rest = map.getResult(0);
  auto exprOf = [&](unsigned position) {
    return position < map.getNumDims()
               ? getAffineDimExpr(position, context)
               : getAffineSymbolExpr(position - map.getNumDims(), context);
  };
  // A value may be a dimension in the size and a symbol as the offset.
  for (unsigned second = 1; second < values.size(); ++second)
    for (unsigned first = 0; first < second; ++first)
      if (values[first] == values[second])
        rest = rest.replace(exprOf(second), exprOf(first));
  if (!ShapedType::isDynamic(size)) {
    rest = rest - size;
  } else {
    for (auto [position, value] : llvm::enumerate(values)) {
      if (!isSizeOf(value, memref, dim))
        continue;
      rest = rest - exprOf(position);
      break;
    }
  }
  rest = simplifyAffineExpr(rest, map.getNumDims(), map.getNumSymbols());
  return rest == getAffineConstantExpr(0, context);
}

/// Whether a view of `size` elements from `offset` on along a dimension of
/// `memref` ends with the memref, or else holds at least `needed` elements.
static bool isClippedByMemref(OpFoldResult size, OpFoldResult offset,
                              Value memref, int64_t dim, int64_t needed) {
  auto holdsVector = [&](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant && constant.getValue() >= needed;
  };
  MLIRContext *context = memref.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant >= needed ||
           reachesEnd(getAffineConstantExpr(*constant, context), 0, 0, {},
                      offset, memref, dim);
  Value value = cast<Value>(size);
  if (auto min = value.getDefiningOp<affine::AffineMinOp>()) {
    AffineMap map = min.getMap();
    return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      return holdsVector(expr) ||
             reachesEnd(expr, map.getNumDims(), map.getNumSymbols(),
                        min.getOperands(), offset, memref, dim);
    });
  }
  return reachesEnd(getAffineSymbolExpr(0, context), 0, 1, value, offset,
                    memref, dim);
}

/// A view of a memref that ends earlier along the dimensions that have an end.
static Value createClippedView(OpBuilder &b, Location loc, Value memref,
                               ArrayRef<Value> ends) {
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memref);
  for (auto [size, end] : llvm::zip_equal(sizes, ends))
    if (end)
      size = end;
  return memref::SubViewOp::create(
      b, loc, memref,
      SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(0)), sizes,
      SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(1)));
}

FailureOr<GlobalWindow> sattn::resolveWindow(OpBuilder &b,
                                             VectorTransferOpInterface transfer,
                                             WindowUse use) {
  bool isByRegisters = use == WindowUse::Registers;
  Location loc = transfer.getLoc();
  GlobalWindow window;
  window.memref = transfer.getBase();
  llvm::append_range(window.indices, transfer.getIndices());
  // For each dimension of the memref the vector's dimension, or -1.
  SmallVector<int64_t> vectorDims(window.indices.size(), -1);
  ArrayRef<int64_t> shape = transfer.getVectorType().getShape();
  SmallVector<bool> inBounds(shape.size(), true);
  for (auto [dim, expr] :
       llvm::enumerate(transfer.getPermutationMap().getResults())) {
    auto memrefDim = dyn_cast<AffineDimExpr>(expr);
    if (!memrefDim)
      continue;
    vectorDims[memrefDim.getPosition()] = dim;
    inBounds[dim] = transfer.isDimInBounds(dim);
  }

  // Where a view ends before the memref under it.
  SmallVector<Value> ends(window.indices.size());
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  auto add = [&](Value index, OpFoldResult offset) {
    return getValueOrCreateConstantIndexOp(
        b, loc,
        affine::makeComposedFoldedAffineApply(b, loc, s0 + s1,
                                              {OpFoldResult(index), offset}));
  };
  while (Operation *op = window.memref.getDefiningOp()) {
    if (auto cast = dyn_cast<memref::CastOp>(op)) {
      window.memref = cast.getSource();
      continue;
    }
    auto view = dyn_cast<memref::SubViewOp>(op);
    if (!view)
      break;
    if (!llvm::all_of(view.getMixedStrides(), isOneInteger))
      return view.emitOpError("expected a view of stride 1");
    llvm::SmallBitVector dropped = view.getDroppedDims();
    SmallVector<Value> indices, outerEnds;
    SmallVector<int64_t> dims;
    int64_t position = 0;
    for (auto [dim, offset, size] :
         llvm::enumerate(view.getMixedOffsets(), view.getMixedSizes())) {
      if (dropped[dim]) {
        indices.push_back(getValueOrCreateConstantIndexOp(b, loc, offset));
        dims.push_back(-1);
        outerEnds.push_back(Value());
        continue;
      }
      int64_t vectorDim = vectorDims[position];
      Value index = window.indices[position], end = ends[position];
      ++position;
      dims.push_back(vectorDim);
      if (!end && vectorDim >= 0 && !inBounds[vectorDim] &&
          (!matchPattern(index, m_Zero()) ||
           !isClippedByMemref(size, offset, view.getSource(), dim,
                              shape[vectorDim]))) {
        bool isOfRows = shape.size() == 2 && vectorDim == 0;
        if (!isByRegisters && !(use == WindowUse::SharedRows && isOfRows))
          return transfer->emitOpError()
                 << "expected a view that ends with the memref under it along "
                    "dimension "
                 << dim << ", or holds the whole vector";
        end = getValueOrCreateConstantIndexOp(b, loc, size);
      }
      outerEnds.push_back(end ? add(end, offset) : Value());
      indices.push_back(add(index, offset));
    }
    window.memref = view.getSource();
    window.indices = std::move(indices);
    ends = std::move(outerEnds);
    vectorDims = std::move(dims);
  }

  // The vector's dimensions become the innermost ones, in its order: elsewhere
  // the memref is taken as transposed.
  SmallVector<unsigned> order;
  for (auto [dim, vectorDim] : llvm::enumerate(vectorDims))
    if (vectorDim < 0)
      order.push_back(dim);
  for (int64_t vectorDim = 0; vectorDim < transfer.getVectorType().getRank();
       ++vectorDim)
    if (auto *it = llvm::find(vectorDims, vectorDim); it != vectorDims.end()) {
      order.push_back(it - vectorDims.begin());
      window.inBounds.push_back(inBounds[vectorDim]);
    }
  if (isByRegisters && window.inBounds.size() == 2) {
    std::swap(*(order.end() - 1), *(order.end() - 2));
    window.isTransposed = llvm::is_sorted(order);
    std::swap(*(order.end() - 1), *(order.end() - 2));
  }
  if (!window.isTransposed && !llvm::is_sorted(order)) {
    window.memref = memref::TransposeOp::create(
        b, loc, window.memref,
        AffineMapAttr::get(
            AffineMap::getPermutationMap(order, b.getContext())));
    SmallVector<Value> indices, orderedEnds;
    for (unsigned dim : order) {
      indices.push_back(window.indices[dim]);
      orderedEnds.push_back(ends[dim]);
    }
    window.indices = std::move(indices);
    ends = std::move(orderedEnds);
  }
  if (use == WindowUse::SharedRows)
    window.rowsEnd = ends.size() < 2 ? Value() : ends[ends.size() - 2];
  else if (llvm::any_of(ends, [](Value end) { return static_cast<bool>(end); }))
    window.memref = createClippedView(b, loc, window.memref, ends);
  return window;
}
