//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The kernel that chooses the rows of each row-block group of a sattn.plan. A
// CTA has a window of block rows:
//   1. all threads mark the columns of each row in a bit mask; columns beyond
//      the mask fold onto it, which makes the choice less good, not wrong,
//   2. one warp makes one row-block group after the other: its first row is the
//      first without a group, each further row shares the most columns with the
//      rows before it (the first such row if there are several). The lanes hold
//      the masks in registers.
// On random blocks, 128 x 128 of them, a larger window or the best pairs of a
// window would save 1 to 3% of the steps, for twice the time.

#include "BatchKernelBuilder.h"
#include "PlanKernels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace sattn;

static constexpr int64_t kLanes = 32;
static constexpr int64_t kThreads = 1024;
/// Most rows of a window for each lane of the warp that chooses.
static constexpr int64_t kRowsPerLane = 2;
static constexpr int64_t kMaxRows = kRowsPerLane * kLanes;
/// Words of a row's mask.
static constexpr int64_t kWords = 8;
static constexpr int64_t kColumnsPerWord = 32;
/// Bits of a row's number in the key that the lanes compare.
static constexpr int64_t kRowBits = 6;
static_assert(kMaxRows == 1 << kRowBits);

int64_t sattn::getGroupRowsWindow(PlanOp plan) {
  int64_t groups = plan.getGroups();
  return kMaxRows / groups * groups;
}

namespace {
class GroupRowsKernel : BatchKernelBuilder {
public:
  GroupRowsKernel(PlanOp plan, gpu::GPUModuleOp module, SymbolTable &symbols)
      : BatchKernelBuilder(plan.getLoc(), module, symbols), plan(plan),
        groups(plan.getGroups()), window(getGroupRowsWindow(plan)) {
    assert(window > 0 && "more groups than rows of a window");
  }

  gpu::GPUFuncOp build(StringRef name) {
    Type types[] = {plan.getCrow().getType(), plan.getCol().getType(),
                    plan.getRowBlockGroups().getType()};
    gpu::GPUFuncOp kernel = createKernel(name, types, kThreads);
    crow = kernel.getArgument(0);
    col = kernel.getArgument(1);
    rowBlockGroups = kernel.getArgument(2);
    masks = shared("masks", {kMaxRows, kWords});
    lengths = shared("lengths", {kMaxRows});
    findWindow();
    markColumns();
    ifThen(compare(arith::CmpIPredicate::ult, thread, index(kLanes)),
           [&] { chooseRows(); });
    gpu::ReturnOp::create(b);
    return kernel;
  }

private:
  PlanOp plan;
  int64_t groups, window;
  Value crow, col, rowBlockGroups;
  /// Shared memory: of each row of the window the mask of its columns and the
  /// number of its blocks.
  Value masks, lengths;
  Value zero, one, thread;
  /// The window's first row, how many it has, and those of the matrix.
  Value firstRow, rows, allRows;
  /// Lengths of a lane's rows, and the words of their masks.
  SmallVector<Value> ownLengths, ownMasks[kWords];

  void findWindow() {
    zero = index(0);
    one = index(1);
    thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    allRows = sub(lastDim(crow), one);
    Value windows = arith::CeilDivUIOp::create(b, allRows, index(window));
    firstRow = mul(findBatch(crow, windows), index(window));
    rows = arith::MinUIOp::create(b, sub(allRows, firstRow), index(window));
  }

