//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Expressions of extents and numbers, found from where values are defined.

#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sattn;

ExtentConstraints::ExtentConstraints(func::FuncOp function)
    : function(function), context(function.getContext()) {
  auto recorded =
      function->getAttrOfType<DictionaryAttr>(kExtentChecksAttrName);
  if (recorded) {
    for (auto extent :
         recorded.getAs<ArrayAttr>("extents").getAsRange<DenseI64ArrayAttr>()) {
      AffineExpr symbol =
          addSymbol({extent[0], extent[1], Value(), /*isExtent=*/true});
      known[{function.getArgument(extent[0]), extent[1]}] = symbol;
    }
    for (auto check :
         recorded.getAs<ArrayAttr>("checks").getAsRange<DictionaryAttr>()) {
      NamedAttribute entry = *check.begin();
      checks.push_back(
          {entry.getName() == "equal",
           llvm::to_vector(
               cast<AffineMapAttr>(entry.getValue()).getValue().getResults())});
    }
  }
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<ShapedType>(argument.getType());
        type && type.hasRank())
      for (auto [dimension, size] : llvm::enumerate(type.getShape()))
        if (ShapedType::isDynamic(size) &&
            !known.contains({argument, int64_t(dimension)}))
          setExtent(argument, dimension,
                    addSymbol({argument.getArgNumber(), int64_t(dimension),
                               Value(), /*isExtent=*/true}));
}

ExtentConstraints::~ExtentConstraints() {
  for (Operation *op : llvm::reverse(reified))
    op->erase();
}

AffineExpr ExtentConstraints::getConstant(int64_t number) {
  return getAffineConstantExpr(number, context);
}

AffineExpr ExtentConstraints::addSymbol(Symbol symbol) {
  symbols.push_back(symbol);
  return getAffineSymbolExpr(symbols.size() - 1, context);
}

AffineExpr ExtentConstraints::addVariable(Variable variable) {
  variables.push_back(std::move(variable));
  return getAffineDimExpr(variables.size() - 1, context);
}

AffineExpr ExtentConstraints::addRange(AffineExpr first, AffineExpr last) {
  return addVariable({{first}, {last}, false, false, /*mayBeNone=*/true});
}

AffineExpr ExtentConstraints::addIndex(AffineExpr extent) {
  return addRange(getConstant(0), extent - 1);
}

void ExtentConstraints::setValue(Value number, AffineExpr expr) {
  known[{number, -1}] = expr;
}

void ExtentConstraints::setExtent(Value shaped, int64_t dimension,
                                  AffineExpr expr) {
  known[{shaped, dimension}] = expr;
}

void ExtentConstraints::forget(Operation *op) {
  SmallVector<std::pair<Value, int64_t>> inside;
  for (auto &entry : known)
    if (op->isAncestor(entry.first.first.getParentBlock()->getParentOp()))
      inside.push_back(entry.first);
  for (auto &key : inside)
    known.erase(key);
}

AffineExpr ExtentConstraints::choose(Value condition, AffineExpr yes,
                                     AffineExpr no) {
  if (simplify(yes - no) == getConstant(0))
    return no;
  AffineExpr &is = known[{condition, -1}];
  if (!is)
    is = addVariable({{getConstant(0)},
                      {getConstant(1)},
                      false,
                      false,
                      false,
                      /*isCondition=*/true});
  return no + is * (yes - no);
}

AffineExpr ExtentConstraints::getExtent(Value shaped, int64_t dimension) {
  auto type = cast<ShapedType>(shaped.getType());
  if (dimension < 0)
    dimension += type.getRank();
  if (!type.isDynamicDim(dimension))
    return getConstant(type.getDimSize(dimension));
  if (AffineExpr found = known.lookup({shaped, dimension}))
    return found;
  AffineExpr expr;
  if (auto result = dyn_cast<OpResult>(shaped))
    expr = computeExtent(result, dimension);
  if (!expr)
    expr = addSymbol({-1, dimension, shaped, /*isExtent=*/true});
  setExtent(shaped, dimension, expr);
  return expr;
}

