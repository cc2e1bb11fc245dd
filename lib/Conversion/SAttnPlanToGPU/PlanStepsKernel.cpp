//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The kernel of the steps of a sattn.plan. The block columns are walked in
// windows that fit in shared memory. In each window
//   1. the stored blocks of every column and block row are counted,
//   2. each thread takes a few neighboring columns; a column has as many steps
//      as its fullest block row has blocks, and a prefix sum over the threads
//      gives the place of its first; the steps are written without blocks,
//   3. each stored block writes itself into its step. Where its column repeats
//      in its row it counts those before it.
// Nothing here depends on the order of threads, so the plan is deterministic.

#include "BatchKernelBuilder.h"
#include "PlanKernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace sattn;

static constexpr int64_t kThreads = 256;
/// Counters of a window, 32 KiB; with the other arrays they stay below the 48
/// KiB that a kernel has by default.
static constexpr int64_t kCounters = 8192;
static constexpr int64_t kMaxWindow = 1024;

namespace {
class PlanStepsKernel : BatchKernelBuilder {
public:
  PlanStepsKernel(PlanOp plan, gpu::GPUModuleOp module, SymbolTable &symbols)
      : BatchKernelBuilder(plan.getLoc(), module, symbols), plan(plan),
        groups(plan.getGroups()),
        window(std::min(kMaxWindow, kCounters / groups / kThreads * kThreads)) {
    // The kernel walks windows of columns: an empty one would never end.
    assert(window > 0 && "more groups than counters");
  }

  gpu::GPUFuncOp build(StringRef name) {
    Type types[] = {plan.getCrow().getType(), plan.getCol().getType(),
                    plan.getRowBlockGroups().getType(),
                    plan.getSteps().getType(), b.getIndexType()};
    gpu::GPUFuncOp kernel = createKernel(name, types, kThreads);
    crow = kernel.getArgument(0);
    col = kernel.getArgument(1);
    rowBlockGroups = kernel.getArgument(2);
    steps = kernel.getArgument(3);
    // A step holds its column in 32 bits.
    columns =
        arith::MinSIOp::create(b, kernel.getArgument(4), index(INT32_MAX));
    findRowBlockGroup();
    counters = shared("counters", {groups, window});
    places = shared("places", {window});
    sums = shared("sums", {kThreads});
    next = shared("next", {1});
    Value total = walkWindows();
    ifThen(isFirst, [&] {
      // Entries outside `steps` were not written.
      Value first = clamp(start, zero, capacity);
      Value last = clamp(add(start, total), first, capacity);
      store(toI32(first), rowBlockGroups, at({rowBlockGroup, zero}));
      store(toI32(last), rowBlockGroups, at({rowBlockGroup, one}));
    });
    gpu::ReturnOp::create(b);
    return kernel;
  }

private:
  PlanOp plan;
  int64_t groups, window;
  Value crow, col, rowBlockGroups, steps, columns;
  Value zero, one, thread, isFirst, rowBlockGroup;
  /// The first stored block of each block row of the row-block group, and the
  /// number of blocks of the rows before it; last, the number of all blocks.
  SmallVector<Value> groupBegin, groupStart;
  Value blocks;
  /// The first of the row-block group's steps in `steps`, and rows of `steps`.
  Value start, capacity;
  /// Shared memory: blocks of each group and column of the window; the place of
  /// a column's first step among the row-block group's; sums over threads; the
  /// first column after the window.
  Value counters, places, sums, next;

  /// A stored block of the row-block group: its place in col, its block row,
  /// and the first block of that row.
  struct Block {
    Value place, group, first;
  };
  using BlockBody =
      llvm::function_ref<SmallVector<Value>(const Block &, ValueRange)>;

  /// Builds a loop over all stored blocks of the row-block group, divided among
  /// the threads.
  SmallVector<Value> forEachBlock(ValueRange inits, BlockBody body) {
    return loop(thread, blocks, index(kThreads), inits,
                [&](Value number, ValueRange carried) {
                  return body(blockOf(number), carried);
                });
  }

