//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Conditions of elements that follow from their row or from their column alone,
// or from where the row's elements begin and end, as words of bits.

#include "HoistVectorReads.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Predicates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPACKCONDITIONS
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

namespace {
/// Numbers that rise or fall by 1 from column to column and do not wrap: from a
/// number of each row on, or from one for all. Without either they begin at 0.
struct Ramp {
  Value rows, uniform;
  bool isFalling;
};

/// A comparison of a ramp with a tile that is the same in all columns.
struct RampComparison {
  Ramp ramp;
  arith::CmpIPredicate predicate;
  Value other;
};

/// The gain of packing some conditions.
struct Gain {
  /// Comparisons of all elements of a tile, and of a vector of columns.
  int64_t elements = 0, columns = 0;

  /// Whether packing pays: a bound of a row takes as many instructions as a
  /// third of its elements.
  bool isEnough() const { return columns > 0 || elements > 1; }
  void operator+=(const Gain &other) {
    elements += other.elements;
    columns += other.columns;
  }
};
} // namespace

static bool isSplat(Value tile) {
  DenseElementsAttr constant;
  return tile.getDefiningOp<tensor::SplatOp>() ||
         (matchPattern(tile, m_Constant(&constant)) && constant.isSplat());
}

/// Whether a tile is the same in all columns.
static bool isOfRows(Value tile) {
  auto broadcast = tile.getDefiningOp<BroadcastOp>();
  return isSplat(tile) || (broadcast && broadcast.getDimension() == 0);
}

/// Numbers of columns, or those plus one number, as a vector.
static std::optional<Ramp> matchColumns(Value columns) {
  if (!getElementTypeOrSelf(columns).isInteger(32))
    return std::nullopt;
  if (columns.getDefiningOp<StepOp>())
    return Ramp{Value(), Value(), /*isFalling=*/false};
  auto sum = columns.getDefiningOp<arith::AddIOp>();
  if (!sum || !arith::bitEnumContainsAll(sum.getOverflowFlags(),
                                         arith::IntegerOverflowFlags::nsw))
    return std::nullopt;
  for (auto [step, start] : {std::pair(sum.getLhs(), sum.getRhs()),
                             std::pair(sum.getRhs(), sum.getLhs())})
    if (step.getDefiningOp<StepOp>() && isSplat(start))
      return Ramp{Value(), start, /*isFalling=*/false};
  return std::nullopt;
}

static std::optional<Ramp> matchRamp(Value tile) {
  if (auto ramp = tile.getDefiningOp<RampOp>()) {
    APInt slope;
    if (!ramp.getNsw() ||
        !matchPattern(ramp.getSlope(), m_ConstantInt(&slope)) ||
        (!slope.isOne() && !slope.isAllOnes()))
      return std::nullopt;
    return Ramp{ramp.getStart(), Value(), slope.isAllOnes()};
  }
  auto broadcast = tile.getDefiningOp<BroadcastOp>();
  if (!broadcast || broadcast.getDimension() != 1)
    return std::nullopt;
  return matchColumns(broadcast.getSource());
}

static std::optional<RampComparison> matchComparison(Value condition) {
  // The condition is a broadcast vector of columns, or has all elements.
  auto broadcast = condition.getDefiningOp<BroadcastOp>();
  bool isOfColumns = broadcast && broadcast.getDimension() == 1;
  auto compare = (isOfColumns ? broadcast.getSource() : condition)
                     .getDefiningOp<arith::CmpIOp>();
  if (!compare || !isSignedOrEquality(compare.getPredicate()))
    return std::nullopt;
  auto match = [&](Value numbers, Value other) -> std::optional<Ramp> {
    if (!isOfRows(other))
      return std::nullopt;
    return isOfColumns ? matchColumns(numbers) : matchRamp(numbers);
  };
  Value left = compare.getLhs(), right = compare.getRhs();
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (std::optional<Ramp> ramp = match(left, right))
    return RampComparison{*ramp, predicate, right};
  if (std::optional<Ramp> ramp = match(right, left))
    return RampComparison{*ramp, swapOperands(predicate), left};
  return std::nullopt;
}