AffineExpr ExtentConstraints::getValue(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return getConstant(*constant);
  auto value = cast<Value>(number);
  if (AffineExpr found = known.lookup({value, -1}))
    return found;
  AffineExpr expr;
  // Numbers of fewer bits wrap around.
  if (auto result = dyn_cast<OpResult>(value);
      result && (value.getType().isIndex() || value.getType().isInteger(64)))
    expr = computeValue(result);
  if (!expr)
    expr = addSymbol({-1, 0, value, /*isExtent=*/false});
  setValue(value, expr);
  return expr;
}

/// The value that all regions of the op yield for a result, or nothing.
static SmallVector<Value> findYielded(OpResult result) {
  SmallVector<Value> yielded;
  for (Region &region : result.getOwner()->getRegions()) {
    if (!region.hasOneBlock())
      return {};
    Operation *terminator = &region.front().back();
    if (terminator->getNumOperands() != result.getOwner()->getNumResults())
      return {};
    yielded.push_back(terminator->getOperand(result.getResultNumber()));
  }
  return yielded;
}

AffineExpr ExtentConstraints::computeExtent(OpResult shaped,
                                            int64_t dimension) {
  Operation *op = shaped.getOwner();
  auto extentOf = [&](Value other) -> AffineExpr {
    auto type = dyn_cast<ShapedType>(other.getType());
    return type && type.hasRank() &&
                   type.getRank() ==
                       cast<ShapedType>(shaped.getType()).getRank()
               ? getExtent(other, dimension)
               : AffineExpr();
  };
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return extentOf(destination.getTiedOpOperand(shaped)->get());
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    OpOperand *init = loop.getTiedLoopInit(shaped);
    return init && loop.getLoopInductionVars() ? extentOf(init->get())
                                               : AffineExpr();
  }
  if (isa<CastOpInterface>(op) && op->getNumOperands() == 1)
    return extentOf(op->getOperand(0));
  if (auto select = dyn_cast<SelectLikeOpInterface>(op);
      select && select.getCondition().getType().isInteger(1)) {
    AffineExpr yes = extentOf(select.getTrueValue()),
               no = extentOf(select.getFalseValue());
    return choose(select.getCondition(), yes, no);
  }
  if (OpTrait::hasElementwiseMappableTraits(op))
    for (Value operand : op->getOperands())
      if (AffineExpr extent = extentOf(operand))
        return extent;
  if (isa<RegionBranchOpInterface>(op)) {
    SmallVector<Value> yielded = findYielded(shaped);
    SmallVector<AffineExpr> extents = llvm::map_to_vector(yielded, extentOf);
    if (llvm::is_contained(extents, AffineExpr()))
      return {};
    if (extents.size() == 1)
      return extents.front();
    if (extents.size() == 2 && op->getNumOperands() == 1 &&
        op->getOperand(0).getType().isInteger(1))
      return choose(op->getOperand(0), extents[0], extents[1]);
    return {};
  }
  return reifyExtent(shaped, dimension);
}

AffineExpr ExtentConstraints::reifyExtent(OpResult shaped, int64_t dimension) {
  auto op = dyn_cast<ReifyRankedShapedTypeOpInterface>(shaped.getOwner());
  if (!op)
    return {};
  struct Listener : OpBuilder::Listener {
    SmallVectorImpl<Operation *> &inserted;
    explicit Listener(SmallVectorImpl<Operation *> &inserted)
        : inserted(inserted) {}
    void notifyOperationInserted(Operation *op,
                                 OpBuilder::InsertPoint) override {
      inserted.push_back(op);
    }
  } listener(reified);
  OpBuilder b(op, &listener);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(op.reifyResultShapes(b, shapes)))
    return {};
  return getValue(shapes[shaped.getResultNumber()][dimension]);
}

