//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"
#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEASSIGNLAYOUTS
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Bytes of the swizzle of every shared tile, the widest there is.
static constexpr int64_t kSwizzle = 128;
static constexpr int64_t kMaxMmaColumns = 256;

namespace {
/// Chooses the layouts of one kernel.
class LayoutAssignment {
public:
  explicit LayoutAssignment(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  LogicalResult run() {
    if (failed(chooseWarps()) || failed(chooseVectorLayouts()))
      return failure();
    WalkResult walk = kernel.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (failed(assign(argument)))
              return WalkResult::interrupt();
      for (Value result : op->getResults())
        if (failed(assign(result)))
          return WalkResult::interrupt();
      assignConstant(op);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    kernel.setKnownBlockSizeAttr(DenseI32ArrayAttr::get(
        kernel.getContext(), {static_cast<int32_t>(32 * warps), 1, 1}));
    return success();
  }

private:
  gpu::GPUFuncOp kernel;
  int64_t warps = 0;
  /// Dimension of the tile (0: one value a row) that a vector runs along.
  DenseMap<Value, int64_t> vectorDimension;

  static RankedTensorType tileType(Value value) {
    return dyn_cast<RankedTensorType>(value.getType());
  }

  /// All register tiles of a kernel have the same rows, which its warps divide.
  LogicalResult chooseWarps() {
    int64_t rows = 0;
    WalkResult walk = kernel.walk([&](MmaOp op) {
      RankedTensorType type = op.getResult().getType();
      int64_t actual = type.getDimSize(0);
      if (actual % sattn::layout::kWgmmaRows != 0) {
        op.emitOpError() << "expected tile rows to be a multiple of "
                         << sattn::layout::kWgmmaRows << " (wgmma), but got "
                         << actual;
        return WalkResult::interrupt();
      }
      if (type.getDimSize(1) > kMaxMmaColumns) {
        op.emitOpError() << "expected at most " << kMaxMmaColumns
                         << " tile columns (wgmma), but got "
                         << type.getDimSize(1);
        return WalkResult::interrupt();
      }
      if (rows != 0 && rows != actual) {
        op.emitOpError() << "expected all products of a kernel to have " << rows
                         << " rows, but got " << actual;
        return WalkResult::interrupt();
      }
      rows = actual;
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    if (rows == 0) {
      // A kernel without products: its tiles say how many rows.
      kernel.walk([&](StoreOp op) {
        rows = std::max(rows, op.getTile().getType().getDimSize(0));
      });
      if (rows % 16 != 0)
        return kernel.emitOpError()
               << "expected tiles of a multiple of 16 rows, but got " << rows;
    }
    // A kernel that has nothing left to do is still launched, with one warp.
    warps = std::max<int64_t>(1, rows / 16);
    // 1024 threads are the hardware's limit.
    if (warps > 32)
      return kernel.emitOpError()
             << "expected at most 512 tile rows, but got " << rows;
    return success();
  }

  /// A vector runs along the dimension in which it is broadcast, and so do the
  /// vectors from which it is computed element by element.
  LogicalResult chooseVectorLayouts() {
    SmallVector<Value> worklist;
    auto set = [&](Value value, int64_t dimension, Operation *user) {
      auto [it, inserted] = vectorDimension.try_emplace(value, dimension);
      if (inserted)
        worklist.push_back(value);
      else if (it->second != dimension)
        return user->emitOpError(
            "expected a vector of rows or of columns, but it is used as both");
      return InFlightDiagnostic();
    };
    WalkResult walk = kernel.walk([&](BroadcastOp op) {
      return failed(LogicalResult(set(op.getSource(), op.getDimension(), op)))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (!op || !(OpTrait::hasElementwiseMappableTraits(op) ||
                   isa<ExtractColumnsOp>(op)))
        continue;
      for (Value operand : op->getOperands())
        if (tileType(operand) &&
            failed(LogicalResult(set(operand, vectorDimension[value], op))))
          return failure();
    }
    return success();
  }

  LogicalResult assign(Value value) {
    MLIRContext *context = value.getContext();
    auto emitError = [&] { return mlir::emitError(value.getLoc()); };
    if (auto shared = dyn_cast<SharedType>(value.getType())) {
      sattn::layout::SharedTile tile{shared.getRows(), shared.getColumns(),
                                     shared.getElementBytes(), kSwizzle};
      if (std::optional<std::string> reason = tile.invalidReason())
        return emitError() << "shared tile " << shared << ": " << *reason;
      value.setType(SharedType::get(context, shared.getShape(),
                                    shared.getElementType(), kSwizzle));
      return success();
    }
    RankedTensorType type = tileType(value);
    if (!type)
      return success();
    Attribute layout;
    if (type.getRank() == 2) {
      layout = MmaAttr::get(context, warps);
    } else {
      auto it = vectorDimension.find(value);
      if (it == vectorDimension.end())
        return emitError() << "expected a vector that is broadcast to a tile";
      layout = it->second == 0 ? Attribute(RowAttr::get(context, warps))
                               : Attribute(ColumnAttr::get(context, warps));
    }
    auto verifiable = cast<VerifiableTensorEncoding>(layout);
    if (failed(verifiable.verifyEncoding(type.getShape(), type.getElementType(),
                                         emitError)))
      return failure();
    value.setType(
        RankedTensorType::get(type.getShape(), type.getElementType(), layout));
    return success();
  }

  /// A constant's value has the type of its result.
  static void assignConstant(Operation *op) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!constant)
      return;
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
        dense && type)
      constant.setValueAttr(dense.reshape(type));
  }
};

struct AssignLayoutsPass
    : public wgtile::impl::WGTileAssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && failed(LayoutAssignment(kernel).run()))
        return signalPassFailure();
  }
};
} // namespace
