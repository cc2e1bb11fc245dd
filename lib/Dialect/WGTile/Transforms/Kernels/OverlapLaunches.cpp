//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Programmatic dependent launch (CUDA C++ Programming Guide): a kernel starts
// while the one before it in its stream ends.

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Support/ContractAttr.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEOVERLAPLAUNCHES
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// The arguments of a kernel that are index arrays of the function around its
/// launch.
static DenseSet<Value> findIndexArrays(LaunchOp launch, gpu::GPUFuncOp kernel) {
  DenseSet<Value> result;
  auto function = launch->getParentOfType<FunctionOpInterface>();
  auto contracts =
      function->getAttrOfType<ArrayAttr>(sattn::kContractsAttrName);
  for (auto [given, taken] :
       llvm::zip_equal(launch.getArgs(), kernel.getArguments())) {
    auto argument = dyn_cast<BlockArgument>(given);
    if (argument && argument.getOwner() == &function.front() &&
        sattn::isIndexArray(contracts, argument.getArgNumber()))
      result.insert(taken);
  }
  return result;
}

/// The op itself and those in it.
template <typename F> static bool anyOf(Operation &root, F &&holds) {
  return root
      .walk([&](Operation *op) {
        return holds(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class LateWait {
public:
  LateWait(gpu::GPUFuncOp kernel, DenseSet<Value> indexArrays)
      : kernel(kernel), indexArrays(std::move(indexArrays)) {}

  /// Makes each role wait before it first takes from memory what the kernel
  /// before may have written.
  void create() {
    RolesOp roles;
    for (auto op : kernel.getBody().getOps<RolesOp>())
      roles = op;
    if (ForEachTileOp tiles = findIdleTiles(); tiles && !roles)
      return waitInBranches(tiles);
    if (!roles || getSchedule(kernel).persistent.value_or(false)) {
      wait(kernel.getBody().front(), /*allows=*/true);
      return;
    }
    for (Region &program : roles.getPrograms()) {
      Block *block = &program.front();
      if (auto tiles = dyn_cast<ForEachTileOp>(block->front()))
        block = &tiles.getBody().front();
      wait(*block, /*allows=*/program.getRegionNumber() == 0);
    }
  }

  /// Whether index arrays are read before.
  bool readsEarly = false;

private:
  gpu::GPUFuncOp kernel;
  DenseSet<Value> indexArrays;

  bool isGlobal(Value value) const {
    return isa<MemRefType, TensorMapType>(value.getType());
  }
  bool readsIndices(Operation *op) const {
    auto load = dyn_cast<memref::LoadOp>(op);
    return load && indexArrays.contains(load.getMemRef());
  }
  bool mustWait(Operation *op) const {
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return isGlobal(value); }) &&
           !isMemoryEffectFree(op) && !readsIndices(op);
  }

  /// Tiles of which many have nothing to do, if nothing else of the kernel must
  /// wait: neither another op, nor the counter or the order of the tiles.
  ForEachTileOp findIdleTiles() {
    ForEachTileOp idle;
    for (Operation &op : kernel.getBody().front()) {
      auto tiles = dyn_cast<ForEachTileOp>(op);
      if (!idle && tiles && tiles->hasAttr(sattn::kTileSkipsResultsAttrName) &&
          llvm::none_of(tiles->getOperands(),
                        [&](Value operand) { return isGlobal(operand); }))
        idle = tiles;
      else if (anyOf(op, [&](Operation *inner) {
                 return mustWait(inner) || readsIndices(inner);
               }))
        return {};
    }
    return idle;
  }

  /// Waits only in those branches of a tile that access other memory. The first
  /// CTA waits before it ends, too, since the next kernel waits for
  /// this one alone.
  void waitInBranches(ForEachTileOp tiles) {
    auto waits = [&](Operation &op) {
      return anyOf(op, [&](Operation *inner) { return mustWait(inner); });
    };
    Block &body = tiles.getBody().front();
    Operation *next = &body.front();
    for (; next != body.getTerminator(); next = next->getNextNode()) {
      readsEarly |=
          anyOf(*next, [&](Operation *inner) { return readsIndices(inner); });
      if (!waits(*next))
        continue;
      auto branch = dyn_cast<scf::IfOp>(next);
      if (!branch)
        break;
      for (Region &region : branch->getRegions())
        if (!region.empty() && llvm::any_of(region.front(), waits))
          wait(region.front(), /*allows=*/false);
    }
    if (next != body.getTerminator())
      createWait(next);
    Operation *end = kernel.getBody().front().getTerminator();
    OpBuilder b(end);
    Location loc = kernel.getLoc();
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                              gpu::BlockIdOp::create(b, loc, gpu::Dimension::x),
                              arith::ConstantIndexOp::create(b, loc, 0));
    auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
    createWait(branch.thenBlock()->getTerminator());
  }

  void createWait(Operation *before) {
    OpBuilder b(before);
    NVVM::GriddepcontrolOp::create(b, kernel.getLoc(),
                                   NVVM::GridDepActionKind::wait);
  }

  void wait(Block &block, bool allows) {
    OpBuilder b = OpBuilder::atBlockEnd(&block);
    for (Operation &op : block) {
      if (op.hasTrait<OpTrait::IsTerminator>() ||
          anyOf(op, [&](Operation *inner) { return mustWait(inner); })) {
        b.setInsertionPoint(&op);
        break;
      }
      readsEarly |=
          anyOf(op, [&](Operation *inner) { return readsIndices(inner); });
    }
    Location loc = kernel.getLoc();
    NVVM::GriddepcontrolOp::create(b, loc, NVVM::GridDepActionKind::wait);
    // A kernel that allowed the next one to start before it has waited itself
    // could fill the device with waiting CTAs.
    if (allows)
      NVVM::GriddepcontrolOp::create(
          b, loc, NVVM::GridDepActionKind::launch_dependents);
  }
};
} // namespace

