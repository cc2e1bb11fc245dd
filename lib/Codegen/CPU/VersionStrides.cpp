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

static void versionStride(VectorTransferOpInterface op, MemRefType denseType) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value base = op.getBase();
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, base);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value isDense = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        metadata.getStrides().back(), one);
  auto transferFrom = [&](OpBuilder &nested, Value source) {
    IRMapping mapping;
    mapping.map(base, source);
    Operation *transfer = nested.clone(*op, mapping);
    scf::YieldOp::create(nested, loc, transfer->getResults());
  };
  auto branch = scf::IfOp::create(
      builder, loc, isDense,
      [&](OpBuilder &nested, Location) {
        // Not memref.cast, which canonicalization drops again.
        SmallVector<OpFoldResult> strides =
            metadata.getConstifiedMixedStrides();
        strides.back() = nested.getIndexAttr(1);
        Value dense = memref::ReinterpretCastOp::create(
            nested, loc, denseType, base, metadata.getConstifiedMixedOffset(),
            metadata.getConstifiedMixedSizes(), strides);
        transferFrom(nested, dense);
      },
      [&](OpBuilder &nested, Location) { transferFrom(nested, base); });
  op->replaceAllUsesWith(branch.getResults());
  op->erase();
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
      if (MemRefType denseType = sattn::withUnitStride(type))
        versionStride(op, denseType);
    }
  }
};
} // namespace
