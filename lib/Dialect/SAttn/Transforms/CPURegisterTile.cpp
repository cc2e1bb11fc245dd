//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUREGISTERTILE
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

/// Bits of the only element type that products are made of here.
static constexpr int64_t kElementBits = 32;

/// Widths of tiles are multiples of this.
static constexpr int64_t kColumnAlignment = 8;

static int64_t largestDivisor(int64_t size, int64_t limit) {
  int64_t divisor = std::max<int64_t>(1, std::min(size, limit));
  while (size % divisor != 0)
    --divisor;
  return divisor;
}

/// A divisor of `size` that is at most `limit`: the largest, or a multiple of
/// kColumnAlignment that is not much smaller, since vectors of odd lengths are
/// slow.
static int64_t chooseColumns(int64_t size, int64_t limit) {
  int64_t any = largestDivisor(size, limit);
  if (size % kColumnAlignment != 0 || limit < kColumnAlignment)
    return any;
  int64_t aligned = kColumnAlignment * largestDivisor(size / kColumnAlignment,
                                                      limit / kColumnAlignment);
  return 2 * aligned >= any ? aligned : any;
}

/// An upper bound of the size of a loop.
static FailureOr<int64_t> getLargestSize(linalg::LinalgOp op, unsigned loop) {
  SmallVector<std::pair<Value, unsigned>> operandDims;
  op.mapIterationSpaceDimToAllOperandDims(loop, operandDims);
  for (auto [operand, dim] : operandDims) {
    FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, {operand, static_cast<int64_t>(dim)},
        /*stopCondition=*/nullptr, /*closedUB=*/true);
    if (succeeded(bound))
      return bound;
  }
  return failure();
}

namespace {
struct CPURegisterTilePass
    : public sattn::impl::SAttnCPURegisterTileBase<CPURegisterTilePass> {
  using SAttnCPURegisterTileBase::SAttnCPURegisterTileBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (vectorBits < kElementBits || !llvm::isPowerOf2_64(vectorBits))
      return emitError(UnknownLoc::get(context))
             << "expected vector-bits to be a power of two of at least "
             << kElementBits << ", but got " << vectorBits.getValue();
    bool positive =
        llvm::all_of(registerTile, [](int64_t size) { return size > 0; });
    if (!registerTile.empty() && (registerTile.size() != 2 || !positive))
      return emitError(UnknownLoc::get(context))
             << "expected register-tile to be two positive sizes";
    return success();
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> rowwise;
    SmallVector<linalg::MatmulOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op->getParentOfType<scf::ForallOp>() || !op.hasPureTensorSemantics())
        return;
      if (auto product = dyn_cast<linalg::MatmulOp>(op.getOperation()))
        products.push_back(product);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::MatmulOp op : products)
      if (failed(tileProduct(rewriter, op)))
        return signalPassFailure();
    if (failed(simplify()))
      return signalPassFailure();

    // Copies that went into the loop over panels are found only now.
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op->getParentOfType<scf::ForallOp>() && op.hasPureTensorSemantics() &&
          isRowwise(op))
        rowwise.push_back(op);
    });
    for (linalg::LinalgOp op : rowwise)
      if (failed(tileRows(rewriter, op)))
        return signalPassFailure();
    if (failed(simplify()))
      return signalPassFailure();
  }

