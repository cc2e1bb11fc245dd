//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launches.h"
#include "TensorMapArguments.h"

#include "sattn/Dialect/WGTile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEVERSIONKERNELS
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Bytes to which a mappable tensor's rows are aligned.
static constexpr int64_t kAlignment = 16;

static bool isMultipleOf(Value index, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant % factor == 0;
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  return apply && apply.getAffineMap().getResult(0).isMultipleOf(factor);
}

namespace {
/// What a kernel does with an argument that is a memref.
struct Accesses {
  bool byTiles = false, byRegisters = false, isStored = false;
};

class KernelVersioning {
public:
  KernelVersioning(gpu::GPUFuncOp kernel, LaunchOp launch)
      : kernel(kernel), launch(launch) {}

  void run() {
    collectAccesses();
    OpBuilder b(launch);
    Value condition = createCondition(b);
    if (!condition)
      return;
    Location loc = launch.getLoc();
    gpu::GPUFuncOp generic = cloneKernel();
    auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/true);
    Operation *copy = b.clone(*launch);
    copy->moveBefore(branch.elseBlock()->getTerminator());
    cast<LaunchOp>(copy).setKernelAttr(
        SymbolRefAttr::get(launch.getKernel().getRootReference(),
                           {FlatSymbolRefAttr::get(generic.getNameAttr())}));
    launch->moveBefore(branch.thenBlock()->getTerminator());
    kernel->setAttr(kCopyEngineAttrName, b.getUnitAttr());
    markAligned();
  }

private:
  gpu::GPUFuncOp kernel;
  LaunchOp launch;
  llvm::MapVector<BlockArgument, Accesses> accesses;

  void collectAccesses() {
    for (BlockArgument argument : kernel.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type)
        continue;
      Accesses found;
      for (OpOperand &use : argument.getUses()) {
        Operation *user = use.getOwner();
        found.byTiles |= isa<LoadOp>(user);
        found.byTiles |= isa<StoreOp>(user) && type.getRank() >= 2 &&
                         type.getRank() <= kMaxTensorMapRank;
        found.byRegisters |= isa<ReadOp, StoreOp>(user);
        found.isStored |= isa<StoreOp>(user);
      }
      accesses[argument] = found;
    }
  }

  /// That the copy engine can take all that is loaded and stored by tiles, and
  /// that rows of what is only read by registers have no gaps. Null for a
  /// kernel that loads nothing by tiles, or from more dimensions than a tensor
  /// map has.
  Value createCondition(OpBuilder &b) {
    bool hasLoads = false;
    bool hasMaps = true;
    kernel.walk([&](LoadOp load) {
      hasLoads = true;
      auto source = dyn_cast<MemRefType>(load.getSource().getType());
      hasMaps &= !source || source.getRank() <= kMaxTensorMapRank;
    });
    if (!hasLoads || !hasMaps)
      return {};
    Location loc = launch.getLoc();
    Value condition;
    for (auto [argument, found] : accesses) {
      Value actual = launch.getArgs()[argument.getArgNumber()];
      Value term;
      if (found.byTiles) {
        term = MappableOp::create(b, loc, b.getI1Type(), actual);
        kernel.setArgAttr(argument.getArgNumber(), kMappableAttrName,
                          b.getUnitAttr());
        if (found.isStored)
          if (Value whole = createHasWholeChunks(b, loc, actual))
            term = arith::AndIOp::create(b, loc, term, whole);
      } else if (found.byRegisters) {
        term = createHasUnitStride(b, loc, actual);
      }
      if (term)
        condition =
            condition
                ? arith::AndIOp::create(b, loc, condition, term).getResult()
                : term;
    }
    return condition;
  }

  /// Whether rows are whole chunks of the copy engine, which stores no less: of
  /// others it would overwrite what follows them in memory. Null where the type
  /// says so.
  static Value createHasWholeChunks(OpBuilder &b, Location loc, Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    int64_t chunk = 8 * kAlignment / type.getElementTypeBitWidth();
    int64_t columns = type.getShape().back();
    if (!ShapedType::isDynamic(columns) && columns % chunk == 0)
      return {};
    Value size = memref::DimOp::create(b, loc, memref, type.getRank() - 1);
    Value elements = arith::ConstantIndexOp::create(b, loc, chunk);
    Value chunks = arith::FloorDivSIOp::create(b, loc, size, elements);
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq,
        arith::MulIOp::create(b, loc, chunks, elements), size);
  }

  /// Whether an element's successor in memory is the next of its row; null
  /// where the type says so.
  static Value createHasUnitStride(OpBuilder &b, Location loc, Value memref) {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (type.getRank() == 0 ||
        failed(type.getStridesAndOffset(strides, offset)) ||
        strides.back() == 1)
      return {};
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    auto compare = [&](arith::CmpIPredicate predicate, Value value,
                       int64_t number) -> Value {
      return arith::CmpIOp::create(
          b, loc, predicate, value,
          arith::ConstantIndexOp::create(b, loc, number));
    };
    return arith::OrIOp::create(
        b, loc,
        compare(arith::CmpIPredicate::eq, metadata.getStrides().back(), 1),
        compare(arith::CmpIPredicate::slt, metadata.getSizes().back(), 2));
  }

  gpu::GPUFuncOp cloneKernel() {
    OpBuilder b(kernel.getContext());
    b.setInsertionPointAfter(kernel);
    auto clone = cast<gpu::GPUFuncOp>(b.clone(*kernel));
    clone.setName((kernel.getName() + "_generic").str());
    for (unsigned i = 0; i < clone.getNumArguments(); ++i)
      clone.removeArgAttr(i, kMappableAttrName);
    return clone;
  }

  void markAligned() {
    kernel.walk([&](LoadOp load) {
      int64_t bytes = load.getTile().getType().getElementBytes();
      if (isMultipleOf(load.getIndices().back(), kAlignment / bytes))
        load.setAligned(true);
    });
    kernel.walk([&](ReadOp read) {
      auto source = dyn_cast<BlockArgument>(read.getSource());
      RankedTensorType tile = read.getTile().getType();
      int64_t bytes = tile.getElementTypeBitWidth() / 8;
      if (tile.getRank() == 2 && bytes > 0 && accesses.lookup(source).byTiles &&
          isMultipleOf(read.getIndices().back(), kAlignment / bytes))
        read.setAligned(true);
    });
    kernel.walk([&](StoreOp store) {
      auto dest = dyn_cast<BlockArgument>(store.getDest());
      RankedTensorType tile = store.getTile().getType();
      int64_t bytes = tile.getElementTypeBitWidth() / 8;
      if (tile.getRank() == 2 && bytes > 0 && accesses.lookup(dest).byTiles &&
          isMultipleOf(store.getIndices().back(), kAlignment / bytes))
        store.setAligned(true);
    });
  }
};

struct VersionKernelsPass
    : public wgtile::impl::WGTileVersionKernelsBase<VersionKernelsPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation()))
      KernelVersioning(kernel, launch).run();
  }
};
} // namespace
