//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/Trend.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"
#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEORDERTILES
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Threads of the kernel, and classes of work that it distinguishes.
static constexpr int64_t kThreads = 256;
static constexpr int64_t kClasses = 1024;

namespace {
/// The ops and values from which a tile's work is computed.
class WorkSlice {
public:
  explicit WorkSlice(ForEachTileOp loop) : loop(loop) {}

  /// Finds the loops and the ops that their bounds need; false if no loop's
  /// bounds can be computed elsewhere.
  bool find() {
    SmallVector<scf::ForOp> candidates;
    collectLoops(loop.getBody().front(), candidates);
    for (scf::ForOp candidate : candidates) {
      WorkSlice slice(loop);
      if (!slice.collect(candidate.getLowerBound()) ||
          !slice.collect(candidate.getUpperBound()) ||
          !slice.collect(candidate.getStep()) ||
          (!slice.depends(candidate.getLowerBound()) &&
           !slice.depends(candidate.getUpperBound())))
        continue;
      for (Value bound : {candidate.getLowerBound(), candidate.getUpperBound(),
                          candidate.getStep()})
        (void)collect(bound);
      loops.push_back(candidate);
    }
    return !loops.empty();
  }

  /// How the work changes from row to row: the sum of the loops' trip counts,
  /// if all have a step of 1. Loops that a pass cut from one loop have bounds
  /// in common, which cancel.
  Trend findRowTrend() {
    SmallVector<Value> ends, begins;
    for (scf::ForOp forOp : loops) {
      if (!isConstantIntValue(forOp.getStep(), 1))
        return Trend::Unknown;
      ends.push_back(forOp.getUpperBound());
      auto *end = llvm::find(ends, forOp.getLowerBound());
      if (end == ends.end())
        begins.push_back(forOp.getLowerBound());
      else
        ends.erase(end);
    }
    Value row = loop.getBody().getArgument(loop.getCounts().size() - 2);
    Trend result = Trend::Constant;
    for (Value begin : begins)
      result = addTrends(result, negateTrend(findTrend(begin, row)));
    for (Value end : ends)
      result = addTrends(result, findTrend(end, row));
    return result;
  }

  /// The kernel's arguments that it reads.
  ArrayRef<BlockArgument> getArguments() const {
    return arguments.getArrayRef();
  }

  /// Computes the number of iterations, i32, with `mapping` of arguments and
  /// tile indices.
  Value build(OpBuilder &b, Location loc, IRMapping mapping) {
    for (Operation *op : ops) {
      auto select = dyn_cast<arith::SelectOp>(op);
      if (select && !collected.contains(select.getCondition()))
        mapping.map(select.getResult(), mapping.lookup(select.getTrueValue()));
      else
        b.clone(*op, mapping);
    }
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value most = arith::ConstantIndexOp::create(b, loc, INT32_MAX);
    Value all;
    for (scf::ForOp forOp : loops) {
      Value span =
          arith::SubIOp::create(b, loc, mapping.lookup(forOp.getUpperBound()),
                                mapping.lookup(forOp.getLowerBound()));
      Value count = arith::CeilDivSIOp::create(b, loc, span,
                                               mapping.lookup(forOp.getStep()));
      count = arith::MaxSIOp::create(b, loc, count, zero);
      all = all ? arith::AddIOp::create(b, loc, all, count) : count;
    }
    all = arith::MinSIOp::create(b, loc, all, most);
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), all);
  }

private:
  ForEachTileOp loop;
  SmallVector<scf::ForOp> loops;
  /// In an order in which they can be computed.
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<BlockArgument> arguments;
  DenseSet<Value> collected;
  /// Values that differ from tile to tile.
  DenseSet<Value> dependent;

  /// Loops of the tile's program, in branches too, but not those in loops.
  static void collectLoops(Block &block, SmallVectorImpl<scf::ForOp> &loops) {
    for (Operation &op : block) {
      if (auto forOp = dyn_cast<scf::ForOp>(op))
        loops.push_back(forOp);
      else if (isa<scf::IfOp>(op))
        for (Region &region : op.getRegions())
          for (Block &nested : region)
            collectLoops(nested, loops);
    }
  }

  bool depends(Value value) { return dependent.contains(value); }

  bool collect(Value value) {
    if (!collected.insert(value).second)
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == &loop.getBody().front()) {
        dependent.insert(value);
        // A column's tiles are taken together.
        return argument.getArgNumber() + 1 != loop.getCounts().size();
      }
      if (!isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) ||
          !isa<MemRefType, IndexType>(value.getType()))
        return false;
      arguments.insert(argument);
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (ops.contains(op))
      return true;
    if (op->getNumRegions() != 0 || op->getNumResults() != 1 ||
        !(isa<memref::LoadOp>(op) || isMemoryEffectFree(op)))
      return false;
    // The value of a condition that is the same for all tiles is not needed.
    SmallVector<Value> operands(op->getOperands());
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      WorkSlice condition(loop);
      if (!condition.collect(select.getCondition()) ||
          !condition.depends(select.getCondition()))
        operands.erase(operands.begin());
    }
    bool differs = false;
    for (Value operand : operands) {
      if (!collect(operand))
        return false;
      differs |= depends(operand);
    }
    if (differs)
      dependent.insert(value);
    ops.insert(op);
    return true;
  }
};

