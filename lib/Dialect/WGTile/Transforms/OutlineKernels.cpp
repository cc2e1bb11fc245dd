//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEOUTLINEKERNELS
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

static constexpr StringLiteral kModuleName = "kernels";
/// Attributes of the loop that become those of the loop over tiles.
static constexpr StringLiteral kGroupsAttrName = "groups";
static constexpr StringLiteral kStagesAttrName = "stages";
static constexpr StringLiteral kWarpsAttrName = "warps";
static constexpr StringLiteral kColumnsAttrName = "columns";

static bool isMappedToBlocks(scf::ForallOp loop) {
  std::optional<ArrayAttr> mapping = loop.getMapping();
  return mapping && !mapping->empty() &&
         llvm::all_of(*mapping, [](Attribute attr) {
           return isa<gpu::GPUBlockMappingAttr>(attr);
         });
}

/// An op that a kernel may compute again instead of taking its result as an
/// argument.
static bool isCheap(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op))
    return false;
  return isa<memref::DimOp>(op) || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<affine::AffineDialect, arith::ArithDialect>(op->getDialect());
}

/// Adds the ops that compute `value` from the function's arguments and its
/// scratch memory, in order, and the arguments and scratch. Fails for a value
/// that a kernel cannot have.
static LogicalResult collect(Value value, func::FuncOp function,
                             SetVector<Operation *> &ops,
                             SetVector<Value> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &function.getBody().front())
      return failure();
    arguments.insert(argument);
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (isa<memref::AllocOp>(op)) {
    arguments.insert(value);
    return success();
  }
  if (ops.contains(op))
    return success();
  if (!isCheap(op))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(collect(operand, function, ops, arguments)))
      return failure();
  ops.insert(op);
  return success();
}

/// Number of iterations along each loop of the forall, computed from what
/// `mapping` has for the loop's bounds.
static SmallVector<Value> tripCounts(OpBuilder &b, scf::ForallOp loop,
                                     const IRMapping &mapping = {}) {
  Location loc = loop.getLoc();
  SmallVector<Value> counts;
  for (auto [lower, upper, step] : llvm::zip(
           loop.getLowerBound(b), loop.getUpperBound(b), loop.getStep(b))) {
    Value range = mapping.lookupOrDefault(upper);
    if (!matchPattern(lower, m_Zero()))
      range = b.createOrFold<arith::SubIOp>(loc, range,
                                            mapping.lookupOrDefault(lower));
    counts.push_back(b.createOrFold<arith::CeilDivSIOp>(
        loc, range, mapping.lookupOrDefault(step)));
  }
  return counts;
}

/// The kernel's body: the loop's body, with the loop's indices computed from
/// those of the tile.
static void buildBody(OpBuilder &b, scf::ForallOp loop, IRMapping &mapping) {
  Location loc = loop.getLoc();
  IRRewriter rewriter(b);
  auto tiles =
      ForEachTileOp::create(rewriter, loc, tripCounts(rewriter, loop, mapping));
  if (auto groups = loop->getAttrOfType<DenseI64ArrayAttr>(kGroupsAttrName))
    tiles.setGroupsAttr(groups);
  tiles.setStagesAttr(loop->getAttrOfType<IntegerAttr>(kStagesAttrName));
  tiles.setWarpsAttr(loop->getAttrOfType<IntegerAttr>(kWarpsAttrName));
  tiles.setColumnsAttr(loop->getAttrOfType<IntegerAttr>(kColumnsAttrName));
  rewriter.setInsertionPointToStart(&tiles.getBody().front());
  AffineExpr d0 = rewriter.getAffineDimExpr(0),
             s0 = rewriter.getAffineSymbolExpr(0),
             s1 = rewriter.getAffineSymbolExpr(1);
  for (auto [index, tile, lower, step] :
       llvm::zip(loop.getInductionVars(), tiles.getBody().getArguments(),
                 loop.getMixedLowerBound(), loop.getMixedStep())) {
    OpFoldResult offset = affine::makeComposedFoldedAffineApply(
        rewriter, loc, d0 * s0 + s1, {OpFoldResult(tile), step, lower});
    mapping.map(index, getValueOrCreateConstantIndexOp(rewriter, loc, offset));
  }
  for (Operation &op : loop.getBody()->without_terminator())
    rewriter.clone(op, mapping);
}

