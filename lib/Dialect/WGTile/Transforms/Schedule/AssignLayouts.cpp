//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/PackedRows.h"
#include "sattn/Dialect/WGTile/Utils/Resources.h"
#include "sattn/Layout/Fragment.h"
#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WarpDivision.h"
#include "sattn/Layout/WgmmaDescriptor.h"
#include "sattn/Resources/Mma.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEASSIGNLAYOUTS
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Bits that one access of a thread moves, at most.
static constexpr int64_t kAccessBits = 128;
/// Rows of a fragment.
static constexpr int64_t kFragmentRows = sattn::layout::kWarpRows;
using sattn::kMaxWarpsPerCTA;

namespace {
/// Chooses the layouts of one kernel.
class LayoutAssignment {
public:
  LayoutAssignment(gpu::GPUFuncOp kernel, bool hasWgmma)
      : kernel(kernel), hasWgmma(hasWgmma) {}

  LogicalResult run() {
    separateConstants();
    separateVectors();
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
  bool hasWgmma;
  /// Whether the kernel has MMAs, all by wgmma.
  bool usesWgmma = false;
  /// Parameters of every layout of the kernel.
  int64_t warps = 0, columnWarps = 1, runColumns = 2;
  /// Dimension of the tile (0: one value a row) that a vector runs along.
  DenseMap<Value, int64_t> vectorDimension;

  static RankedTensorType tileType(Value value) {
    return dyn_cast<RankedTensorType>(value.getType());
  }

  /// Gives each use of a constant vector, or of indices along one dimension,
  /// its own copy: rows and columns may share one.
  void separateConstants() {
    SmallVector<Operation *> constants;
    kernel.walk([&](Operation *op) {
      if (isa<arith::ConstantOp, tensor::SplatOp, StepOp>(op) &&
          isa<RankedTensorType>(op->getResult(0).getType()))
        constants.push_back(op);
    });
    for (Operation *op : constants) {
      if (op->use_empty())
        continue;
      for (OpOperand &use :
           llvm::make_early_inc_range(llvm::drop_begin(op->getUses()))) {
        OpBuilder b(op);
        use.set(b.clone(*op)->getResult(0));
      }
    }
  }

  static bool isComputedVector(Value value) {
    Operation *op = value.getDefiningOp();
    RankedTensorType type = tileType(value);
    return op && type && type.getRank() == 1 && op->getNumOperands() > 0 &&
           (OpTrait::hasElementwiseMappableTraits(op) || isa<GatherOp>(op));
  }

  /// Separates vectors of rows from vectors of columns: a sum that both use is
  /// computed for each.
  void separateVectors() {
    DenseSet<Value> ofRows;
    SmallVector<Value> pending;
    SmallVector<BroadcastOp> columns;
    kernel.walk([&](Operation *op) {
      if (auto broadcast = dyn_cast<BroadcastOp>(op);
          broadcast && broadcast.getDimension() == 1)
        return columns.push_back(broadcast);
      if (op->getNumResults() != 1 || !isComputedVector(op->getResult(0)))
        llvm::append_range(pending, op->getOperands());
    });
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (isComputedVector(value) && ofRows.insert(value).second)
        llvm::append_range(pending, value.getDefiningOp()->getOperands());
    }
    DenseMap<Value, Value> copies;
    for (BroadcastOp broadcast : columns)
      separateVector(broadcast.getSourceMutable(), ofRows, copies);
    if (!copies.empty())
      separateConstants();
  }

  void separateVector(OpOperand &use, const DenseSet<Value> &ofRows,
                      DenseMap<Value, Value> &copies) {
    Value value = use.get();
    if (!isComputedVector(value))
      return;
    if (Value known = copies.lookup(value))
      return use.set(known);
    Operation *op = value.getDefiningOp();
    if (ofRows.contains(value))
      op = OpBuilder(op).clone(*op);
    copies[value] = op->getResult(0);
    use.set(op->getResult(0));
    for (OpOperand &operand : op->getOpOperands())
      separateVector(operand, ofRows, copies);
  }