/// One thread block per plane: the last two indices at one point of the others.
class OrderKernel : KernelBuilder {
public:
  OrderKernel(ForEachTileOp loop, WorkSlice &work, gpu::GPUModuleOp module,
              SymbolTable &symbols)
      : KernelBuilder(loop.getLoc(), module, symbols), loop(loop), work(work) {}

  /// Arguments: the counts without the last one, the order, the memory that
  /// work is read from.
  gpu::GPUFuncOp build(StringRef name) {
    int64_t rank = loop.getCounts().size() - 1;
    SmallVector<Type> types(rank, b.getIndexType());
    types.push_back(MemRefType::get({ShapedType::kDynamic}, b.getI32Type()));
    for (BlockArgument argument : work.getArguments())
      types.push_back(argument.getType());
    gpu::GPUFuncOp kernel = createKernel(name, types, kThreads);
    rows = kernel.getArgument(rank - 1);
    order = kernel.getArgument(rank);
    for (auto [from, to] : llvm::zip_equal(
             work.getArguments(), kernel.getArguments().drop_front(rank + 1)))
      mapping.map(from, to);
    zero = index(0);
    one = index(1);
    thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    plane = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Block &body = loop.getBody().front();
    Value rest = plane;
    for (int64_t i = rank - 2; i >= 0; --i) {
      Value count = kernel.getArgument(i);
      mapping.map(body.getArgument(i), arith::RemUIOp::create(b, rest, count));
      rest = arith::DivUIOp::create(b, rest, count);
    }
    sort();
    gpu::ReturnOp::create(b);
    return kernel;
  }

private:
  ForEachTileOp loop;
  WorkSlice &work;
  IRMapping mapping;
  Value rows, order, zero, one, thread, plane;

  Value workOf(Value row) {
    IRMapping atRow = mapping;
    atRow.map(loop.getBody().getArgument(loop.getCounts().size() - 2), row);
    return work.build(b, b.getLoc(), atRow);
  }
  void forEachRow(function_ref<void(Value)> body) { loopOver(rows, body); }
  void forEachClass(function_ref<void(Value)> body) {
    loopOver(index(kClasses), body);
  }
  void loopOver(Value end, function_ref<void(Value)> body) {
    KernelBuilder::loop(thread, end, index(kThreads), {},
                        [&](Value i, ValueRange) {
                          body(i);
                          return SmallVector<Value>();
                        });
  }

  /// A counting sort; rows of one class come in any order.
  void sort() {
    Value classes = shared("classes", {kClasses});
    Value sums = shared("sums", {kThreads});
    Value most = shared("most", {1});
    forEachClass([&](Value i) { store(i32(0), classes, i); });
    ifThen(compare(arith::CmpIPredicate::eq, thread, zero),
           [&] { store(i32(1), most, zero); });
    barrier();
    forEachRow([&](Value row) {
      atomic(arith::AtomicRMWKind::maxs, workOf(row), most, zero);
    });
    barrier();
    Value largest = toIndex(load(most, zero));
    auto classOf = [&](Value row) {
      Value scaled = arith::DivUIOp::create(
          b, mul(toIndex(workOf(row)), index(kClasses - 1)), largest);
      return sub(index(kClasses - 1), scaled);
    };
    forEachRow([&](Value row) {
      atomic(arith::AtomicRMWKind::addi, i32(1), classes, classOf(row));
    });
    barrier();
    // Places of the classes.
    Value first = mul(thread, index(kClasses / kThreads));
    Value last = add(first, index(kClasses / kThreads));
    Value own = KernelBuilder::loop(first, last, one, i32(0),
                                    [&](Value i, ValueRange carried) {
                                      return SmallVector<Value>{
                                          add(carried[0], load(classes, i))};
                                    })
                    .front();
    Value before = sub(prefixSum(own, thread, sums), own);
    KernelBuilder::loop(first, last, one, before,
                        [&](Value i, ValueRange carried) {
                          Value count = load(classes, i);
                          store(carried[0], classes, i);
                          return SmallVector<Value>{add(carried[0], count)};
                        });
    barrier();
    forEachRow([&](Value row) {
      Value place =
          atomic(arith::AtomicRMWKind::addi, i32(1), classes, classOf(row));
      store(toI32(row), order, add(mul(plane, rows), toIndex(place)));
    });
  }
};

/// Values of a kernel, computed on the host that launches it.
class HostValues {
public:
  HostValues(OpBuilder &b, gpu::GPUFuncOp kernel, LaunchOp launch)
      : b(b), kernel(kernel), launch(launch) {}

  /// The value passed for an argument of the kernel; null for a value that is
  /// made at the launch.
  Value argument(BlockArgument argument) {
    Value value = launch.getArgs()[argument.getArgNumber()];
    while (auto cast = value.getDefiningOp<memref::CastOp>())
      value = cast.getSource();
    Operation *op = value.getDefiningOp();
    return op && op->getParentOp() != launch->getParentOfType<func::FuncOp>()
               ? Value()
               : value;
  }

