//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/Transforms/ExtentConstraintOpInterfaceImpl.h"

#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"
#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sattn;

static void requireSizes(ExtentConstraints &constraints,
                         ArrayRef<OpFoldResult> sizes) {
  for (OpFoldResult size : sizes)
    constraints.requireAtLeast(constraints.getValue(size),
                               constraints.getConstant(0));
}

static void requireIndices(ExtentConstraints &constraints, Value shaped,
                           ValueRange indices) {
  for (auto [dimension, index] : llvm::enumerate(indices))
    constraints.requireInBounds(constraints.getValue(index),
                                constraints.getExtent(shaped, dimension));
}

/// Requires that the extents of the op's result agree with its type.
static void requireResultType(ExtentConstraints &constraints, Operation *op,
                              ArrayRef<AffineExpr> extents) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [size, extent] : llvm::zip_equal(type.getShape(), extents))
    if (!ShapedType::isDynamic(size))
      constraints.requireEqual(extent, constraints.getConstant(size));
}

namespace {
template <typename ModelT, typename OpT>
using Model = ExtentConstraintOpInterface::ExternalModel<ModelT, OpT>;

/// The model of `tensor.dim` and `memref.dim`.
template <typename OpT> struct DimModel : Model<DimModel<OpT>, OpT> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto dim = cast<OpT>(op);
    auto type = cast<ShapedType>(dim.getSource().getType());
    if (type.hasRank())
      constraints.requireInBounds(constraints.getValue(dim.getIndex()),
                                  constraints.getConstant(type.getRank()));
  }
};

struct EmptyModel : Model<EmptyModel, tensor::EmptyOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    requireSizes(constraints, cast<tensor::EmptyOp>(op).getMixedSizes());
  }
};

/// The model of ops with the result's dynamic sizes as operands.
template <typename OpT>
struct DynamicSizesModel : Model<DynamicSizesModel<OpT>, OpT> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto sized = cast<OpT>(op);
    auto sizes = sized.getDynamicSizes().begin();
    for (int64_t i = 0; i < sized.getType().getRank(); ++i) {
      if (!sized.getType().isDynamicDim(i))
        continue;
      AffineExpr size = constraints.getValue(*sizes++);
      constraints.requireAtLeast(size, constraints.getConstant(0));
      constraints.setExtent(sized, i, size);
    }
  }
};

/// The model of ops that require nothing.
template <typename OpT> struct AlwaysModel : Model<AlwaysModel<OpT>, OpT> {
  void constrainExtents(Operation *, ExtentConstraints &) const {}
};

struct GenerateModel : Model<GenerateModel, tensor::GenerateOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto generate = cast<tensor::GenerateOp>(op);
    for (Value size : generate.getDynamicExtents())
      requireSizes(constraints, OpFoldResult(size));
    for (auto [dimension, index] :
         llvm::enumerate(generate.getBody().getArguments()))
      constraints.setValue(index, constraints.addIndex(constraints.getExtent(
                                      generate.getResult(), dimension)));
  }
};

struct ExtractModel : Model<ExtractModel, tensor::ExtractOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto extract = cast<tensor::ExtractOp>(op);
    requireIndices(constraints, extract.getTensor(), extract.getIndices());
  }
};

struct InsertModel : Model<InsertModel, tensor::InsertOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto insert = cast<tensor::InsertOp>(op);
    requireIndices(constraints, insert.getDest(), insert.getIndices());
  }
};

/// The model of `memref.load` and `memref.store`.
template <typename OpT> struct AccessModel : Model<AccessModel<OpT>, OpT> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto access = cast<OpT>(op);
    requireIndices(constraints, access.getMemRef(), access.getIndices());
  }
};

struct CopyModel : Model<CopyModel, memref::CopyOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto copy = cast<memref::CopyOp>(op);
    auto type = cast<ShapedType>(copy.getSource().getType());
    if (!type.hasRank() ||
        !cast<ShapedType>(copy.getTarget().getType()).hasRank())
      return;
    for (int64_t i = 0; i < type.getRank(); ++i)
      constraints.requireEqual(constraints.getExtent(copy.getTarget(), i),
                               constraints.getExtent(copy.getSource(), i));
  }
};

struct PadModel : Model<PadModel, tensor::PadOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto pad = cast<tensor::PadOp>(op);
    SmallVector<OpFoldResult> low = pad.getMixedLowPad(),
                              high = pad.getMixedHighPad();
    requireSizes(constraints, low);
    requireSizes(constraints, high);
    SmallVector<AffineExpr> extents;
    for (size_t i = 0; i < low.size(); ++i)
      extents.push_back(constraints.getExtent(pad.getSource(), i) +
                        constraints.getValue(low[i]) +
                        constraints.getValue(high[i]));
    requireResultType(constraints, op, extents);
    for (auto [index, extent] :
         llvm::zip_equal(pad.getRegion().getArguments(), extents))
      constraints.setValue(index, constraints.addIndex(extent));
  }
};