  /// Marks the columns of rows; several threads share a row.
  void markColumns() {
    int64_t sharers = kThreads / kMaxRows;
    loop(thread, index(kMaxRows * kWords), index(kThreads), {},
         [&](Value place, ValueRange) {
           Value width = index(kWords);
           store(i32(0), masks,
                 {arith::DivUIOp::create(b, place, width),
                  arith::RemUIOp::create(b, place, width)});
           return SmallVector<Value>();
         });
    barrier();
    Value row = arith::DivUIOp::create(b, thread, index(sharers));
    Value share = arith::RemUIOp::create(b, thread, index(sharers));
    ifThen(compare(arith::CmpIPredicate::ult, row, rows), [&] {
      Value begin =
          arith::MaxSIOp::create(b, entry(crow, add(firstRow, row)), zero);
      Value end = arith::MinSIOp::create(
          b, entry(crow, add(add(firstRow, row), one)), lastDim(col));
      Value length = arith::MaxSIOp::create(b, sub(end, begin), zero);
      ifThen(compare(arith::CmpIPredicate::eq, share, zero),
             [&] { store(toI32(length), lengths, row); });
      loop(add(begin, share), end, index(sharers), {},
           [&](Value block, ValueRange) {
             Value column = toIndex(load(col, at(block)));
             Value word = arith::RemUIOp::create(
                 b, arith::DivUIOp::create(b, column, index(kColumnsPerWord)),
                 index(kWords));
             Value bit = toI32(
                 arith::RemUIOp::create(b, column, index(kColumnsPerWord)));
             atomic(arith::AtomicRMWKind::ori,
                    arith::ShLIOp::create(b, i32(1), bit), masks, {row, word});
             return SmallVector<Value>();
           });
    });
    barrier();
  }

  /// Rows of the window without a row-block group, a bit for each: word k has
  /// those of the lanes' k-th rows. The same in all lanes.
  using Free = SmallVector<Value>;

  Value isSet(Value word, Value bit) {
    return arith::TruncIOp::create(b, b.getI1Type(),
                                   arith::ShRUIOp::create(b, word, bit));
  }
  /// Removes a row, an i32, from the free rows.
  void remove(Free &free, Value row) {
    Value lane = arith::RemUIOp::create(b, row, i32(kLanes));
    Value word = arith::DivUIOp::create(b, row, i32(kLanes));
    Value others = arith::XOrIOp::create(
        b, arith::ShLIOp::create(b, i32(1), lane), i32(-1));
    for (int64_t k = 0; k < kRowsPerLane; ++k) {
      Value isHere = compare(arith::CmpIPredicate::eq, word, i32(k));
      free[k] = arith::AndIOp::create(
          b, free[k], arith::SelectOp::create(b, isHere, others, i32(-1)));
    }
  }
  Value firstOf(const Free &free) {
    Value row = i32(0);
    for (int64_t k = kRowsPerLane - 1; k >= 0; --k) {
      Value lane =
          LLVM::CountTrailingZerosOp::create(b, b.getI32Type(), free[k],
                                             /*is_zero_poison=*/false);
      Value isHere = compare(arith::CmpIPredicate::ne, free[k], i32(0));
      row = arith::SelectOp::create(b, isHere, add(lane, i32(k * kLanes)), row);
    }
    return row;
  }