  /// Whether a warp shares its rows with no other: an MMA takes registers, rows
  /// are reduced, or tiles scanned.
  bool ownsRows() {
    WalkResult walk = kernel.walk([](Operation *op) {
      auto mma = dyn_cast<MmaOp>(op);
      bool takesRegisters = mma && !isa<SharedType>(mma.getA().getType());
      return takesRegisters || isa<RowReduceOp, TileScanOp>(op)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return walk.wasInterrupted();
  }

  /// The swizzle of an operand that wgmma takes: 8-bit elements are K-major
  /// there, and the major of others makes no difference.
  static int64_t swizzleOf(SharedType type) {
    return sattn::layout::wgmmaSwizzle(type.getRows(), type.getColumns(),
                                       type.getElementBytes(),
                                       sattn::layout::Major::K);
  }

  /// Whether the operands of an MMA in shared memory, which wgmma takes, are
  /// whole rows of its swizzle.
  static bool hasWholeRows(MmaOp op) {
    auto isWhole = [](Type type) {
      auto tile = dyn_cast<SharedType>(type);
      return !tile || sattn::resources::hasWholeRows(
                          {tile.getRows(), tile.getColumns(),
                           tile.getElementBytes(), sattn::layout::Major::K});
    };
    return isWhole(op.getA().getType()) && isWhole(op.getB().getType());
  }

  /// Chooses the warps of a kernel: all register tiles have the same rows,
  /// which its warps divide, and one kind of MMA.
  LogicalResult chooseWarps() {
    int64_t rows = 0;
    bool useWgmma = hasWgmma, warpsOwnRows = ownsRows();
    SmallVector<MmaOp> products;
    kernel.walk([&](MmaOp op) { products.push_back(op); });
    for (MmaOp op : products) {
      int64_t actual = op.getResult().getType().getDimSize(0);
      if (rows != 0 && rows != actual)
        return op.emitOpError() << "expected all products of a kernel to have "
                                << rows << " rows, but got " << actual;
      rows = actual;
      // Where its warps may divide the columns, mma.sync loads narrower rows
      // without padding.
      useWgmma &= !op.getIeee() && ResourceModel::fitsWgmma(op) &&
                  (hasWholeRows(op) || warpsOwnRows);
    }
    if (!products.empty() && !useWgmma) {
      for (MmaOp op : products)
        op.setMmaSync(true);
      return divideTile(rows);
    }
    usesWgmma = !products.empty();
    if (products.empty()) {
      // A kernel without MMAs: its tiles give the number of rows.
      kernel.walk([&](Operation *op) {
        if (isa<ScatterOp, StoreOp>(op))
          rows = std::max(rows, tileType(op->getOperand(0)).getDimSize(0));
      });
    }
    // A kernel that has nothing left to do is still launched, with one warp.
    warps = std::max<int64_t>(1, llvm::divideCeil(rows, kFragmentRows));
    if (products.empty()) {
      divideColumns();
      runColumns = chooseRun();
    }
    if (warps > kMaxWarpsPerCTA)
      return kernel.emitOpError()
             << "expected at most " << kMaxWarpsPerCTA * kFragmentRows
             << " tile rows, but got " << rows;
    return success();
  }

  /// Divides columns among as many warps as the hint says, where no MMA
  /// decides: a thread has at least two neighbors of a row. Tiles that are cut,
  /// and vectors of rows that are reduced, stay those of one warp along the
  /// columns.
  void divideColumns() {
    int64_t divisor = 0;
    bool isWhole = !ownsRows();
    kernel.walk([&](Operation *op) {
      auto reduce = dyn_cast<TileReduceOp>(op);
      isWhole &= !isa<ExtractColumnsOp>(op) &&
                 !(reduce && reduce.getTile().getType().getRank() == 1);
      for (Value result : op->getResults())
        if (RankedTensorType type = tileType(result);
            type && type.getRank() == 2)
          divisor = std::gcd(divisor, type.getDimSize(1));
    });
    if (!isWhole || divisor == 0)
      return;
    int64_t hint = std::min(getSchedule(kernel).warps.value_or(1),
                            sattn::layout::kMostMmaWarps);
    columnWarps = std::max<int64_t>(
        1, llvm::bit_floor(static_cast<uint64_t>(hint / warps)));
    while (columnWarps > 1 && divisor % (8 * columnWarps) != 0)
      columnWarps /= 2;
    warps *= columnWarps;
  }

  /// The neighboring columns that a thread has, where no MMA says: 16 bytes of
  /// what is read and written at once, as far as all tiles' columns allow.
  int64_t chooseRun() {
    int64_t columns = 0, wanted = 0;
    auto isAccessedAtOnce = [](auto op) {
      return op.getAligned() && !op.getTransposed() &&
             op.getTile().getType().getRank() == 2;
    };
    bool isSliced = false;
    kernel.walk([&](Operation *op) {
      isSliced |= isa<ExtractColumnsOp>(op);
      for (Value value :
           llvm::concat<Value>(op->getOperands(), op->getResults()))
        if (RankedTensorType type = tileType(value);
            type && type.getRank() == 2)
          columns = std::gcd(columns, type.getDimSize(1));
      RankedTensorType type;
      if (auto read = dyn_cast<ReadOp>(op); read && isAccessedAtOnce(read))
        type = read.getTile().getType();
      if (auto store = dyn_cast<StoreOp>(op); store && isAccessedAtOnce(store))
        type = store.getTile().getType();
      if (type)
        wanted = std::max<int64_t>(wanted,
                                   kAccessBits / type.getElementTypeBitWidth());
    });
    int64_t chosen = sattn::layout::kMostRun;
    while (chosen > 2 && (isSliced || chosen > wanted ||
                          columns % (4 * chosen * columnWarps) != 0))
      chosen /= 2;
    return chosen;
  }

  /// Number of consumer groups of a CTA (wgtile-specialize).
  int64_t countGroups() {
    int64_t groups = 1;
    if (!hasWgmma)
      return groups;
    kernel.walk([&](ForEachTileOp loop) {
      groups = std::max(groups, loop.getGroupSize());
    });
    return groups;
  }

  /// The number of warps nearest to a hint that has registers for a tile's
  /// accumulator, and is no more than a kernel gets without a hint. The hint is
  /// for all consumer groups together.
  int64_t clampWarps(int64_t hint, int64_t elements) {
    int64_t groups = countGroups();
    int64_t most = std::max<int64_t>(1, sattn::layout::kMostMmaWarps / groups);
    int64_t least =
        llvm::divideCeil(elements, 32 * sattn::layout::kMmaAccumulators);
    return std::clamp(hint / groups, std::min(least, most), most);
  }

  /// Divides tiles among warps that multiply by themselves. Each loads the rows
  /// of a and the columns of b that it needs.
  LogicalResult divideTile(int64_t rows) {
    int64_t fragments = llvm::divideCeil(rows, kFragmentRows);
    int64_t columns = 0, divisor = 0;
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (RankedTensorType type = tileType(result);
            type && type.getRank() == 2) {
          columns = std::max(columns, type.getDimSize(1));
          divisor = std::gcd(divisor, type.getDimSize(1));
        }
    });
    int64_t wanted = sattn::layout::getMmaWarps(rows, columns);
    if (int64_t groups = countGroups(); groups > 1)
      wanted = std::max<int64_t>(1, sattn::layout::kMostMmaWarps / groups);
    std::optional<int64_t> hint = getSchedule(kernel).warps;
    if (hint)
      wanted = clampWarps(*hint, fragments * kFragmentRows * columns);
    // As many warps as the rows fill.
    if (ownsRows()) {
      warps = std::min(
          {fragments, kMaxWarpsPerCTA, hint.value_or(kMaxWarpsPerCTA)});
      while (fragments % warps != 0)
        --warps;
      return success();
    }
    std::optional<sattn::layout::WarpDivision> division =
        sattn::layout::divideAmongWarps(rows, columns, divisor, wanted);
    if (!division)
      return kernel.emitOpError() << "expected tiles of a multiple of 8 "
                                     "columns, but got tiles that share only "
                                  << divisor;
    warps = division->warps();
    columnWarps = division->columnWarps;
    return success();
  }

