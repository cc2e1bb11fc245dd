//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"
#include "sattn/Support/MemRefTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUVERSIONSTRIDES
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// A transfer of rows of more than one element along the innermost dimension.
static bool hasRows(VectorTransferOpInterface op) {
  VectorType type = op.getVectorType();
  return type.getRank() > 0 && type.getShape().back() > 1 &&
         op.getPermutationMap().isMinorIdentity();
}

namespace {
/// The base of a transfer, whose innermost stride is known at run time.
struct DenseBase {
  DenseBase(OpBuilder &builder, VectorTransferOpInterface op)
      : base(op.getBase()),
        type(sattn::withUnitStride(cast<MemRefType>(base.getType()))),
        metadata(memref::ExtractStridedMetadataOp::create(builder, op.getLoc(),
                                                          base)) {
    Value one = arith::ConstantIndexOp::create(builder, op.getLoc(), 1);
    isDense =
        arith::CmpIOp::create(builder, op.getLoc(), arith::CmpIPredicate::eq,
                              metadata.getStrides().back(), one);
  }

  /// The same memory with stride 1. Not memref.cast, which canonicalization
  /// drops again.
  Value makeView(OpBuilder &builder) {
    SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides();
    strides.back() = builder.getIndexAttr(1);
    return memref::ReinterpretCastOp::create(
        builder, metadata.getLoc(), type, base,
        metadata.getConstifiedMixedOffset(), metadata.getConstifiedMixedSizes(),
        strides);
  }

  Value base;
  MemRefType type;
  memref::ExtractStridedMetadataOp metadata;
  Value isDense;
};
} // namespace

/// Writes all elements without a mask where the mask has them all: few CPUs
/// write under a mask as fast.
static void versionMask(vector::TransferWriteOp op) {
  auto mask = op.getMask() ? op.getMask().getDefiningOp<vector::CreateMaskOp>()
                           : vector::CreateMaskOp();
  if (!mask || mask.getType().getRank() != 1)
    return;
  OpBuilder builder(op);
  Value size = arith::ConstantIndexOp::create(builder, op.getLoc(),
                                              mask.getType().getDimSize(0));
  Value isFull =
      arith::CmpIOp::create(builder, op.getLoc(), arith::CmpIPredicate::sge,
                            mask.getOperand(0), size);
  scf::IfOp::create(
      builder, op.getLoc(), isFull,
      [&](OpBuilder &nested, Location loc) {
        auto write = cast<vector::TransferWriteOp>(nested.clone(*op));
        write.getMaskMutable().clear();
        scf::YieldOp::create(nested, loc);
      },
      [&](OpBuilder &nested, Location loc) {
        nested.clone(*op);
        scf::YieldOp::create(nested, loc);
      });
  op->erase();
}

static void versionStride(VectorTransferOpInterface op) {
  OpBuilder builder(op);
  DenseBase dense(builder, op);
  auto transferFrom = [&](OpBuilder &nested, Value source) {
    IRMapping mapping;
    mapping.map(dense.base, source);
    Operation *transfer = nested.clone(*op, mapping);
    scf::YieldOp::create(nested, op.getLoc(), transfer->getResults());
    auto write = dyn_cast<vector::TransferWriteOp>(transfer);
    if (write && source != dense.base)
      versionMask(write);
  };
  auto branch = scf::IfOp::create(
      builder, op.getLoc(), dense.isDense,
      [&](OpBuilder &nested, Location) {
        transferFrom(nested, dense.makeView(nested));
      },
      [&](OpBuilder &nested, Location) { transferFrom(nested, dense.base); });
  op->replaceAllUsesWith(branch.getResults());
  op->erase();
}

/// The read of a column along the counter of its loop, one element of each row
/// in an iteration, that a product takes as its left operand; null for another
/// read, and for one of known stride.
static vector::TransferReadOp findColumn(vector::ContractionOp product) {
  auto read = product.getLhs().getDefiningOp<vector::TransferReadOp>();
  auto loop = dyn_cast<scf::ForOp>(product->getParentOp());
  if (!read || !loop || read->getParentOp() != loop || read.getMask() ||
      read.getVectorType().getRank() != 2 ||
      read.getVectorType().getDimSize(1) != 1 ||
      !read.getPermutationMap().isMinorIdentity() ||
      read.getIndices().back() != loop.getInductionVar() ||
      !loop.isDefinedOutsideOfLoop(read.getBase()))
    return {};
  auto type = dyn_cast<MemRefType>(read.getBase().getType());
  return type && sattn::withUnitStride(type) ? read : nullptr;
}

/// The outermost loop around a read of `base` that carries sums in vectors
/// alone; the read's own where that changes the base.
static scf::ForOp findSum(vector::TransferReadOp read) {
  auto own = cast<scf::ForOp>(read->getParentOp());
  scf::ForOp loop = own;
  while (auto outer = dyn_cast<scf::ForOp>(loop->getParentOp())) {
    if (outer.getNumResults() == 0 ||
        !llvm::all_of(outer.getResultTypes(), llvm::IsaPred<VectorType>))
      break;
    loop = outer;
  }
  return loop.isDefinedOutsideOfLoop(read.getBase()) ? loop : own;
}

/// Versions the sum that reads `column`, so that addresses of further
/// iterations are a constant apart where the stride is 1.
static void versionSum(scf::ForOp loop, vector::TransferReadOp column) {
  Value base = column.getBase();
  OpBuilder builder(loop);
  DenseBase dense(builder, column);
  auto branch = scf::IfOp::create(
      builder, loop.getLoc(), dense.isDense,
      [&](OpBuilder &nested, Location loc) {
        Value view = dense.makeView(nested);
        auto clone = cast<scf::ForOp>(nested.clone(*loop));
        clone.walk([&](vector::TransferReadOp other) {
          if (other.getBase() == base)
            other.getBaseMutable().assign(view);
        });
        scf::YieldOp::create(nested, loc, clone.getResults());
      },
      [&](OpBuilder &nested, Location loc) {
        Operation *clone = nested.clone(*loop);
        scf::YieldOp::create(nested, loc, clone->getResults());
      });
  loop->replaceAllUsesWith(branch.getResults());
  loop->erase();
}

namespace {
struct CPUVersionStridesPass
    : public sattn::impl::SAttnCPUVersionStridesBase<CPUVersionStridesPass> {
  void runOnOperation() override {
    SmallVector<VectorTransferOpInterface> transfers;
    getOperation().walk(
        [&](VectorTransferOpInterface op) { transfers.push_back(op); });
    for (VectorTransferOpInterface op : transfers) {
      auto type = dyn_cast<MemRefType>(op.getBase().getType());
      if (!type || !hasRows(op))
        continue;
      if (sattn::withUnitStride(type))
        versionStride(op);
    }
    // One operand of a sum that has several.
    llvm::MapVector<scf::ForOp, vector::TransferReadOp> columns;
    getOperation().walk([&](vector::ContractionOp op) {
      vector::TransferReadOp read = findColumn(op);
      if (!read)
        return;
      scf::ForOp sum = findSum(read);
      bool isNested = llvm::any_of(columns, [&](const auto &other) {
        return other.first->isAncestor(sum) || sum->isAncestor(other.first);
      });
      if (!isNested)
        columns.insert({sum, read});
    });
    for (auto [sum, read] : columns)
      versionSum(sum, read);
  }
};
} // namespace