  void chooseRows() {
    Free free;
    for (int64_t k = 0; k < kRowsPerLane; ++k) {
      Value count =
          clamp(sub(toI32(rows), i32(k * kLanes)), i32(0), i32(kLanes));
      // A shift by the width of the type is poison.
      Value isWhole = compare(arith::CmpIPredicate::eq, count, i32(kLanes));
      Value safe = arith::SelectOp::create(b, isWhole, i32(0), count);
      Value some = sub(arith::ShLIOp::create(b, i32(1), safe), i32(1));
      free.push_back(arith::SelectOp::create(b, isWhole, i32(-1), some));
    }
    for (int64_t k = 0; k < kRowsPerLane; ++k) {
      Value row = add(thread, index(k * kLanes));
      ownLengths.push_back(load(lengths, row));
      for (int64_t word = 0; word < kWords; ++word)
        ownMasks[word].push_back(load(masks, {row, index(word)}));
    }
    Value isFirst = compare(arith::CmpIPredicate::eq, thread, zero);
    Value firstGroup = arith::DivUIOp::create(b, firstRow, index(groups));
    Value count = arith::CeilDivUIOp::create(b, rows, index(groups));
    Value placed = toI32(sub(entry(crow, firstRow), entry(crow, zero)));
    SmallVector<Value> inits = free;
    inits.push_back(placed);
    loop(zero, count, one, inits, [&](Value number, ValueRange carried) {
      Free free = llvm::to_vector(carried.drop_back());
      Value placed = carried.back();
      Value rowBlockGroup = add(firstGroup, number);
      auto write = [&](int64_t column, Value value) {
        ifThen(isFirst, [&] {
          store(value, rowBlockGroups, at({rowBlockGroup, index(column)}));
        });
      };
      write(0, placed);
      SmallVector<Value> together;
      for (int64_t group = 0; group < groups; ++group) {
        Value row = firstOf(free), isThere;
        if (group > 0)
          std::tie(row, isThere) = chooseRow(free, together);
        Value rowInAll = add(toI32(firstRow), row);
        Value length = ofRow(ownLengths, row);
        if (isThere) {
          rowInAll =
              arith::SelectOp::create(b, isThere, rowInAll, toI32(allRows));
          length = arith::SelectOp::create(b, isThere, length, i32(0));
        }
        write(2 + group, rowInAll);
        placed = add(placed, length);
        remove(free, row);
        for (int64_t word = 0; word < kWords && group < groups - 1; ++word) {
          Value mask = ofRow(ownMasks[word], row);
          if (group == 0)
            together.push_back(mask);
          else
            together[word] = arith::OrIOp::create(b, together[word], mask);
        }
      }
      SmallVector<Value> next = free;
      next.push_back(placed);
      return next;
    });
  }

  /// A row's value, from the lane that holds the row.
  Value ofRow(ArrayRef<Value> own, Value row) {
    Value lane = arith::AndIOp::create(b, row, i32(kLanes - 1));
    Value word = arith::DivUIOp::create(b, row, i32(kLanes));
    Value value = own.front();
    for (int64_t k = 1; k < kRowsPerLane; ++k)
      value = arith::SelectOp::create(
          b, compare(arith::CmpIPredicate::eq, word, i32(k)), own[k], value);
    return NVVM::ShflOp::create(b, b.getI32Type(), i32(-1), value, lane,
                                i32(kLanes - 1), NVVM::ShflKind::idx,
                                UnitAttr());
  }

  /// The free row that shares the most columns with the row-block group's mask,
  /// and whether there is a free row at all.
  std::pair<Value, Value> chooseRow(const Free &free,
                                    ArrayRef<Value> together) {
    // Ranks rows by the number of shared columns, then the first row first; 0:
    // no row.
    Value best = i32(0);
    for (int64_t k = 0; k < kRowsPerLane; ++k) {
      Value shared = i32(0);
      for (int64_t word = 0; word < kWords; ++word)
        shared = add(shared, LLVM::CtPopOp::create(
                                 b, arith::AndIOp::create(b, together[word],
                                                          ownMasks[word][k])));
      Value rank = arith::ShLIOp::create(b, shared, i32(kRowBits));
      rank = add(rank, sub(i32(kMaxRows - k * kLanes), toI32(thread)));
      Value isFree = isSet(free[k], toI32(thread));
      best = arith::MaxUIOp::create(
          b, best, arith::SelectOp::create(b, isFree, rank, i32(0)));
    }
    best = NVVM::ReduxOp::create(b, b.getI32Type(), best, NVVM::ReduxKind::UMAX,
                                 i32(-1));
    Value isThere = compare(arith::CmpIPredicate::ne, best, i32(0));
    // rank - 1 = shared * 64 + (63 - row)
    Value row = arith::AndIOp::create(
        b, arith::XOrIOp::create(b, sub(best, i32(1)), i32(-1)),
        i32(kMaxRows - 1));
    return {row, isThere};
  }
};
} // namespace

gpu::GPUFuncOp sattn::buildGroupRowsKernel(PlanOp plan, StringRef name,
                                           gpu::GPUModuleOp module,
                                           SymbolTable &symbols) {
  return GroupRowsKernel(plan, module, symbols).build(name);
}