  /// The row-block group's block of this number.
  Block blockOf(Value number) {
    Value group = zero, first = groupBegin.front(), start = zero;
    for (auto [otherFirst, otherStart] :
         llvm::drop_begin(llvm::zip(groupBegin, groupStart))) {
      Value passed = compare(arith::CmpIPredicate::sge, number, otherStart);
      group =
          add(group, arith::IndexCastUIOp::create(b, b.getIndexType(), passed));
      first = arith::SelectOp::create(b, passed, otherFirst, first);
      start = arith::SelectOp::create(b, passed, otherStart, start);
    }
    return {add(first, sub(number, start)), group, first};
  }

  void findRowBlockGroup() {
    zero = index(0);
    one = index(1);
    thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    isFirst = compare(arith::CmpIPredicate::eq, thread, zero);
    rowBlockGroup = findBatch(crow, lastDim(rowBlockGroups, /*fromEnd=*/1));
    Value rows = sub(lastDim(crow), one);
    blocks = zero;
    for (int64_t group = 0; group < groups; ++group) {
      // A missing block row has the number `rows`, without blocks.
      Value row = clamp(
          toIndex(load(rowBlockGroups, at({rowBlockGroup, index(2 + group)}))),
          zero, rows);
      Value next = arith::MinSIOp::create(b, add(row, one), rows);
      Value first = arith::MaxSIOp::create(b, entry(crow, row), zero);
      Value last = arith::MinSIOp::create(b, entry(crow, next), lastDim(col));
      groupBegin.push_back(first);
      groupStart.push_back(blocks);
      blocks = add(blocks, arith::MaxSIOp::create(b, sub(last, first), zero));
    }
    start = toIndex(load(rowBlockGroups, at({rowBlockGroup, zero})));
    capacity = lastDim(steps, /*fromEnd=*/1);
  }

  /// Number of steps of the row-block group.
  Value walkWindows() {
    SmallVector<Value> inits = {zero, zero};
    Type types[] = {b.getIndexType(), b.getIndexType()};
    auto op = scf::WhileOp::create(
        b, types, inits,
        [&](OpBuilder &, Location, ValueRange carried) {
          Value more = compare(arith::CmpIPredicate::slt, carried[0], columns);
          scf::ConditionOp::create(b, more, carried);
        },
        [&](OpBuilder &, Location, ValueRange carried) {
          Value base = carried[0], done = carried[1];
          Value nextBase = countBlocks(base);
          Value count = placeSteps(base, done);
          barrier();
          fillSteps(base);
          barrier();
          scf::YieldOp::create(b, ValueRange{nextBase, add(done, count)});
        });
    return op.getResult(1);
  }

  /// The position in the window of a stored block's column, or a number past
  /// its end.
  Value positionInWindow(Value column, Value base) {
    Value valid = compare(arith::CmpIPredicate::ult, column, columns);
    return arith::SelectOp::create(b, valid, sub(column, base),
                                   index(INT32_MAX));
  }
  Value isInWindow(Value position) {
    return compare(arith::CmpIPredicate::ult, position, index(window));
  }

  /// Counts the blocks of the window; returns the next window's first column,
  /// the first after this window that has a block.
  Value countBlocks(Value base) {
    loop(thread, index(window), index(kThreads), {},
         [&](Value column, ValueRange) {
           for (int64_t group = 0; group < groups; ++group)
             store(i32(0), counters, {index(group), column});
           return SmallVector<Value>();
         });
    Value none = i32(INT32_MAX);
    ifThen(isFirst, [&] { store(none, next, zero); });
    barrier();
    Value after = add(base, index(window));
    Value nearest =
        forEachBlock(none, [&](const Block &block, ValueRange carried) {
          Value column = entry(col, block.place);
          Value position = positionInWindow(column, base);
          ifThen(isInWindow(position), [&] {
            atomic(arith::AtomicRMWKind::addi, i32(1), counters,
                   {block.group, position});
          });
          Value isAfter = arith::AndIOp::create(
              b, compare(arith::CmpIPredicate::sge, column, after),
              compare(arith::CmpIPredicate::slt, column, columns));
          Value candidate =
              arith::SelectOp::create(b, isAfter, toI32(column), none);
          return SmallVector<Value>{
              arith::MinSIOp::create(b, carried[0], candidate)};
        }).front();
    ifThen(compare(arith::CmpIPredicate::ne, nearest, none),
           [&] { atomic(arith::AtomicRMWKind::mins, nearest, next, zero); });
    barrier();
    return toIndex(load(next, zero));
  }

