//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEOUTLINEKERNELS
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

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
  return isa<memref::DimOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
             op) ||
         op->hasTrait<OpTrait::ConstantLike>() ||
         isa<affine::AffineDialect, arith::ArithDialect>(op->getDialect());
}

/// Whether the loop reads or writes vectors of a memref.
static bool hasTransfers(Value memref, scf::ForallOp loop) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(user))
      return hasTransfers(user->getResult(0), loop);
    return loop->isProperAncestor(user) &&
           (isa<VectorTransferOpInterface>(user) ||
            (isa<memref::SubViewOp>(user) &&
             hasTransfers(user->getResult(0), loop)));
  });
}

/// The allocation of scratch memory that a kernel needs with its sizes, or
/// null.
static memref::AllocOp getSizedScratch(Value value, scf::ForallOp loop) {
  auto alloc = value.getDefiningOp<memref::AllocOp>();
  return alloc && !alloc.getDynamicSizes().empty() && hasTransfers(value, loop)
             ? alloc
             : memref::AllocOp();
}

/// Adds the ops that compute `value` from the function's arguments and its
/// scratch memory, in order, and the arguments and scratch. Fails for a value
/// that a kernel cannot have.
static LogicalResult collect(Value value, scf::ForallOp loop,
                             SetVector<Operation *> &ops,
                             SetVector<Value> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop->getBlock())
      return failure();
    arguments.insert(argument);
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (isa<memref::AllocOp>(op)) {
    arguments.insert(value);
    if (memref::AllocOp alloc = getSizedScratch(value, loop))
      for (Value size : alloc.getDynamicSizes())
        if (failed(collect(size, loop, ops, arguments)))
          return failure();
    return success();
  }
  if (ops.contains(op))
    return success();
  if (!isCheap(op))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(collect(operand, loop, ops, arguments)))
      return failure();
  ops.insert(op);
  return success();
}

/// Scratch memory in a kernel, with the sizes that were computed for it, since
/// windows are compared with these.
static Value createSizedView(OpBuilder &b, memref::AllocOp alloc,
                             const IRMapping &mapping) {
  SmallVector<OpFoldResult> sizes;
  for (OpFoldResult size : alloc.getMixedSizes())
    sizes.push_back(isa<Value>(size)
                        ? OpFoldResult(mapping.lookup(cast<Value>(size)))
                        : size);
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  for (int64_t dim = static_cast<int64_t>(sizes.size()) - 2; dim >= 0; --dim)
    strides[dim] = affine::makeComposedFoldedAffineApply(
        b, alloc.getLoc(), s0 * s1, {strides[dim + 1], sizes[dim + 1]});
  return memref::ReinterpretCastOp::create(b, alloc.getLoc(), alloc.getType(),
                                           mapping.lookup(alloc.getResult()),
                                           b.getIndexAttr(0), sizes, strides);
}

/// Number of iterations along each loop of the forall, computed from the loop's
/// bounds under `mapping`.
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

/// A loop's hints, and the fields of the schedule that they begin.
static constexpr std::pair<StringLiteral, std::optional<int64_t> Schedule::*>
    kHints[] = {
        {sattn::kTileStagesAttrName, &Schedule::stages},
        {sattn::kTileWarpsAttrName, &Schedule::warps},
        {sattn::kTileRasterGroupAttrName, &Schedule::rasterGroup},
        {sattn::kTileSplitKAttrName, &Schedule::splitK},
};

/// The schedule that a loop's hints begin.
static LogicalResult beginSchedule(scf::ForallOp loop, Operation *kernel) {
  Schedule schedule;
  for (auto [name, field] : kHints)
    if (auto hint = loop->getAttrOfType<IntegerAttr>(name))
      schedule.*field = hint.getInt();
  if (schedule == Schedule())
    return success();
  auto emitError = [&] { return loop.emitOpError(); };
  if (failed(ScheduleAttr::verify(emitError, schedule)))
    return failure();
  setSchedule(kernel, schedule);
  return success();
}

/// Whether the kernel or the launch has what this attribute of a loop says.
static bool isHint(StringRef name) {
  return name == sattn::kTuningAttrName ||
         llvm::is_contained(llvm::make_first_range(kHints), name);
}