/// Whether the lanes of a warp can compute a vector of columns of what they
/// have read, each element once.
static bool canComputeInLanes(Value vector) {
  if (isSplat(vector))
    return true;
  Operation *op = vector.getDefiningOp();
  if (auto read = dyn_cast_if_present<ReadOp>(op))
    return canReadByLanes(read);
  return op && OpTrait::hasElementwiseMappableTraits(op) && isPure(op) &&
         op->getNumResults() == 1 && op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return isa<RankedTensorType>(operand.getType()) &&
                  canComputeInLanes(operand);
         });
}

/// Whether all conditions of an expression can be bits, and what that saves.
static std::optional<Gain> findGain(Value condition) {
  if (isSplat(condition))
    return Gain();
  Operation *op = condition.getDefiningOp();
  if (isa_and_present<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op)) {
    std::optional<Gain> left = findGain(op->getOperand(0)),
                        right = findGain(op->getOperand(1));
    if (!left || !right)
      return std::nullopt;
    *left += *right;
    return left;
  }
  if (matchComparison(condition))
    return Gain{/*elements=*/1, /*columns=*/0};
  if (auto broadcast = dyn_cast_if_present<BroadcastOp>(op)) {
    if (broadcast.getDimension() == 0)
      return Gain();
    if (canComputeInLanes(broadcast.getSource()))
      return Gain{/*elements=*/0, /*columns=*/1};
    return std::nullopt;
  }
  return std::nullopt;
}

namespace {
/// Makes words of conditions of one tile type.
class WordBuilder : public ImplicitLocOpBuilder {
public:
  WordBuilder(Operation *place, RankedTensorType type)
      : ImplicitLocOpBuilder(place->getLoc(), place),
        columns(type.getDimSize(1)),
        words(RankedTensorType::get(
            {type.getDimSize(0)}, getI32Type(),
            SliceAttr::get(/*dim=*/1, cast<MmaAttr>(type.getEncoding())))) {}

  /// Words of an expression that has a gain.
  Value build(Value condition) {
    if (isSplat(condition))
      return tensor::SplatOp::create(*this, widen(scalarOf(condition)), words);
    if (std::optional<RampComparison> compare = matchComparison(condition))
      return ofComparison(*compare);
    Operation *op = condition.getDefiningOp();
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      if (broadcast.getDimension() == 0)
        return arith::ExtSIOp::create(*this, words, broadcast.getSource());
      return ofColumns(broadcast.getSource());
    }
    Value operands[] = {build(op->getOperand(0)), build(op->getOperand(1))};
    return create(op->getLoc(), op->getName().getIdentifier(), operands,
                  TypeRange(words))
        ->getResult(0);
  }

private:
  int64_t columns;
  RankedTensorType words;

  Value rows(int64_t value) {
    return arith::ConstantOp::create(
        *this, DenseElementsAttr::get(words, getI32IntegerAttr(value)));
  }
  Value widen(Value bit) {
    return arith::ExtSIOp::create(*this, getI32Type(), bit);
  }

