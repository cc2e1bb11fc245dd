//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The kernel of a sattn.merge. One thread of a CTA makes the steps of
// a group, one after the other: which of the lists go on depends on the step
// before. What it reads next is mostly in the first-level cache, and an SM
// works on many groups at a time.

#include "PlanKernels.h"

#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace sattn;

/// A warp, of which one thread works: threads of one warp would wait for each
/// other's reads.
static constexpr int kThreads = 32;

namespace {
class MergeKernel : wgtile::KernelBuilder {
public:
  MergeKernel(MergeOp merge, gpu::GPUModuleOp module, SymbolTable &symbols)
      : KernelBuilder(merge.getLoc(), module, symbols), merge(merge),
        element(cast<MemRefType>(merge.getSteps().getType()).getElementType()) {
  }

  gpu::GPUFuncOp build(StringRef name) {
    SmallVector<Type> types;
    for (Value value : merge.getRead())
      types.push_back(value.getType());
    types.append({merge.getCounts().getType(), merge.getSteps().getType(),
                  b.getIndexType(), b.getIndexType()});
    gpu::GPUFuncOp kernel = createKernel(name, types, kThreads);
    offsets = kernel.getArgument(0);
    q = kernel.getArgument(1);
    third = kernel.getArgument(2);
    counts = kernel.getArgument(3);
    steps = kernel.getArgument(4);
    width = kernel.getArgument(5);
    across = kernel.getArgument(6);
    zero = index(0);
    one = index(1);
    Value group = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    ifThen(compare(arith::CmpIPredicate::eq, thread, zero), [&] {
      findLists(group);
      store(toI32(walk()), counts, group);
    });
    gpu::ReturnOp::create(b);
    return kernel;
  }

private:
  /// Where a list is in `q`, how long it is, and without `p` what is added to a
  /// place in `q` for the first member.
  struct List {
    Value first, count, shift;
  };

  MergeOp merge;
  /// The element type of the steps.
  Type element;
  Value offsets, q, third, counts, steps, width, across, zero, one;
  SmallVector<List> lists;

  Value number(int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(element, value));
  }
  /// An entry of a list, in the type of steps.
  Value read(Value list, Value place) {
    Value entry = load(list, place);
    return entry.getType() == element
               ? entry
               : arith::ExtSIOp::create(b, element, entry).getResult();
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }

  void findLists(Value group) {
    bool hasPlaces = static_cast<bool>(merge.getR());
    Value size =
        memref::DimOp::create(b, hasPlaces ? third : offsets, int64_t(0));
    Value entries = hasPlaces ? size : sub(size, one);
    Value last = sub(entries, one);
    Value capacity = memref::DimOp::create(b, q, int64_t(0));
    for (int64_t i = 0, end = merge.getLists(); i < end; ++i) {
      Value entry = add(mul(group, index(end)), index(i));
      Value isThere = compare(arith::CmpIPredicate::slt, entry, entries);
      entry = arith::MinSIOp::create(b, entry, last);
      List list = hasPlaces ? locate(entry) : listOf(entry);
      // Offsets that no list has leave the result unspecified, but within
      // memory.
      list.count = select(isThere, clamp(list.count, zero, capacity), zero);
      list.first = clamp(list.first, zero, sub(capacity, list.count));
      lists.push_back(list);
    }
  }

  List listOf(Value entry) { return listOf(entry, add(entry, one)); }

  /// The list from one offset to another.
  List listOf(Value from, Value to) {
    Value begin = toIndex(load(offsets, from));
    return {begin, sub(toIndex(load(offsets, to)), begin), zero};
  }

  List locate(Value entry) {
    // In rows of matrices' rows, each of `across` * `rows`.
    Value unit = div(toIndex(load(third, entry)), width);
    Value perRow = mul(across, index(merge.getRows()));
    Value last = sub(memref::DimOp::create(b, offsets, int64_t(0)), one);
    Value row = arith::MinUIOp::create(b, div(unit, perRow), last);
    List list = listOf(row, arith::MinUIOp::create(b, add(row, one), last));
    Value begin = list.first;
    list.first = add(mul(across, begin), mul(rem(unit, perRow), list.count));
    list.shift = sub(begin, list.first);
    return list;
  }

  /// Writes all steps and returns their number. Carries the steps so far, and
  /// how many elements of each list they have.
  Value walk() {
    SmallVector<Value> inits(1 + lists.size(), zero);
    SmallVector<Type> types(inits.size(), b.getIndexType());
    auto op = scf::WhileOp::create(
        b, types, inits,
        [&](OpBuilder &, Location, ValueRange carried) {
          Value more;
          for (auto [list, done] : llvm::zip_equal(lists, carried.drop_front()))
            more = orElse(more, isLeft(list, done));
          scf::ConditionOp::create(b, more, carried);
        },
        [&](OpBuilder &, Location, ValueRange carried) {
          scf::YieldOp::create(b, makeStep(carried));
        });
    return op.getResult(0);
  }

  Value isLeft(const List &list, Value done) {
    return compare(arith::CmpIPredicate::slt, done, list.count);
  }
  Value orElse(Value first, Value second) {
    return first ? arith::OrIOp::create(b, first, second).getResult() : second;
  }

  SmallVector<Value> makeStep(ValueRange carried) {
    Value step = carried.front(), least;
    SmallVector<Value> next = {add(step, one)}, present, seconds;
    for (auto [list, done] : llvm::zip_equal(lists, carried.drop_front())) {
      Value has = isLeft(list, done);
      Value place = add(list.first, done);
      auto second = scf::IfOp::create(
          b, has,
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(b, read(q, place));
          },
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(
                b,
                number(element.isSignlessInteger(32) ? INT32_MAX : INT64_MAX));
          });
      present.push_back(has);
      seconds.push_back(second.getResult(0));
      least = least
                  ? arith::MinSIOp::create(b, least, seconds.back()).getResult()
                  : seconds.back();
    }
    Value row = placeOf(step);
    store(least, steps, {row, zero});
    for (auto [i, list] : llvm::enumerate(lists)) {
      Value done = carried[1 + i];
      Value isTaken = arith::AndIOp::create(
          b, present[i], compare(arith::CmpIPredicate::eq, seconds[i], least));
      auto first = scf::IfOp::create(
          b, isTaken,
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(b, firstMember(list, add(list.first, done)));
          },
          [&](OpBuilder &, Location) { scf::YieldOp::create(b, number(-1)); });
      store(first.getResult(0), steps, {row, index(1 + i)});
      next.push_back(select(isTaken, add(done, one), done));
    }
    return next;
  }

  Value firstMember(const List &list, Value place) {
    if (merge.getP())
      return read(third, place);
    return arith::IndexCastOp::create(b, element, add(place, list.shift));
  }

  /// The place in `steps` of element `step` of the group's lists.
  Value placeOf(Value step) {
    Value place = add(lists.front().first, step), before = zero;
    for (size_t i = 1; i < lists.size(); ++i) {
      before = add(before, lists[i - 1].count);
      place = select(compare(arith::CmpIPredicate::sge, step, before),
                     add(lists[i].first, sub(step, before)), place);
    }
    return place;
  }
};
} // namespace

gpu::GPUFuncOp sattn::buildMergeKernel(MergeOp merge, StringRef name,
                                       gpu::GPUModuleOp module,
                                       SymbolTable &symbols) {
  return MergeKernel(merge, module, symbols).build(name);
}
