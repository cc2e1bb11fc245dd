//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scan.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

std::optional<arith::AtomicRMWKind>
sattn::convertKind(vector::CombiningKind kind, Type element) {
  if (element.isSignlessInteger(32) || element.isSignlessInteger(64))
    switch (kind) {
    case vector::CombiningKind::ADD:
      return arith::AtomicRMWKind::addi;
    case vector::CombiningKind::MINSI:
      return arith::AtomicRMWKind::mins;
    case vector::CombiningKind::MAXSI:
      return arith::AtomicRMWKind::maxs;
    default:
      return std::nullopt;
    }
  if (!element.isF32())
    return std::nullopt;
  switch (kind) {
  case vector::CombiningKind::ADD:
    return arith::AtomicRMWKind::addf;
  case vector::CombiningKind::MAXIMUMF:
    return arith::AtomicRMWKind::maximumf;
  case vector::CombiningKind::MAXNUMF:
    return arith::AtomicRMWKind::maxnumf;
  case vector::CombiningKind::MINIMUMF:
    return arith::AtomicRMWKind::minimumf;
  case vector::CombiningKind::MINNUMF:
    return arith::AtomicRMWKind::minnumf;
  default:
    return std::nullopt;
  }
}

/// The number that a vector without dimensions has, or null.
static Value getNumber(OpBuilder &b, Value vector) {
  if (auto broadcast = vector.getDefiningOp<vector::BroadcastOp>())
    return isa<VectorType>(broadcast.getSourceType()) ? Value()
                                                      : broadcast.getSource();
  DenseElementsAttr constant;
  if (!matchPattern(vector, m_Constant(&constant)))
    return Value();
  return arith::ConstantOp::create(b, vector.getLoc(),
                                   constant.getSplatValue<TypedAttr>());
}

LogicalResult sattn::convertScan(vector::ScanOp op) {
  OpBuilder b(op);
  auto flat = op.getSource().getDefiningOp<vector::ShapeCastOp>();
  SmallVector<vector::ShapeCastOp> users;
  for (Operation *user : op.getDest().getUsers())
    if (auto cast = dyn_cast<vector::ShapeCastOp>(user))
      users.push_back(cast);
  VectorType type = flat ? flat.getSourceVectorType() : VectorType();
  std::optional<arith::AtomicRMWKind> kind;
  if (type)
    kind = convertKind(op.getKind(), type.getElementType());
  if (!kind || type.getRank() != 2 || op.getSourceType().getRank() != 1 ||
      op.getInclusive() || !op.getAccumulatedValue().use_empty() ||
      !op.getDest().hasNUses(users.size()) ||
      !llvm::all_of(users, [&](vector::ShapeCastOp cast) {
        return cast.getResultVectorType() == type;
      }))
    return op.emitOpError("expected a scan of all elements of a tile, without "
                          "the last one and its accumulated value");
  Value initial = getNumber(b, op.getInitialValue());
  if (!initial)
    return op.emitOpError("expected a number as the initial value");
  auto tensorType =
      RankedTensorType::get(type.getShape(), type.getElementType());
  Value tile = UnrealizedConversionCastOp::create(b, op.getLoc(), tensorType,
                                                  flat.getSource())
                   .getResult(0);
  Value scan = wgtile::TileScanOp::create(b, op.getLoc(), tensorType, *kind,
                                          tile, initial);
  Value result = UnrealizedConversionCastOp::create(b, op.getLoc(), type, scan)
                     .getResult(0);
  Operation *start = op.getInitialValue().getDefiningOp();
  for (vector::ShapeCastOp user : users) {
    user.replaceAllUsesWith(result);
    user.erase();
  }
  op.erase();
  for (Operation *producer : {start, flat.getOperation()})
    if (producer && isOpTriviallyDead(producer))
      producer->erase();
  return success();
}