  Value scalarOf(Value tile) {
    if (auto splat = tile.getDefiningOp<tensor::SplatOp>())
      return splat.getInput();
    DenseElementsAttr constant;
    (void)matchPattern(tile, m_Constant(&constant));
    return arith::ConstantOp::create(
        *this, cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  }

  /// A tile that is the same in all columns as a vector of rows.
  Value rowsOf(Value tile) {
    if (auto broadcast = tile.getDefiningOp<BroadcastOp>())
      return broadcast.getSource();
    return tensor::SplatOp::create(*this, scalarOf(tile), words);
  }

  //===--------------------------------------------------------------------===//
  // Bounds of rows
  //===--------------------------------------------------------------------===//

  Value ofComparison(const RampComparison &compare) {
    using P = arith::CmpIPredicate;
    Value distance = distanceTo(compare);
    // The predicate of column j with the distance.
    P predicate = compare.ramp.isFalling ? swapOperands(compare.predicate)
                                         : compare.predicate;
    auto below = [&](int64_t more) -> Value {
      Value bound = distance;
      if (more != 0)
        bound = arith::AddIOp::create(*this, bound, rows(more));
      return BitsBelowOp::create(*this, words, bound);
    };
    auto invert = [&](Value bits) -> Value {
      return arith::XOrIOp::create(*this, bits, rows(-1));
    };
    switch (predicate) {
    case P::slt:
      return below(0);
    case P::sle:
      return below(1);
    case P::sge:
      return invert(below(0));
    case P::sgt:
      return invert(below(1));
    default:
      break;
    }
    Value one = arith::XOrIOp::create(*this, below(1), below(0));
    return predicate == P::eq ? one : invert(one);
  }

  /// The column at which a row's ramp reaches the number that it is compared
  /// with, clamped to -1 and the number of columns.
  Value distanceTo(const RampComparison &compare) {
    const Ramp &ramp = compare.ramp;
    Value start = ramp.rows, other = rowsOf(compare.other);
    if (!start)
      start = ramp.uniform ? rowsOf(ramp.uniform) : rows(0);
    int64_t below = ramp.isFalling ? 1 : columns,
            above = ramp.isFalling ? columns : 1;
    auto plus = [&](Value x, int64_t more) -> Value {
      return arith::AddIOp::create(*this, x, rows(more));
    };
    // Saturated, where the number is near an end of i32.
    Value least = plus(
        arith::MaxSIOp::create(
            *this, other, rows(std::numeric_limits<int32_t>::min() + below)),
        -below);
    Value most = plus(
        arith::MinSIOp::create(
            *this, other, rows(std::numeric_limits<int32_t>::max() - above)),
        above);
    Value near = arith::MinSIOp::create(
        *this, arith::MaxSIOp::create(*this, start, least), most);
    return ramp.isFalling ? arith::SubIOp::create(*this, near, other)
                          : arith::SubIOp::create(*this, other, near);
  }

  //===--------------------------------------------------------------------===//
  // Columns
  //===--------------------------------------------------------------------===//

  Value ofColumns(Value vector) {
    SmallVector<Value> bits;
    for (int64_t part = 0, end = ReadLanesOp::countParts(columns); part < end;
         ++part) {
      DenseMap<Value, Value> computed;
      bits.push_back(inLane(vector, part, computed));
    }
    return tensor::SplatOp::create(*this, LaneBitsOp::create(*this, bits),
                                   words);
  }

  /// A part of what the lanes compute of a vector.
  Value inLane(Value vector, int64_t part, DenseMap<Value, Value> &computed) {
    if (isSplat(vector))
      return scalarOf(vector);
    if (Value known = computed.lookup(vector))
      return known;
    Operation *op = vector.getDefiningOp();
    Value result;
    Type element = cast<RankedTensorType>(vector.getType()).getElementType();
    if (auto read = dyn_cast<ReadOp>(op)) {
      result = readByLanes(read).getParts()[part];
      if (result.getType() != element)
        result = arith::BitcastOp::create(*this, element, result);
    } else {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(inLane(operand, part, computed));
      result = create(op->getLoc(), op->getName().getIdentifier(), operands,
                      element, op->getAttrs())
                   ->getResult(0);
    }
    computed[vector] = result;
    return result;
  }

  DenseMap<Operation *, ReadLanesOp> reads;
  ReadLanesOp readByLanes(ReadOp read) {
    ReadLanesOp &lanes = reads[read];
    if (!lanes) {
      OpBuilder::InsertionGuard guard(*this);
      setInsertionPoint(read);
      lanes = createReadByLanes(*this, read);
    }
    return lanes;
  }
};

/// The condition of one selection.
class ConditionPacker {
public:
  explicit ConditionPacker(arith::SelectOp select)
      : select(select),
        type(cast<RankedTensorType>(select.getCondition().getType())),
        words(select, type) {}

