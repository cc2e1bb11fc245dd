//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SortTiles.h"

#include "sattn/Dialect/WGTile/Analysis/TileTripCount.h"
#include "sattn/Dialect/WGTile/Utils/HostValues.h"
#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace wgtile;

/// Threads of the kernel, and classes of rows that it distinguishes: by their
/// work, or by less of it and by where they are.
static constexpr int64_t kThreads = 256;
static constexpr int64_t kClasses = 1024;
static constexpr int64_t kClassesPerThread = kClasses / kThreads;
static constexpr int64_t kPlaces = 64;

namespace {
/// One CTA per plane: the last two indices at one point of the others.
class OrderKernel : KernelBuilder {
public:
  OrderKernel(ForEachTileOp loop, TileTripCount &tripCount,
              gpu::GPUModuleOp module, SymbolTable &symbols)
      : KernelBuilder(loop.getLoc(), module, symbols), loop(loop),
        tripCount(tripCount) {}

  /// Builds the kernel. Its arguments: the counts without the last one, the
  /// order, the values that the trip counts are computed from.
  gpu::GPUFuncOp build(StringRef name) {
    int64_t rank = loop.getCounts().size() - 1;
    SmallVector<Type> types(rank, b.getIndexType());
    types.push_back(MemRefType::get({ShapedType::kDynamic}, b.getI32Type()));
    for (Value input : tripCount.getInputs())
      types.push_back(input.getType());
    gpu::GPUFuncOp kernel = createKernel(name, types, kThreads);
    rows = kernel.getArgument(rank - 1);
    order = kernel.getArgument(rank);
    for (auto [from, to] : llvm::zip_equal(
             tripCount.getInputs(), kernel.getArguments().drop_front(rank + 1)))
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
  TileTripCount &tripCount;
  IRMapping mapping;
  Value rows, order, zero, one, thread, plane;

  Value workOf(Value row) {
    IRMapping atRow = mapping;
    atRow.map(loop.getBody().getArgument(loop.getCounts().size() - 2), row);
    return tripCount.build(b, b.getLoc(), atRow);
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

  /// Whether a row is one tile. Then tiles that share operands may follow each
  /// other, and rows of about the same work keep their places.
  bool isRowOneTile() { return isConstantIntValue(loop.getCounts().back(), 1); }

  /// The number of a row's class: the most work first.
  Value classOf(Value row, Value largest) {
    int64_t places = isRowOneTile() ? kPlaces : 1;
    int64_t last = kClasses / places - 1;
    Value scaled = arith::DivUIOp::create(
        b, mul(toIndex(workOf(row)), index(last)), largest);
    Value result = sub(index(last), scaled);
    if (places == 1)
      return result;
    Value place =
        arith::DivUIOp::create(b, mul(row, index(places)), rows).getResult();
    return add(mul(result, index(places)), place);
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
    forEachRow([&](Value row) {
      atomic(arith::AtomicRMWKind::addi, i32(1), classes,
             classOf(row, largest));
    });
    barrier();
    // Places of the classes, kClassesPerThread for each thread. The prefix sum
    // has the barrier between the reads of the counts and the writes of the
    // places.
    Value first = mul(thread, index(kClassesPerThread));
    SmallVector<Value> counts;
    Value own = i32(0);
    for (int64_t i = 0; i < kClassesPerThread; ++i) {
      counts.push_back(load(classes, add(first, index(i))));
      own = add(own, counts.back());
    }
    Value before = sub(prefixSum(own, thread, sums), own);
    for (auto [i, count] : llvm::enumerate(counts)) {
      store(before, classes, add(first, index(i)));
      before = add(before, count);
    }
    barrier();
    forEachRow([&](Value row) {
      Value place = atomic(arith::AtomicRMWKind::addi, i32(1), classes,
                           classOf(row, largest));
      store(toI32(row), order, add(mul(plane, rows), toIndex(place)));
    });
  }
};
} // namespace

bool wgtile::canSortTiles(LaunchOp launch, gpu::GPUFuncOp kernel,
                          ForEachTileOp loop, const TileTripCount &tripCount) {
  HostValues host(kernel, launch);
  return launch->getParentOfType<func::FuncOp>() &&
         llvm::all_of(loop.getCounts().drop_back(),
                      [&](Value count) { return host.canCompute(count); }) &&
         llvm::all_of(tripCount.getInputs(), [&](Value input) {
           auto argument = dyn_cast<BlockArgument>(input);
           if (!argument)
             return host.canCompute(input);
           Value source = host.getArgument(argument);
           return source && source.getType() == argument.getType();
         });
}

Value wgtile::sortTiles(LaunchOp launch, gpu::GPUFuncOp kernel,
                        ForEachTileOp loop) {
  TileTripCount tripCount(loop);
  if (!tripCount.find() || !canSortTiles(launch, kernel, loop, tripCount))
    return {};
  auto function = launch->getParentOfType<func::FuncOp>();
  Operation *position = launch;
  while (position->getParentOp() != function)
    position = position->getParentOp();
  OpBuilder b(position);
  Location loc = launch.getLoc();
  HostValues host(kernel, launch);
  SmallVector<Value> arguments;
  for (Value count : loop.getCounts().drop_back())
    arguments.push_back(host.compute(b, count));
  Value planes = arith::ConstantIndexOp::create(b, loc, 1);
  for (Value count : ArrayRef<Value>(arguments).drop_back())
    planes = arith::MulIOp::create(b, loc, planes, count);
  Value size = arith::MulIOp::create(b, loc, planes, arguments.back());
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
  Value order = memref::AllocOp::create(b, loc, type, size);
  arguments.push_back(order);
  for (Value input : tripCount.getInputs())
    arguments.push_back(host.compute(b, input));

  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  SymbolTable symbols(module);
  gpu::GPUFuncOp sorter = OrderKernel(loop, tripCount, module, symbols)
                              .build((kernel.getName() + "_order").str());
  auto sort = LaunchOp::create(
      b, loc,
      SymbolRefAttr::get(module.getNameAttr(),
                         {FlatSymbolRefAttr::get(sorter.getNameAttr())}),
      planes, arguments);
  sort.setPreprocess(true);
  // Any permutation of the rows gives the same results.
  sort.setHint(true);
  return order;
}