private:
  int64_t lanes() const { return vectorBits / kElementBits; }
  /// Accumulators kept in registers: half of the 32 registers of a target with
  /// 512-bit vectors, or of the 16 of others.
  int64_t accumulators() const { return vectorBits >= 512 ? 16 : 8; }
  int64_t maxColumns() const {
    return registerTile.empty() ? lanes() * (vectorBits >= 512 ? 4 : 2)
                                : registerTile[1];
  }
  int64_t maxRows(int64_t columns) const {
    return registerTile.empty()
               ? accumulators() / llvm::divideCeil(columns, lanes())
               : registerTile[0];
  }

  /// Replaces `op` by a loop nest of tiles of the given sizes (0: not tiled)
  /// and returns the op on a tile.
  FailureOr<TilingInterface> tile(RewriterBase &rewriter, TilingInterface op,
                                  ArrayRef<int64_t> sizes) {
    scf::SCFTilingOptions options;
    options.setTileSizes(getAsIndexOpFoldResult(op.getContext(), sizes));
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTilingResult> tiled =
        scf::tileUsingSCF(rewriter, op, options);
    if (failed(tiled))
      return op->emitOpError("could not be tiled to registers");
    rewriter.replaceOp(op, tiled->replacements);
    return cast<TilingInterface>(tiled->tiledOps.front());
  }

  LogicalResult tileProduct(RewriterBase &rewriter, linalg::MatmulOp op) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (!type.hasStaticShape())
      return op->emitOpError("expected tiles of static sizes, but got ")
             << type;
    int64_t columns = chooseColumns(type.getDimSize(1), maxColumns());
    int64_t rows = largestDivisor(type.getDimSize(0), maxRows(columns));
    FailureOr<TilingInterface> panel = tilePanels(rewriter, op, columns);
    if (failed(panel))
      return failure();
    FailureOr<TilingInterface> row = tile(rewriter, *panel, {rows, 0, 0});
    if (failed(row))
      return failure();
    return tile(rewriter, *row, {0, 0, 1});
  }

  /// Tiles the columns and makes each panel's copy of the right operand in the
  /// loop.
  FailureOr<TilingInterface> tilePanels(RewriterBase &rewriter,
                                        linalg::MatmulOp op, int64_t columns) {
    Value right = op.getDpsInputOperand(1)->get();
    scf::SCFTileAndFuseOptions options;
    options.tilingOptions.setTileSizes(getAsIndexOpFoldResult(
        op.getContext(), ArrayRef<int64_t>{0, columns, 0}));
    options.setFusionControlFn(
        [&](tensor::ExtractSliceOp, OpResult producer, bool)
            -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
          if (producer != right ||
              !isa<linalg::GenericOp, linalg::CopyOp>(producer.getOwner()))
            return std::nullopt;
          return scf::SCFTileAndFuseOptions::ControlFnResult{};
        });
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTileAndFuseResult> tiled =
        scf::tileConsumerAndFuseProducersUsingSCF(
            rewriter, cast<TilingInterface>(op.getOperation()), options);
    if (failed(tiled))
      return op->emitOpError("could not be tiled to panels");
    rewriter.replaceOp(op, tiled->replacements.lookup(op->getResult(0)));
    return cast<TilingInterface>(tiled->tiledAndFusedOps.front());
  }

  /// Whether rows are apart from each other: an elementwise op, or one that
  /// reduces each row.
  static bool isRowwise(linalg::LinalgOp op) {
    SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
    return !isa<linalg::MatmulOp>(op.getOperation()) && !loops.empty() &&
           llvm::all_of(ArrayRef(loops).drop_back(),
                        linalg::isParallelIterator);
  }

  LogicalResult tileRows(RewriterBase &rewriter, linalg::LinalgOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    int64_t columns = ranges.back();
    if (ShapedType::isDynamic(columns)) {
      FailureOr<int64_t> bound = getLargestSize(op, ranges.size() - 1);
      if (failed(bound))
        return op->emitOpError("expected rows of bounded length");
      columns = *bound;
    }
    // Of a clipped row the tile's own width, or less: the last vector then
    // stays within operands that are padded to that width.
    columns = llvm::alignTo(columns, kColumnAlignment);
    SmallVector<int64_t> sizes(ranges.size(), 1);
    sizes.back() = chooseColumns(columns, maxColumns());
    return tile(rewriter, cast<TilingInterface>(op.getOperation()), sizes);
  }

  LogicalResult simplify() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns =
        linalg::getLinalgTilingCanonicalizationPatterns(context);
    scf::populateSCFForLoopCanonicalizationPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