static LogicalResult outline(scf::ForallOp loop, gpu::GPUModuleOp module,
                             SymbolTable &symbols) {
  auto function = loop->getParentOfType<func::FuncOp>();
  if (loop->getNumResults() != 0)
    return loop.emitOpError("expected a loop on memrefs, but it has results");
  if (loop->getParentOp() != function)
    return loop.emitOpError("expected a loop that is not nested in another op");

  // What the loop needs: its captured values and its bounds.
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getRegion(), captured);
  captured.insert_range(loop.getDynamicLowerBound());
  captured.insert_range(loop.getDynamicUpperBound());
  captured.insert_range(loop.getDynamicStep());
  SetVector<Operation *> ops;
  SetVector<Value> arguments;
  for (Value value : captured)
    if (failed(collect(value, function, ops, arguments))) {
      InFlightDiagnostic diag = loop.emitOpError(
          "expected values computed from the function's arguments only");
      if (Operation *op = value.getDefiningOp())
        diag.attachNote(op->getLoc()) << "see this value";
      return diag;
    }
  // Arguments in their order, then scratch as it was found.
  SmallVector<Value> kernelArguments = arguments.takeVector();
  llvm::stable_sort(kernelArguments, [](Value a, Value b) {
    auto number = [](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      return argument ? argument.getArgNumber() : UINT_MAX;
    };
    return number(a) < number(b);
  });

  OpBuilder b(function.getContext());
  Location loc = loop.getLoc();
  auto kernel = gpu::GPUFuncOp::create(
      b, loc, function.getName(),
      b.getFunctionType(
          llvm::map_to_vector(kernelArguments,
                              [](Value value) { return value.getType(); }),
          {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  symbols.insert(kernel);
  b.setInsertionPointToEnd(&kernel.getBody().front());
  IRMapping mapping;
  mapping.map(kernelArguments, kernel.getArguments());
  for (Operation *op : ops)
    b.clone(*op, mapping);
  Operation *end = gpu::ReturnOp::create(b, loc);
  b.setInsertionPoint(end);
  buildBody(b, loop, mapping);

  b.setInsertionPoint(loop);
  Value grid;
  for (Value count : tripCounts(b, loop))
    grid = grid ? b.createOrFold<arith::MulIOp>(loc, grid, count) : count;
  auto kernelName = SymbolRefAttr::get(
      module.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
  LaunchOp::create(b, loc, kernelName, grid, kernelArguments);
  loop.erase();
  return success();
}

/// Results that are arguments are dropped: the host function writes in place.
static LogicalResult dropResults(func::FuncOp function) {
  auto returnOp =
      cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (Value value : returnOp.getOperands())
    if (!isa<BlockArgument>(value))
      return returnOp.emitOpError(
          "expected results that are arguments of the function, but got a "
          "value computed on the host");
  returnOp->setOperands({});
  OpBuilder b(function);
  function.setFunctionType(b.getFunctionType(function.getArgumentTypes(), {}));
  function.removeResAttrsAttr();
  return success();
}

namespace {
struct OutlineKernelsPass
    : public wgtile::impl::WGTileOutlineKernelsBase<OutlineKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<scf::ForallOp> loops;
    module.walk([&](scf::ForallOp loop) {
      if (isMappedToBlocks(loop) && loop->getParentOfType<func::FuncOp>())
        loops.push_back(loop);
    });
    if (loops.empty())
      return;

    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), kModuleName);
    SymbolTable(module).insert(kernels);
    SymbolTable symbols(kernels);
    SetVector<func::FuncOp> functions;
    for (scf::ForallOp loop : loops) {
      functions.insert(loop->getParentOfType<func::FuncOp>());
      if (failed(outline(loop, kernels, symbols)))
        return signalPassFailure();
    }
    for (func::FuncOp function : functions)
      if (failed(dropResults(function)))
        return signalPassFailure();
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    b.getUnitAttr());
  }
};
} // namespace