struct CollapseShapeModel : Model<CollapseShapeModel, tensor::CollapseShapeOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    SmallVector<AffineExpr> extents;
    for (ArrayRef<int64_t> group : collapse.getReassociationIndices()) {
      extents.push_back(constraints.getConstant(1));
      for (int64_t dimension : group)
        extents.back() = extents.back() *
                         constraints.getExtent(collapse.getSrc(), dimension);
    }
    requireResultType(constraints, op, extents);
  }
};

struct ExpandShapeModel : Model<ExpandShapeModel, tensor::ExpandShapeOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    requireSizes(constraints, sizes);
    for (auto [dimension, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      AffineExpr product = constraints.getConstant(1);
      for (int64_t inner : group)
        product = product * constraints.getValue(sizes[inner]);
      constraints.requireEqual(
          constraints.getExtent(expand.getSrc(), dimension), product);
    }
  }
};
/// The model of divisions: one of sizes by zero would end the process. Elements
/// of tensors are data, which is the program's own affair.
template <typename OpT> struct DivisionModel : Model<DivisionModel<OpT>, OpT> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    Value divisor = op->getOperand(1);
    if (divisor.getType().isIndex() && !isConstant(divisor))
      constraints.requireAtLeast(constraints.getValue(divisor),
                                 constraints.getConstant(1));
  }

private:
  static bool isConstant(Value divisor) {
    return getConstantIntValue(divisor).value_or(0) != 0;
  }
};

/// A program's own assertions, which would otherwise end the process.
struct AssertModel : Model<AssertModel, cf::AssertOp> {
  void constrainExtents(Operation *op, ExtentConstraints &constraints) const {
    require(cast<cf::AssertOp>(op).getArg(), constraints);
  }

private:
  static void require(Value condition, ExtentConstraints &constraints) {
    if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
      require(both.getLhs(), constraints);
      return require(both.getRhs(), constraints);
    }
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    AffineExpr one = constraints.getConstant(1);
    auto expect = [&](bool isEqual, Value first, Value second, bool isStrict) {
      AffineExpr left = constraints.getValue(first),
                 right = constraints.getValue(second);
      if (isEqual)
        constraints.requireEqual(left, right);
      else
        constraints.requireAtLeast(left, isStrict ? right + one : right);
    };
    if (compare) {
      Value left = compare.getLhs(), right = compare.getRhs();
      switch (compare.getPredicate()) {
      case arith::CmpIPredicate::eq:
        return expect(true, left, right, false);
      case arith::CmpIPredicate::sge:
        return expect(false, left, right, false);
      case arith::CmpIPredicate::sgt:
        return expect(false, left, right, true);
      case arith::CmpIPredicate::sle:
        return expect(false, right, left, false);
      case arith::CmpIPredicate::slt:
        return expect(false, right, left, true);
      default:
        break;
      }
    }
    if (getConstantIntValue(condition).value_or(0) == 0)
      constraints.requireEqual(constraints.getValue(condition), one);
  }
};
} // namespace

template <typename... OpTs> static void attachDivisions(MLIRContext &context) {
  (OpTs::template attachInterface<DivisionModel<OpTs>>(context), ...);
}

void sattn::registerExtentConstraintOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::DimOp::attachInterface<DimModel<tensor::DimOp>>(*context);
    tensor::EmptyOp::attachInterface<EmptyModel>(*context);
    tensor::SplatOp::attachInterface<DynamicSizesModel<tensor::SplatOp>>(
        *context);
    tensor::FromElementsOp::attachInterface<
        AlwaysModel<tensor::FromElementsOp>>(*context);
    tensor::GenerateOp::attachInterface<GenerateModel>(*context);
    tensor::ExtractOp::attachInterface<ExtractModel>(*context);
    tensor::InsertOp::attachInterface<InsertModel>(*context);
    tensor::PadOp::attachInterface<PadModel>(*context);
    tensor::CollapseShapeOp::attachInterface<CollapseShapeModel>(*context);
    tensor::ExpandShapeOp::attachInterface<ExpandShapeModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    using namespace memref;
    DimOp::attachInterface<DimModel<DimOp>>(*context);
    AllocOp::attachInterface<DynamicSizesModel<AllocOp>>(*context);
    AllocaOp::attachInterface<DynamicSizesModel<AllocaOp>>(*context);
    DeallocOp::attachInterface<AlwaysModel<DeallocOp>>(*context);
    LoadOp::attachInterface<AccessModel<LoadOp>>(*context);
    StoreOp::attachInterface<AccessModel<StoreOp>>(*context);
    CopyOp::attachInterface<CopyModel>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachDivisions<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
                    arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemSIOp,
                    arith::RemUIOp>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, cf::ControlFlowDialect *) {
    cf::AssertOp::attachInterface<AssertModel>(*context);
  });
}