  /// Finds values that must have one layout: those of an elementwise op, a
  /// gather or a scatter, and those that a loop or a branch forwards.
  llvm::EquivalenceClasses<Value> findTies() {
    llvm::EquivalenceClasses<Value> ties;
    auto tie = [&](Value first, Value second) {
      if (tileType(first) && tileType(second))
        ties.unionSets(first, second);
    };
    kernel.walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        for (auto [init, argument, yielded, result] :
             llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                             loop.getYieldedValues(), loop.getResults())) {
          tie(init, argument);
          tie(yielded, result);
          tie(argument, result);
        }
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        for (Region *region : branch.getRegions())
          if (!region->empty())
            for (auto [yielded, result] :
                 llvm::zip_equal(region->front().getTerminator()->getOperands(),
                                 branch.getResults()))
              tie(yielded, result);
      } else if (OpTrait::hasElementwiseMappableTraits(op) ||
                 isa<ExtractColumnsOp, GatherOp>(op)) {
        for (Value operand : op->getOperands())
          tie(operand, op->getResult(0));
      } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
        for (Value operand : op->getOperands())
          tie(operand, scatter.getTile());
      }
    });
    return ties;
  }

  /// Chooses layouts of vectors. A vector runs along the dimension in which it
  /// is broadcast, or along the rows that were reduced, and so do the vectors
  /// that are tied to it. One that is only stored runs along the rows.
  LogicalResult chooseVectorLayouts() {
    llvm::EquivalenceClasses<Value> ties = findTies();
    DenseMap<Value, int64_t> dimensionOf;
    auto set = [&](Value value, int64_t dimension, Operation *op) {
      Value leader = ties.getOrInsertLeaderValue(value);
      auto it = dimensionOf.try_emplace(leader, dimension).first;
      if (it->second == dimension)
        return WalkResult::advance();
      op->emitOpError(
          "expected a vector of rows or of columns, but it is used as both");
      return WalkResult::interrupt();
    };
    WalkResult walk = kernel.walk([&](Operation *op) {
      if (auto broadcast = dyn_cast<BroadcastOp>(op))
        return set(broadcast.getSource(), broadcast.getDimension(), op);
      if (auto ramp = dyn_cast<RampOp>(op))
        return set(ramp.getStart(), 0, op);
      if (auto reduce = dyn_cast<RowReduceOp>(op))
        return set(reduce.getResult(), 0, op);
      if (auto reduce = dyn_cast<TileReduceOp>(op);
          reduce && reduce.getTile().getType().getRank() == 1)
        return set(reduce.getTile(), 0, op);
      return WalkResult::advance();
    });
    kernel.walk([&](Operation *op) {
      if (isa<ScatterOp, StoreOp>(op) &&
          tileType(op->getOperand(0)).getRank() == 1)
        dimensionOf.try_emplace(ties.getOrInsertLeaderValue(op->getOperand(0)),
                                0);
    });
    for (auto &entry : ties)
      if (entry->isLeader())
        if (auto it = dimensionOf.find(entry->getData());
            it != dimensionOf.end())
          for (auto member = ties.member_begin(*entry);
               member != ties.member_end(); ++member)
            vectorDimension[*member] = it->second;
    return failure(walk.wasInterrupted());
  }

  /// Whether TMA loads a tile by longer rows than the tile's.
  bool isPacked(Value tile) {
    auto load = tile.getDefiningOp<LoadOp>();
    auto source = load ? dyn_cast<BlockArgument>(load.getSource()) : nullptr;
    return source && !usesWgmma &&
           source.getOwner() == &kernel.getBody().front() &&
           kernel.getArgAttr(source.getArgNumber(), kDenseRowsAttrName) &&
           mayPackRows(load);
  }

  /// The swizzle of a tile: wgmma takes operands in its own, of which the last
  /// row may be used in part; everything else takes the widest that divides its
  /// rows.
  int64_t chooseSwizzle(SharedType type) const {
    if (int64_t swizzle = usesWgmma ? swizzleOf(type) : 0)
      return swizzle;
    return sattn::layout::SharedTile::widestSwizzle(type.getTile().cols,
                                                    type.getElementBytes());
  }

  LogicalResult assign(Value value) {
    MLIRContext *context = value.getContext();
    auto emitError = [&] { return mlir::emitError(value.getLoc()); };
    if (auto shared = dyn_cast<SharedType>(value.getType())) {
      if (isPacked(value)) {
        value.setType(SharedType::get(context, shared.getShape(),
                                      shared.getElementType(), kPackedSwizzle,
                                      /*packed=*/true));
        return success();
      }
      sattn::layout::SharedTile tile = shared.getTile();
      tile.swizzle = chooseSwizzle(shared);
      tile.cols = llvm::alignTo(tile.cols, tile.boxColumns());
      if (std::optional<std::string> reason = tile.invalidReason())
        return emitError() << "shared tile " << shared << ": " << *reason;
      value.setType(SharedType::get(context, shared.getShape(),
                                    shared.getElementType(), tile.swizzle));
      return success();
    }
    RankedTensorType type = tileType(value);
    if (!type)
      return success();
    auto mma = MmaAttr::get(context, warps, columnWarps, runColumns);
    Attribute layout = mma;
    if (type.getRank() == 1) {
      auto it = vectorDimension.find(value);
      if (it == vectorDimension.end())
        return emitError()
               << "expected a vector that is broadcast to a tile or "
                  "that reduces one";
      layout = SliceAttr::get(/*dim=*/1 - it->second, mma);
    }
    auto verifiable = cast<VerifiableTensorEncoding>(layout);
    if (failed(verifiable.verifyEncoding(type.getShape(), type.getElementType(),
                                         emitError)))
      return failure();
    value.setType(
        RankedTensorType::get(type.getShape(), type.getElementType(), layout));
    return success();
  }

  /// Gives a constant's value the type of its result.
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
    : wgtile::impl::WGTileAssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    FailureOr<ResourceModel> resources = ResourceModel::get(getOperation());
    if (failed(resources))
      return signalPassFailure();
    bool hasWgmma = resources->getChip().hasWgmma;
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() &&
          failed(LayoutAssignment(kernel,
                                  hasWgmma && kernel->hasAttr(kTMAAttrName))
                     .run()))
        return signalPassFailure();
  }
};
} // namespace