  /// Null if the value needs more than integers and sizes.
  Value get(Value value) {
    if (auto inKernel = dyn_cast<BlockArgument>(value))
      return inKernel.getOwner() == &kernel.getBody().front()
                 ? argument(inKernel)
                 : Value();
    Operation *op = value.getDefiningOp();
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return {};
    SmallVector<Value> operands;
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      operands.push_back(get(operand));
      if (!operands.back())
        return {};
      mapping.map(operand, operands.back());
    }
    if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      std::optional<SmallVector<Value, 8>> expanded = affine::expandAffineMap(
          b, op->getLoc(), apply.getAffineMap(), operands);
      return expanded ? expanded->front() : Value();
    }
    return b.clone(*op, mapping)->getResult(0);
  }

private:
  OpBuilder &b;
  gpu::GPUFuncOp kernel;
  LaunchOp launch;
};
} // namespace

/// The loops over tiles of a kernel with a dynamic tile scheduler. If there are
/// several, the first is the producer's.
static SmallVector<ForEachTileOp> getCountedLoops(gpu::GPUFuncOp kernel) {
  SmallVector<ForEachTileOp> loops;
  kernel.walk([&](ForEachTileOp loop) { loops.push_back(loop); });
  if (!loops.empty() && !loops.front().getCounter())
    loops.clear();
  return loops;
}

/// Sorts the tiles of a kernel before its launch and any branch around the
/// launch; null if that is not needed, or a tile's work cannot be computed
/// elsewhere.
static Value sortTiles(LaunchOp launch, gpu::GPUFuncOp kernel) {
  SmallVector<ForEachTileOp> loops = getCountedLoops(kernel);
  if (loops.empty())
    return {};
  ForEachTileOp loop = loops.front();
  WorkSlice work(loop);
  if (!work.find())
    return {};
  switch (work.findRowTrend()) {
  case Trend::Rising:
    for (ForEachTileOp each : loops)
      each.setDescending(true);
    return {};
  case Trend::Falling:
    return {};
  default:
    break;
  }

  auto function = launch->getParentOfType<func::FuncOp>();
  if (!function)
    return {};
  Operation *position = launch;
  while (position->getParentOp() != function)
    position = position->getParentOp();
  OpBuilder b(position);
  Location loc = launch.getLoc();
  HostValues host(b, kernel, launch);
  SmallVector<Value> arguments;
  for (Value count : loop.getCounts().drop_back()) {
    arguments.push_back(host.get(count));
    if (!arguments.back())
      return {};
  }
  Value planes = arith::ConstantIndexOp::create(b, loc, 1);
  for (Value count : ArrayRef<Value>(arguments).drop_back())
    planes = arith::MulIOp::create(b, loc, planes, count);
  SmallVector<Value> sources;
  for (BlockArgument argument : work.getArguments()) {
    Value source = host.argument(argument);
    if (!source || source.getType() != argument.getType())
      return {};
    sources.push_back(source);
  }
  Value size = arith::MulIOp::create(b, loc, planes, arguments.back());
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
  Value order = memref::AllocOp::create(b, loc, type, size);
  arguments.push_back(order);
  llvm::append_range(arguments, sources);

  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  SymbolTable symbols(module);
  gpu::GPUFuncOp sorter = OrderKernel(loop, work, module, symbols)
                              .build((kernel.getName() + "_order").str());
  auto sort = LaunchOp::create(
      b, loc,
      SymbolRefAttr::get(module.getNameAttr(),
                         {FlatSymbolRefAttr::get(sorter.getNameAttr())}),
      planes, arguments);
  sort.setPreprocess(true);

  return order;
}

/// Lets thread blocks take the tiles of a kernel in the order that sortTiles
/// found for it or for another version of it.
static void setOrder(LaunchOp launch, gpu::GPUFuncOp kernel, Value order) {
  launch.getArgsMutable().append(order);
  unsigned argument = kernel.getNumArguments();
  (void)kernel.insertArgument(argument, order.getType(), DictionaryAttr(),
                              launch.getLoc());
  for (ForEachTileOp loop : getCountedLoops(kernel))
    loop.getOrderMutable().assign(kernel.getArgument(argument));
}

namespace {
struct OrderTilesPass
    : public wgtile::impl::WGTileOrderTilesBase<OrderTilesPass> {
  void runOnOperation() override {
    DenseMap<StringAttr, Value> orders;
    for (auto [launch, kernel] : getLaunches(getOperation())) {
      // The generic version of a kernel is not worth another launch.
      if (isa<scf::IfOp>(launch->getParentOp()) &&
          !kernel->hasAttr(kTMAAttrName))
        continue;
      auto other = kernel->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttrName);
      Value order = other ? orders.lookup(other.getAttr()) : Value();
      if (!order)
        order = sortTiles(launch, kernel);
      if (!order)
        continue;
      setOrder(launch, kernel, order);
      orders[kernel.getNameAttr()] = order;
    }
  }
};
} // namespace