/// Builds the kernel's body: the loop's body, with the loop's indices computed
/// from those of the tile.
static void buildBody(OpBuilder &b, scf::ForallOp loop, IRMapping &mapping) {
  Location loc = loop.getLoc();
  IRRewriter rewriter(b);
  auto tiles =
      ForEachTileOp::create(rewriter, loc, tripCounts(rewriter, loop, mapping));
  // Discardable attributes of the loop stay on it, but for those that become
  // attributes of the loop over tiles or of the launch.
  for (NamedAttribute attr : loop->getDiscardableAttrs()) {
    StringRef name = attr.getName();
    if (name == sattn::kTileConsumerGroupsAttrName)
      tiles.setConsumerGroupsAttr(dyn_cast<DenseI64ArrayAttr>(attr.getValue()));
    else if (attr.getNameDialect() && !isHint(name))
      tiles->setDiscardableAttr(attr.getName(), attr.getValue());
  }
  rewriter.setInsertionPointToStart(&tiles.getBody().front());
  AffineExpr d0 = rewriter.getAffineDimExpr(0),
             s0 = rewriter.getAffineSymbolExpr(0),
             s1 = rewriter.getAffineSymbolExpr(1);
  auto inKernel = [&](OpFoldResult bound) -> OpFoldResult {
    if (auto value = dyn_cast<Value>(bound))
      return mapping.lookup(value);
    return bound;
  };
  for (auto [index, tile, lower, step] :
       llvm::zip(loop.getInductionVars(), tiles.getBody().getArguments(),
                 loop.getMixedLowerBound(), loop.getMixedStep())) {
    OpFoldResult offset = affine::makeComposedFoldedAffineApply(
        rewriter, loc, d0 * s0 + s1,
        {OpFoldResult(tile), inKernel(step), inKernel(lower)});
    mapping.map(index, getValueOrCreateConstantIndexOp(rewriter, loc, offset));
  }
  for (Operation &op : loop.getBody()->without_terminator())
    rewriter.clone(op, mapping);
}

/// Replaces views of an argument that is cast to another type by views of the
/// argument if they have the same type: kernels have no casts.
static void viewArguments(scf::ForallOp loop) {
  loop.walk([](memref::SubViewOp view) {
    auto cast = view.getSource().getDefiningOp<memref::CastOp>();
    auto source =
        cast ? dyn_cast<MemRefType>(cast.getSource().getType()) : MemRefType();
    if (source && memref::SubViewOp::inferResultType(
                      source, view.getMixedOffsets(), view.getMixedSizes(),
                      view.getMixedStrides()) == view.getType())
      view.getSourceMutable().assign(cast.getSource());
  });
}

static LogicalResult outline(scf::ForallOp loop, gpu::GPUModuleOp module,
                             SymbolTable &symbols) {
  auto function = loop->getParentOfType<func::FuncOp>();
  viewArguments(loop);
  if (loop->getNumResults() != 0)
    return loop.emitOpError("expected a loop on memrefs, but it has results");
  if (loop->getParentOp() != function)
    return loop.emitOpError("expected a loop that is not nested in another op");

  // The values that the loop needs: captured ones and its bounds.
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getRegion(), captured);
  captured.insert_range(loop.getDynamicLowerBound());
  captured.insert_range(loop.getDynamicUpperBound());
  captured.insert_range(loop.getDynamicStep());
  SetVector<Operation *> ops;
  SetVector<Value> arguments;
  for (Value value : captured)
    if (failed(collect(value, loop, ops, arguments))) {
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
      b, loc, getKernelName(function.getName()),
      b.getFunctionType(
          llvm::map_to_vector(kernelArguments,
                              [](Value value) { return value.getType(); }),
          {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  symbols.insert(kernel);
  if (failed(beginSchedule(loop, kernel)))
    return failure();
  b.setInsertionPointToEnd(&kernel.getBody().front());
  IRMapping mapping;
  mapping.map(kernelArguments, kernel.getArguments());
  DenseSet<Value> sized;
  auto createView = [&](Value value) {
    if (memref::AllocOp alloc = getSizedScratch(value, loop);
        alloc && sized.insert(value).second)
      mapping.map(value, createSizedView(b, alloc, mapping));
  };
  for (Operation *op : ops) {
    llvm::for_each(op->getOperands(), createView);
    b.clone(*op, mapping);
  }
  llvm::for_each(kernelArguments, createView);
  Operation *end = gpu::ReturnOp::create(b, loc);
  b.setInsertionPoint(end);
  buildBody(b, loop, mapping);

  b.setInsertionPoint(loop);
  Value grid;
  for (Value count : tripCounts(b, loop))
    grid = grid ? b.createOrFold<arith::MulIOp>(loc, grid, count) : count;
  auto kernelName = SymbolRefAttr::get(
      module.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
  auto launch = LaunchOp::create(b, loc, kernelName, grid, kernelArguments);
  if (Attribute tuning = loop->getAttr(sattn::kTuningAttrName))
    launch->setAttr(wgtile::kTuningAttrName, tuning);
  loop.erase();
  return success();
}

/// The memory that a value is a view of.
static Value getViewed(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::SubViewOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Drops results that are arguments: the host function writes in place.
static LogicalResult dropResults(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected structured control flow");
  auto returnOp =
      cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (Value value : returnOp.getOperands())
    if (!isa<BlockArgument>(getViewed(value)))
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

    gpu::GPUModuleOp kernels = getOrCreateKernelModule(module);
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
  }
};
} // namespace
