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

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  LateWait(gpu::GPUFuncOp kernel, const DenseSet<Value> &indexArrays)
      : kernel(kernel), indexArrays(indexArrays) {}

  /// Makes each role wait before it first takes from memory what the kernel
  /// before may have written.
  void create() {
    RolesOp roles;
    for (auto op : kernel.getBody().getOps<RolesOp>())
      roles = op;
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
  const DenseSet<Value> &indexArrays;

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
    // could fill the device with waiting thread blocks.
    if (allows)
      NVVM::GriddepcontrolOp::create(
          b, loc, NVVM::GridDepActionKind::launch_dependents);
  }
};

struct OverlapLaunchesPass
    : public wgtile::impl::WGTileOverlapLaunchesBase<OverlapLaunchesPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation())) {
      if (!getSchedule(kernel).programmaticLaunch.value_or(false))
        continue;
      DenseSet<Value> indexArrays = findIndexArrays(launch, kernel);
      LateWait waits(kernel, indexArrays);
      waits.create();
      launch.setProgrammatic(true);
      launch.setReadsIndicesEarly(waits.readsEarly);
    }
  }
};
} // namespace