/// The launches that the function around a launch makes right before it, one of
/// each kernel's specializations.
static SmallVector<LaunchOp> findFormer(LaunchOp launch) {
  Operation *position = launch;
  while (!isa<FunctionOpInterface>(position->getParentOp()))
    position = position->getParentOp();
  SmallVector<LaunchOp> former;
  while (former.empty() && (position = position->getPrevNode()))
    position->walk([&](LaunchOp version) { former.push_back(version); });
  return former;
}

/// Whether a launch shares memory of the program with those before it, which
/// run in each call, and start when everything before them has ended. They are
/// then all that may be running, and write to no index array of the program.
static bool followsWholeKernel(LaunchOp launch, ArrayRef<LaunchOp> former) {
  auto isTaken = [&](LaunchOp version) {
    return llvm::any_of(version.getArgs(), [&](Value argument) {
      return argument.getDefiningOp<memref::AllocOp>() &&
             llvm::is_contained(launch.getArgs(), argument);
    });
  };
  return !former.empty() && llvm::all_of(former, [&](LaunchOp version) {
    return !version.getProgrammatic() && !version.getPreprocess() &&
           isTaken(version);
  });
}

/// Allows the next kernel to start when all CTAs of this one have, if
/// these all run at one time: it takes the place of each that ends.
static void allowNext(gpu::GPUFuncOp kernel) {
  Block &body = kernel.getBody().front();
  if (!getSchedule(kernel).persistent.value_or(false) ||
      isa<NVVM::GriddepcontrolOp>(body.front()))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  NVVM::GriddepcontrolOp::create(b, kernel.getLoc(),
                                 NVVM::GridDepActionKind::launch_dependents);
}

namespace {
struct OverlapLaunchesPass
    : public wgtile::impl::WGTileOverlapLaunchesBase<OverlapLaunchesPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation())) {
      if (!getSchedule(kernel).programmaticLaunch.value_or(false))
        continue;
      LateWait waits(kernel, findIndexArrays(launch, kernel));
      waits.create();
      launch.setProgrammatic(true);
      SmallVector<LaunchOp> former = findFormer(launch);
      bool followsWhole = followsWholeKernel(launch, former);
      launch.setReadsIndicesEarly(waits.readsEarly && !followsWhole);
      if (!waits.readsEarly || !followsWhole)
        continue;
      for (LaunchOp version : former)
        allowNext(SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
            version, version.getKernelAttr()));
    }
  }
};
} // namespace