  /// Steps of a column of the window.
  Value stepsOf(Value column) {
    Value most = load(counters, {zero, column});
    for (int64_t group = 1; group < groups; ++group)
      most = arith::MaxSIOp::create(b, most,
                                    load(counters, {index(group), column}));
    return toIndex(most);
  }

  /// Finds the place of each column's steps and writes them without blocks.
  /// Returns their number.
  Value placeSteps(Value base, Value done) {
    Value perThread = index(window / kThreads);
    Value lower = arith::MulIOp::create(b, thread, perThread);
    Value upper = add(lower, perThread);
    Value own =
        loop(lower, upper, one, zero, [&](Value column, ValueRange carried) {
          return SmallVector<Value>{add(carried[0], stepsOf(column))};
        }).front();
    Value inclusive = prefixSum(toI32(own), thread, sums);
    barrier();
    Value total = toIndex(load(sums, index(kThreads - 1)));
    Value place = add(done, sub(toIndex(inclusive), own));
    loop(lower, upper, one, place, [&](Value column, ValueRange carried) {
      Value count = stepsOf(column);
      store(toI32(carried[0]), places, column);
      loop(zero, count, one, {}, [&](Value step, ValueRange) {
        writeStep(add(carried[0], step), [&](Value row) {
          store(toI32(add(base, column)), steps, at({row, zero}));
          for (int64_t group = 0; group < groups; ++group)
            store(i32(-1), steps, at({row, index(1 + group)}));
        });
        return SmallVector<Value>();
      });
      return SmallVector<Value>{add(carried[0], count)};
    });
    return total;
  }

  /// Writes to a step of the row-block group, unless it lies outside `steps`,
  /// which happens only if crow is not monotone.
  void writeStep(Value place, function_ref<void(Value)> write) {
    Value row = add(start, place);
    ifThen(compare(arith::CmpIPredicate::ult, row, capacity),
           [&] { write(row); });
  }

  /// Writes the window's blocks into their steps.
  void fillSteps(Value base) {
    forEachBlock({}, [&](const Block &block, ValueRange) {
      auto [place, group, first] = block;
      Value column = entry(col, place);
      Value position = positionInWindow(column, base);
      ifThen(isInWindow(position), [&] {
        Value repeats = compare(arith::CmpIPredicate::sgt,
                                load(counters, {group, position}), i32(1));
        // The blocks of the same row and column before this one.
        Value last = arith::SelectOp::create(b, repeats, place, first);
        Value before =
            loop(first, last, one, zero, [&](Value other, ValueRange carried) {
              Value same =
                  compare(arith::CmpIPredicate::eq, column, entry(col, other));
              return SmallVector<Value>{
                  add(carried[0],
                      arith::IndexCastUIOp::create(b, b.getIndexType(), same))};
            }).front();
        Value step = add(toIndex(load(places, position)), before);
        writeStep(step, [&](Value row) {
          store(toI32(place), steps, at({row, add(group, one)}));
        });
      });
      return SmallVector<Value>();
    });
  }
};
} // namespace

gpu::GPUFuncOp sattn::buildPlanStepsKernel(PlanOp plan, StringRef name,
                                           gpu::GPUModuleOp module,
                                           SymbolTable &symbols) {
  return PlanStepsKernel(plan, module, symbols).build(name);
}