  bool run() {
    Value condition = select.getCondition(), packed = pack(condition);
    if (packed == condition)
      return false;
    select.getConditionMutable().assign(packed);
    eraseUnused(condition);
    return true;
  }

private:
  arith::SelectOp select;
  RankedTensorType type;
  WordBuilder words;

  static void flatten(Value value, OperationName name,
                      SmallVectorImpl<Value> &terms) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getName() != name)
      return terms.push_back(value);
    flatten(op->getOperand(0), name, terms);
    flatten(op->getOperand(1), name, terms);
  }

  Value test(Value bits) { return TestBitsOp::create(words, type, bits); }

  /// The condition with bits where they are cheaper.
  Value pack(Value condition) {
    Operation *op = condition.getDefiningOp();
    if (!isa_and_present<arith::AndIOp, arith::OrIOp>(op)) {
      std::optional<Gain> gain = findGain(condition);
      return gain && gain->isEnough() ? test(words.build(condition))
                                      : condition;
    }
    SmallVector<Value> terms, packable, others;
    flatten(condition, op->getName(), terms);
    Gain gain;
    for (Value term : terms) {
      // A term that is the same for all elements may become a constant in a
      // part of a loop (`wgtile-split-range`), which decides the whole
      // condition.
      std::optional<Gain> own = isSplat(term) ? std::nullopt : findGain(term);
      if (own)
        gain += *own;
      (own ? packable : others).push_back(term);
    }
    bool isPacked = gain.isEnough(), isChanged = isPacked;
    for (Value &term : others)
      if (Value packed = pack(term); packed != term) {
        term = packed;
        isChanged = true;
      }
    if (!isChanged)
      return condition;
    if (isPacked) {
      Value all;
      for (Value term : packable) {
        Value own = words.build(term);
        all = all ? combine(op, all, own) : own;
      }
      others.insert(others.begin(), test(all));
    } else {
      others.append(packable);
    }
    // The test of a bit first: a chain of comparisons takes its predicate.
    Value result = others.front();
    for (Value term : ArrayRef(others).drop_front())
      result = combine(op, result, term);
    return result;
  }

  Value combine(Operation *op, Value left, Value right) {
    return words
        .create(op->getLoc(), op->getName().getIdentifier(),
                ValueRange{left, right}, TypeRange(left.getType()))
        ->getResult(0);
  }

  /// Erases what is no longer used of a value's expression: a read that is left
  /// would take registers.
  static void eraseUnused(Value value) {
    llvm::SetVector<Operation *> candidates;
    auto add = [&](Value used) {
      if (Operation *op = used.getDefiningOp())
        candidates.insert(op);
    };
    add(value);
    while (!candidates.empty()) {
      Operation *op = candidates.pop_back_val();
      if (!isOpTriviallyDead(op))
        continue;
      llvm::for_each(op->getOperands(), add);
      op->erase();
    }
  }
};

struct PackConditionsPass
    : public wgtile::impl::WGTilePackConditionsBase<PackConditionsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      // The others have no words to spare registers with.
      bool hasBlockLoop = false, hasMmaSync = false;
      kernel.walk([&](Operation *op) {
        hasBlockLoop |= op->hasAttr(kBlockLoopAttrName);
        auto mma = dyn_cast<MmaOp>(op);
        hasMmaSync |= mma && mma.getMmaSync();
      });
      if (!hasBlockLoop || hasMmaSync)
        continue;
      SmallVector<arith::SelectOp> selects;
      kernel.walk([&](arith::SelectOp select) {
        auto type = dyn_cast<RankedTensorType>(select.getCondition().getType());
        if (type && TestBitsOp::canMake(type))
          selects.push_back(select);
      });
      for (arith::SelectOp select : selects)
        if (ConditionPacker(select).run())
          ++numPacked;
    }
  }
};
} // namespace