AffineExpr ExtentConstraints::computeValue(OpResult number) {
  Operation *op = number.getOwner();
  auto operand = [&](unsigned i) { return getValue(op->getOperand(i)); };
  auto isVariable = [](AffineExpr expr) {
    return !expr.isSymbolicOrConstant();
  };
  auto multiply = [&](AffineExpr first, AffineExpr second) {
    return isVariable(first) && isVariable(second) ? AffineExpr()
                                                   : first * second;
  };
  auto divisor = [&]() -> int64_t {
    auto constant = dyn_cast<AffineConstantExpr>(simplify(operand(1)));
    return constant && constant.getValue() > 0 ? constant.getValue() : 0;
  };
  // The unsigned operations, and those that round towards zero, are the same
  // of numbers that are not negative.
  auto isPlain = [&](unsigned i) {
    return isNonNegative(simplify(operand(i)));
  };
  auto select = [&](ArrayRef<AffineExpr> of, bool anyLower, bool anyUpper) {
    return addVariable({SmallVector<AffineExpr>(of),
                        SmallVector<AffineExpr>(of), anyLower, anyUpper});
  };
  auto applyMap = [&](AffineMap map, ValueRange operands) {
    SmallVector<AffineExpr> values, results;
    for (Value value : operands)
      values.push_back(getValue(value));
    ArrayRef<AffineExpr> all(values);
    for (AffineExpr result : map.getResults())
      results.push_back(simplify(result.replaceDimsAndSymbols(
          all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()))));
    return results;
  };
  using Expr = AffineExpr;
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](ShapedDimOpInterface dim) -> Expr {
        std::optional<int64_t> index = getConstantIntValue(dim.getDimension());
        auto type = dyn_cast<ShapedType>(dim.getShapedValue().getType());
        if (!index || !type || !type.hasRank() || *index < 0 ||
            *index >= type.getRank())
          return {};
        return getExtent(dim.getShapedValue(), *index);
      })
      .Case([&](affine::AffineApplyOp apply) -> Expr {
        return applyMap(apply.getAffineMap(), apply.getMapOperands()).front();
      })
      .Case([&](affine::AffineMinOp min) -> Expr {
        return select(applyMap(min.getAffineMap(), min.getOperands()),
                      /*anyLower=*/true, /*anyUpper=*/false);
      })
      .Case([&](affine::AffineMaxOp max) -> Expr {
        return select(applyMap(max.getAffineMap(), max.getOperands()),
                      /*anyLower=*/false, /*anyUpper=*/true);
      })
      .Case([&](arith::AddIOp) -> Expr { return operand(0) + operand(1); })
      .Case([&](arith::SubIOp) -> Expr { return operand(0) - operand(1); })
      .Case([&](arith::MulIOp) -> Expr {
        return multiply(operand(0), operand(1));
      })
      .Case([&](arith::IndexCastOp cast) -> Expr {
        Type from = cast.getIn().getType();
        if (std::optional<int64_t> constant = getConstantIntValue(cast.getIn()))
          return getConstant(*constant);
        return from.isIndex() || from.isInteger(64) ? operand(0) : Expr();
      })
      .Case([&](arith::MinSIOp) -> Expr {
        return select({operand(0), operand(1)}, true, false);
      })
      .Case([&](arith::MaxSIOp) -> Expr {
        return select({operand(0), operand(1)}, false, true);
      })
      .Case<arith::MinUIOp, arith::MaxUIOp>([&](auto) -> Expr {
        bool isMin = isa<arith::MinUIOp>(op);
        return isPlain(0) && isPlain(1)
                   ? select({operand(0), operand(1)}, isMin, !isMin)
                   : Expr();
      })
      .Case([&](arith::SelectOp choice) -> Expr {
        return choose(choice.getCondition(), getValue(choice.getTrueValue()),
                      getValue(choice.getFalseValue()));
      })
      .Case([&](arith::FloorDivSIOp) -> Expr {
        int64_t by = divisor();
        return by ? operand(0).floorDiv(by) : Expr();
      })
      .Case([&](arith::CeilDivSIOp) -> Expr {
        int64_t by = divisor();
        return by ? operand(0).ceilDiv(by) : Expr();
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) -> Expr {
        int64_t by = divisor();
        return by && isPlain(0) ? operand(0).floorDiv(by) : Expr();
      })
      .Case([&](arith::CeilDivUIOp) -> Expr {
        int64_t by = divisor();
        return by && isPlain(0) ? operand(0).ceilDiv(by) : Expr();
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) -> Expr {
        int64_t by = divisor();
        return by && isPlain(0) ? operand(0) % by : Expr();
      })
      .Default([](Operation *) { return AffineExpr(); });
}
