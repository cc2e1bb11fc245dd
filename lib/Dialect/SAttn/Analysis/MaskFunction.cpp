//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskFunction.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn::mask;

/// Most cases of a number.
static constexpr unsigned kMostCases = 8;
/// The bound that batches, heads and 64-bit elements stay below; otherwise the
/// block counts as mixed.
static constexpr int64_t kMostNumber = int64_t(1) << 40;

MaskFunction::MaskFunction(Formulas &formulas, Region &region)
    : f(formulas), b(formulas.b) {
  Block &block = region.front();
  int64_t positions = std::numeric_limits<int32_t>::max();
  numbers[block.getArgument(0)] =
      of(f.makeUniform(f.operands.batch, 0, positions));
  numbers[block.getArgument(1)] =
      of(f.makeUniform(f.operands.head, 0, positions));
  unsigned query = f.operands.isTransposed ? 3 : 2;
  numbers[block.getArgument(query)] = of({1, 0, 0, {}});
  numbers[block.getArgument(5 - query)] = of({0, 1, 0, {}});
  for (unsigned i = 4; i < block.getNumArguments(); ++i)
    captures[block.getArgument(i)] = i - 4;
  for (Operation &op : block.without_terminator())
    interpret(op);
  result = formulaOf(block.getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Numbers in cases
//===----------------------------------------------------------------------===//

Number MaskFunction::numberOf(Value value) {
  auto found = numbers.find(value);
  if (found != numbers.end())
    return found->second;
  auto capture = captures.find(value);
  if (capture == captures.end() || !value.getType().isSignlessInteger())
    return {};
  Value number =
      f.operands.getNumber ? f.operands.getNumber(capture->second) : Value();
  if (!number)
    return {};
  Type type = value.getType();
  int64_t least = -kMostNumber, most = kMostNumber;
  if (type.getIntOrFloatBitWidth() <= 32) {
    most = llvm::maxIntN(type.getIntOrFloatBitWidth());
    least = llvm::minIntN(type.getIntOrFloatBitWidth());
  }
  Linear form = f.makeUniform(b.widen(number), least, most);
  requireBits(form, type);
  return numbers[value] = of(form);
}

const Formula *MaskFunction::formulaOf(Value value) {
  auto found = conditions.find(value);
  return found == conditions.end() ? f.makeUnknown() : found->second;
}

void MaskFunction::requireBits(const Linear &x, Type type) {
  // An index and i64 hold whatever is small enough to be followed.
  int64_t least = -kMostNumber, most = kMostNumber;
  if (type.isInteger() && type.getIntOrFloatBitWidth() <= 32) {
    most = llvm::maxIntN(type.getIntOrFloatBitWidth());
    least = llvm::minIntN(type.getIntOrFloatBitWidth());
  }
  if (f.getLeast(x) < least)
    f.addGuard(b.less(f.getRange(x).lower, b.number(least)));
  if (f.getMost(x) > most)
    f.addGuard(b.less(b.number(most), f.getRange(x).upper));
}

void MaskFunction::requireNotNegative(const Linear &x) {
  if (f.getLeast(x) < 0)
    f.addGuard(b.less(f.getRange(x).lower, b.number(0)));
}

void MaskFunction::set(Operation &op, Number number) {
  for (Number::Case &each : number.cases)
    if (!f.isSmall(each.value))
      return; // Nothing is known.
  for (Number::Case &each : number.cases)
    requireBits(each.value, op.getResult(0).getType());
  numbers[op.getResult(0)] = std::move(number);
}

Number MaskFunction::makeSymbol(const Linear &x, const Linear &y,
                                Interval range, int64_t least, int64_t most) {
  Symbol symbol{range, least, most};
  symbol.isUniform = f.isUniform(x) && f.isUniform(y);
  if (symbol.isUniform)
    return of(f.makeUniform(range.lower, least, most));
  symbol.onQuery = f.dependsOn(x, Axis::Query) || f.dependsOn(y, Axis::Query);
  symbol.onKey = f.dependsOn(x, Axis::Key) || f.dependsOn(y, Axis::Key);
  return of(f.makeLinear(f.addSymbol(symbol)));
}

Linear MaskFunction::collapse(const Number &number) {
  if (number.cases.size() == 1)
    return number.cases.front().value;
  Symbol symbol;
  symbol.least = std::numeric_limits<int64_t>::max();
  symbol.most = std::numeric_limits<int64_t>::min();
  symbol.onQuery = symbol.onKey = true;
  for (const Number::Case &each : number.cases) {
    symbol.least = std::min(symbol.least, f.getLeast(each.value));
    symbol.most = std::max(symbol.most, f.getMost(each.value));
  }
  for (const Number::Case &each : number.cases) {
    Interval range = f.getRange(each.value);
    Value isPossible = f.mayHold(each.condition);
    Value lower = b.select(isPossible, range.lower, b.number(symbol.most));
    Value upper = b.select(isPossible, range.upper, b.number(symbol.least));
    symbol.range.lower = b.tightenUpper(symbol.range.lower, lower);
    symbol.range.upper = b.tightenLower(symbol.range.upper, upper);
  }
  return f.makeLinear(f.addSymbol(symbol));
}

Number MaskFunction::transform(const Number &x,
                               function_ref<Number(const Linear &)> compute) {
  Number all;
  for (const Number::Case &each : x.cases) {
    Number here = compute(each.value);
    if (!here.isKnown())
      return {};
    for (Number::Case &inner : here.cases) {
      const Formula *condition = f.makeAnd(each.condition, inner.condition);
      if (condition->kind != Formula::False)
        all.cases.push_back({condition, std::move(inner.value)});
    }
  }
  if (all.cases.size() > kMostCases)
    return of(collapse(all));
  return all;
}

Number MaskFunction::combine(
    Number x, Number y,
    function_ref<Number(const Linear &, const Linear &)> compute) {
  if (!x.isKnown() || !y.isKnown())
    return {};
  if (x.cases.size() * y.cases.size() > kMostCases) {
    Number &larger = x.cases.size() > y.cases.size() ? x : y;
    larger = of(collapse(larger));
  }
  return transform(x, [&](const Linear &first) {
    return transform(
        y, [&](const Linear &second) { return compute(first, second); });
  });
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// A remainder equals a number if the dividend minus the number is a multiple
/// of the divisor and the number is a possible remainder.
const Formula *MaskFunction::isZero(const Linear &form) {
  if (form.query == 0 && form.key == 0 && form.constant == 0 &&
      form.terms.size() == 2 && form.terms[0].second == -form.terms[1].second &&
      std::abs(form.terms[0].second) == 1) {
    // Two remainders of one divisor.
    const Symbol &x = f.getSymbol(form.terms[0].first),
                 &y = f.getSymbol(form.terms[1].first);
    if (x.kind == Symbol::Remainder && y.kind == Symbol::Remainder &&
        (x.divisor == y.divisor ||
         (x.constantDivisor && x.constantDivisor == y.constantDivisor)))
      return f.makeMultiple(x.of - y.of, x.divisor, true);
  }
  if (form.query == 0 && form.key == 0)
    for (auto [number, coefficient] : form.terms) {
      const Symbol &symbol = f.getSymbol(number);
      if (symbol.kind != Symbol::Remainder || std::abs(coefficient) != 1)
        continue;
      Linear rest = f.makeLinear(number) - form * coefficient;
      if (!f.isUniform(rest))
        continue;
      const Formula *isMultiple =
          f.makeMultiple(symbol.of - rest, symbol.divisor, true);
      Linear most = symbol.constantDivisor
                        ? makeConstant(symbol.constantDivisor - 1)
                        : f.makeUniform(symbol.divisor, 1, kMostNumber) +
                              makeConstant(-1);
      const Formula *isRemainder =
          f.makeAnd(f.makeAtLeastZero(rest), f.makeAtLeastZero(most - rest));
      return f.makeAnd(isMultiple, isRemainder);
    }
  return f.makeAnd(f.makeAtLeastZero(form), f.makeAtLeastZero(-form));
}

const Formula *MaskFunction::compare(arith::CmpIPredicate predicate,
                                     const Linear &x, const Linear &y) {
  using Predicate = arith::CmpIPredicate;
  auto atMost = [&](const Linear &first, const Linear &second) {
    return f.makeAtLeastZero(second - first);
  };
  // A negative number is a large one.
  auto isBelow = [&](const Linear &first, const Linear &second) {
    requireNotNegative(second);
    return f.makeAnd(f.makeAtLeastZero(first), f.invert(atMost(second, first)));
  };
  switch (predicate) {
  case Predicate::eq:
    return isZero(x - y);
  case Predicate::ne:
    return f.invert(isZero(x - y));
  case Predicate::sle:
    return atMost(x, y);
  case Predicate::sge:
    return atMost(y, x);
  case Predicate::slt:
    return f.invert(atMost(y, x));
  case Predicate::sgt:
    return f.invert(atMost(x, y));
  case Predicate::ult:
    return isBelow(x, y);
  case Predicate::uge:
    return f.invert(isBelow(x, y));
  case Predicate::ugt:
    return isBelow(y, x);
  case Predicate::ule:
    return f.invert(isBelow(y, x));
  }
  llvm_unreachable("all predicates are above");
}

void MaskFunction::compare(arith::CmpIOp op) {
  auto predicate = op.getPredicate();
  if (op.getLhs().getType().isInteger(1)) {
    const Formula *x = formulaOf(op.getLhs()), *y = formulaOf(op.getRhs());
    if (predicate == arith::CmpIPredicate::eq)
      conditions[op] = f.choose({{x, y}, {f.invert(x), f.invert(y)}});
    else if (predicate == arith::CmpIPredicate::ne)
      conditions[op] = f.choose({{x, f.invert(y)}, {f.invert(x), y}});
    return;
  }
  Number x = numberOf(op.getLhs()), y = numberOf(op.getRhs());
  if (!x.isKnown() || !y.isKnown())
    return;
  if (x.cases.size() * y.cases.size() > 2 * kMostCases) {
    Number &larger = x.cases.size() > y.cases.size() ? x : y;
    larger = of(collapse(larger));
  }
  SmallVector<std::pair<const Formula *, const Formula *>> cases;
  for (const Number::Case &first : x.cases)
    for (const Number::Case &second : y.cases)
      cases.push_back({f.makeAnd(first.condition, second.condition),
                       compare(predicate, first.value, second.value)});
  conditions[op] = f.choose(cases);
}

void MaskFunction::choose(arith::SelectOp op) {
  const Formula *condition = formulaOf(op.getCondition());
  if (op.getType().isInteger(1)) {
    conditions[op] =
        f.choose({{condition, formulaOf(op.getTrueValue())},
                  {f.invert(condition), formulaOf(op.getFalseValue())}});
    return;
  }
  Number x = numberOf(op.getTrueValue()), y = numberOf(op.getFalseValue());
  if (!x.isKnown() || !y.isKnown())
    return;
  // An unknown condition may be both: then the cases are not apart.
  Number all;
  for (auto &[guarded, number] :
       {std::pair(condition, &x), std::pair(f.invert(condition), &y)})
    for (const Number::Case &each : number->cases) {
      const Formula *here = f.makeAnd(guarded, each.condition);
      if (here->kind != Formula::False)
        all.cases.push_back({here, each.value});
    }
  if (all.cases.size() > kMostCases)
    all = of(collapse(all));
  set(*op, std::move(all));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

std::optional<Value> MaskFunction::getDivisor(const Linear &divisor) {
  if (divisor.isConstant()) {
    if (divisor.constant < 1 || divisor.constant > kMostNumber)
      return std::nullopt;
    return b.number(divisor.constant);
  }
  if (!f.isUniform(divisor))
    return std::nullopt;
  Value value = f.getRange(divisor).lower;
  Value isPositive = b.less(b.number(0), value);
  if (f.getLeast(divisor) < 1)
    f.addGuard(b.invert(isPositive));
  // The guard does not keep the division from being computed.
  return b.select(isPositive, value, b.number(1));
}

Number MaskFunction::floorDiv(const Linear &x, const Linear &divisor) {
  std::optional<Value> by = getDivisor(divisor);
  if (!by || !f.isSmall(x))
    return {};
  int64_t known = divisor.isConstant() ? divisor.constant : 0;
  auto divides = [&](int64_t part) { return known && part % known == 0; };
  if (divides(x.query) && divides(x.key) &&
      llvm::all_of(x.terms, [&](auto &term) { return divides(term.second); })) {
    Linear result = makeConstant(llvm::divideFloorSigned(x.constant, known));
    result.query = x.query / known;
    result.key = x.key / known;
    for (auto [symbol, coefficient] : x.terms)
      result.terms.push_back({symbol, coefficient / known});
    return of(result);
  }
  int64_t least = f.getLeast(x), most = f.getMost(x);
  if (known) {
    least = llvm::divideFloorSigned(least, known);
    most = llvm::divideFloorSigned(most, known);
  } else { // By 1 or more.
    least = std::min<int64_t>(least, 0);
    most = std::max<int64_t>(most, 0);
  }
  Interval range = f.getRange(x);
  if (f.isUniform(x))
    return of(f.makeUniform(b.floorDiv(range.lower, *by), least, most));
  Symbol symbol{{b.floorDiv(range.lower, *by), b.floorDiv(range.upper, *by)},
                least,
                most};
  symbol.onQuery = f.dependsOn(x, Axis::Query);
  symbol.onKey = f.dependsOn(x, Axis::Key);
  symbol.kind = Symbol::Quotient;
  symbol.of = x;
  symbol.divisor = *by;
  symbol.constantDivisor = known;
  return of(f.makeLinear(f.addSymbol(symbol)));
}

Number MaskFunction::mod(const Linear &x, const Linear &divisor) {
  std::optional<Value> by = getDivisor(divisor);
  if (!by || !f.isSmall(x))
    return {};
  int64_t known = divisor.isConstant() ? divisor.constant : 0;
  if (known && f.getLeast(x) >= 0 && f.getMost(x) < known)
    return of(x);
  int64_t most = (known ? known : f.getMost(divisor)) - 1;
  Interval range = f.getRange(x);
  if (f.isUniform(x))
    return of(f.makeUniform(b.mod(range.lower, *by), 0, most));
  // All of one period, or any remainder.
  Value isOne =
      b.equal(b.floorDiv(range.lower, *by), b.floorDiv(range.upper, *by));
  Symbol symbol{
      {b.select(isOne, b.mod(range.lower, *by), b.number(0)),
       b.select(isOne, b.mod(range.upper, *by), b.sub(*by, b.number(1)))},
      0,
      most};
  symbol.onQuery = f.dependsOn(x, Axis::Query);
  symbol.onKey = f.dependsOn(x, Axis::Key);
  symbol.kind = Symbol::Remainder;
  symbol.of = x;
  symbol.divisor = *by;
  symbol.constantDivisor = known;
  return of(f.makeLinear(f.addSymbol(symbol)));
}

Number MaskFunction::mirror(const Linear &x,
                            function_ref<Number(const Linear &)> compute) {
  if (f.getLeast(x) >= 0)
    return compute(x);
  Number above = compute(x), below = compute(-x);
  if (!above.isKnown() || !below.isKnown())
    return {};
  const Formula *isAbove = f.makeAtLeastZero(x);
  Number all;
  for (Number::Case &each : above.cases)
    all.cases.push_back({f.makeAnd(isAbove, each.condition), each.value});
  for (Number::Case &each : below.cases)
    all.cases.push_back(
        {f.makeAnd(f.invert(isAbove), each.condition), -each.value});
  llvm::erase_if(all.cases, [](const Number::Case &each) {
    return each.condition->kind == Formula::False;
  });
  return all;
}

Number MaskFunction::multiply(const Linear &x, const Linear &y) {
  if (x.isConstant())
    return of(y * x.constant);
  if (y.isConstant())
    return of(x * y.constant);
  // Products of the ends.
  __int128 ends[] = {f.getLeast(x), f.getMost(x)};
  __int128 others[] = {f.getLeast(y), f.getMost(y)};
  __int128 least = 0, most = 0;
  for (__int128 end : ends)
    for (__int128 other : others) {
      least = std::min(least, end * other);
      most = std::max(most, end * other);
    }
  constexpr __int128 kMost = int64_t(1) << 60;
  if (least < -kMost || most > kMost)
    return {};
  Interval first = f.getRange(x), second = f.getRange(y);
  if (f.isUniform(x) && f.isUniform(y))
    return of(f.makeUniform(b.mul(first.lower, second.lower), least, most));
  Interval range;
  for (Value end : {first.lower, first.upper})
    for (Value other : {second.lower, second.upper}) {
      Value product = b.mul(end, other);
      range.lower = b.tightenUpper(range.lower, product);
      range.upper = b.tightenLower(range.upper, product);
    }
  return makeSymbol(x, y, range, least, most);
}

/// A bitwise op on numbers that are not negative; masks of the last bits and
/// the complement take any.
Number MaskFunction::bitwise(Operation &op, const Linear &x, const Linear &y) {
  const Linear &bits = y.isConstant() ? y : x, &other = y.isConstant() ? x : y;
  if (isa<arith::AndIOp>(op)) {
    if (bits.isConstant() && bits.constant >= 0 &&
        llvm::isPowerOf2_64(bits.constant + 1))
      return mod(other, makeConstant(bits.constant + 1));
  } else if (isa<arith::XOrIOp>(op) && bits == makeConstant(-1)) {
    return of(-other - makeConstant(1));
  }
  if (x.isConstant() && y.isConstant())
    return of(makeConstant(isa<arith::AndIOp>(op)  ? x.constant & y.constant
                           : isa<arith::OrIOp>(op) ? x.constant | y.constant
                                                   : x.constant ^ y.constant));
  requireNotNegative(x);
  requireNotNegative(y);
  if (!f.isSmall(x) || !f.isSmall(y))
    return {};
  Interval first = f.getRange(x), second = f.getRange(y);
  if (f.isUniform(x) && f.isUniform(y)) {
    auto exact =
        TypeSwitch<Operation *, Value>(&op)
            .Case([&](arith::AndIOp) {
              return b.createOrFold<arith::AndIOp>(first.lower, second.lower);
            })
            .Case([&](arith::OrIOp) {
              return b.createOrFold<arith::OrIOp>(first.lower, second.lower);
            })
            .Default([&](Operation *) {
              return b.createOrFold<arith::XOrIOp>(first.lower, second.lower);
            });
    return of(f.makeUniform(exact, -kMostNumber, kMostNumber));
  }
  // x & y <= min(x, y); x | y and x ^ y <= x + y.
  Value upper = isa<arith::AndIOp>(op) ? b.min(first.upper, second.upper)
                                       : b.add(first.upper, second.upper);
  Value lower =
      isa<arith::OrIOp>(op) ? b.max(first.lower, second.lower) : b.number(0);
  // Where the guard holds anything is true.
  int64_t most =
      std::max<int64_t>(f.getMost(x), 0) + std::max<int64_t>(f.getMost(y), 0);
  return makeSymbol(x, y, {lower, upper},
                    std::min<int64_t>({f.getLeast(x), f.getLeast(y), 0}), most);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Combines formulas of i1 by and, or and exclusive or.
void MaskFunction::combine(Operation &op) {
  const Formula *x = formulaOf(op.getOperand(0)),
                *y = formulaOf(op.getOperand(1));
  const Formula *&value = conditions[op.getResult(0)];
  if (isa<arith::AndIOp>(op))
    value = f.makeAnd(x, y);
  else if (isa<arith::OrIOp>(op))
    value = f.makeOr(x, y);
  else
    value = f.choose({{x, f.invert(y)}, {f.invert(x), y}});
}

void MaskFunction::convert(Operation &op, bool isSigned) {
  Value from = op.getOperand(0);
  Type type = op.getResult(0).getType();
  if (from.getType().isInteger(1)) {
    const Formula *condition = formulaOf(from);
    if (condition->kind == Formula::Unknown)
      return;
    Linear one = makeConstant(isSigned ? -1 : 1);
    Number number;
    for (auto [holds, value] :
         {std::pair(condition, one),
          std::pair(f.invert(condition), makeConstant(0))})
      if (holds->kind != Formula::False)
        number.cases.push_back({holds, value});
    return set(op, std::move(number));
  }
  Number number = numberOf(from);
  if (!number.isKnown())
    return;
  if (type.isInteger(1)) { // The last bit.
    SmallVector<std::pair<const Formula *, const Formula *>> cases;
    for (const Number::Case &each : number.cases)
      cases.push_back(
          {each.condition, f.makeMultiple(each.value, b.number(2), false)});
    conditions[op.getResult(0)] = f.choose(cases);
    return;
  }
  if (!isSigned)
    for (const Number::Case &each : number.cases)
      requireNotNegative(each.value);
  set(op, std::move(number));
}

/// Reads an element of a captured tensor at `indices`.
void MaskFunction::read(Operation &op, unsigned capture, ValueRange indices) {
  Type type = op.getResult(0).getType();
  if (!type.isSignlessInteger())
    return;
  SmallVector<Value> lead;
  std::optional<Axis> axis;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Number number = numberOf(index);
    if (number.cases.size() != 1)
      return;
    const Linear &form = number.cases.front().value;
    if (f.isUniform(form)) {
      lead.push_back(b.createOrFold<arith::IndexCastOp>(
          b.getIndexType(), f.getRange(form).lower));
      continue;
    }
    if (dim + 1 != indices.size() || !form.terms.empty() || form.constant != 0)
      return;
    if (form.query == 1 && form.key == 0)
      axis = Axis::Query;
    else if (form.query == 0 && form.key == 1)
      axis = Axis::Key;
    else
      return;
  }
  int64_t least = -kMostNumber, most = kMostNumber;
  if (type.getIntOrFloatBitWidth() <= 32) {
    most = llvm::maxIntN(type.getIntOrFloatBitWidth());
    least = llvm::minIntN(type.getIntOrFloatBitWidth());
  }
  if (!axis) {
    if (!f.operands.getElement)
      return;
    if (Value element = f.operands.getElement(capture, lead))
      set(op, of(f.makeUniform(b.widen(element), least, most)));
    return;
  }
  if (!f.operands.getElements)
    return;
  std::optional<Interval> range = f.operands.getElements(capture, lead, *axis);
  if (!range)
    return;
  Symbol symbol{*range, least, most};
  symbol.onQuery = axis == Axis::Query;
  symbol.onKey = axis == Axis::Key;
  if (type.getIntOrFloatBitWidth() > 32) {
    f.addGuard(b.less(range->lower, b.number(least)));
    f.addGuard(b.less(b.number(most), range->upper));
  }
  set(op, of(f.makeLinear(f.addSymbol(symbol))));
}

void MaskFunction::compute(Operation &op) {
  Number x = numberOf(op.getOperand(0)), y;
  if (op.getNumOperands() > 1)
    y = numberOf(op.getOperand(1));
  auto shift = [](const Linear &by) -> std::optional<int64_t> {
    if (!by.isConstant() || by.constant < 0 || by.constant > 31)
      return std::nullopt;
    return int64_t(1) << by.constant;
  };
  auto larger = [&](const Linear &first, const Linear &second) -> Number {
    const Formula *isFirst = f.makeAtLeastZero(first - second);
    if (isFirst->kind == Formula::Unknown)
      return {};
    Number all;
    for (auto &[condition, value] :
         {std::pair(isFirst, &first), std::pair(f.invert(isFirst), &second)})
      if (condition->kind != Formula::False)
        all.cases.push_back({condition, *value});
    return all;
  };
  auto smaller = [&](const Linear &first, const Linear &second) {
    Number number = larger(-first, -second);
    for (Number::Case &each : number.cases)
      each.value = -each.value;
    return number;
  };
  auto divide = [&](const Linear &first, const Linear &by) {
    return mirror(first, [&](const Linear &x) { return floorDiv(x, by); });
  };
  auto quotient = [&](const Linear &first, const Linear &by) {
    if (!by.isConstant() || by.constant >= 0)
      return divide(first, by);
    return divide(-first, -by);
  };
  auto remainder = [&](const Linear &first, const Linear &by) {
    Linear modulus = by.isConstant() && by.constant < 0 ? -by : by;
    return mirror(first, [&](const Linear &x) { return mod(x, modulus); });
  };
  auto isUnsigned = isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp,
                        arith::MinUIOp, arith::MaxUIOp, arith::ShRUIOp>(op);
  auto each = [&](const Linear &first, const Linear &second) -> Number {
    if (isUnsigned) {
      requireNotNegative(first);
      requireNotNegative(second);
    }
    return TypeSwitch<Operation *, Number>(&op)
        .Case([&](arith::AddIOp) { return of(first + second); })
        .Case([&](arith::SubIOp) { return of(first - second); })
        .Case([&](arith::MulIOp) { return multiply(first, second); })
        .Case<arith::DivSIOp, arith::DivUIOp>(
            [&](auto) { return quotient(first, second); })
        .Case<arith::RemSIOp, arith::RemUIOp>(
            [&](auto) { return remainder(first, second); })
        .Case([&](arith::FloorDivSIOp) {
          if (second.isConstant() && second.constant < 0)
            return floorDiv(-first, -second);
          return floorDiv(first, second);
        })
        .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) {
          Number number = floorDiv(-first, second);
          for (Number::Case &part : number.cases)
            part.value = -part.value;
          return number;
        })
        .Case<arith::MaxSIOp, arith::MaxUIOp>(
            [&](auto) { return larger(first, second); })
        .Case<arith::MinSIOp, arith::MinUIOp>(
            [&](auto) { return smaller(first, second); })
        .Case([&](arith::ShLIOp) {
          std::optional<int64_t> factor = shift(second);
          return factor ? of(first * *factor) : Number();
        })
        .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) {
          std::optional<int64_t> factor = shift(second);
          return factor ? floorDiv(first, makeConstant(*factor)) : Number();
        })
        .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
            [&](auto) { return bitwise(op, first, second); })
        .Default([](Operation *) { return Number(); });
  };
  if (isa<math::AbsIOp>(op))
    return set(op, transform(x, [&](const Linear &value) {
                 return larger(value, -value);
               }));
  if (op.getNumOperands() == 2)
    set(op, combine(x, y, each));
}

/// Converts a float; a captured number may be passed as a float.
void MaskFunction::convert(arith::FPToSIOp op) {
  auto capture = captures.find(op.getIn());
  Value number = capture == captures.end() || !f.operands.getNumber
                     ? Value()
                     : f.operands.getNumber(capture->second);
  unsigned bits = op.getType().getIntOrFloatBitWidth();
  if (!number || bits > 32)
    return;
  Value whole = arith::FPToSIOp::create(b, op.getType(), number);
  numbers[op] = of(
      f.makeUniform(b.widen(whole), llvm::minIntN(bits), llvm::maxIntN(bits)));
}

void MaskFunction::interpret(Operation &op) {
  if (op.getNumResults() != 1)
    return;
  Value result = op.getResult(0);
  APInt constant;
  if (auto value = dyn_cast<arith::ConstantOp>(op)) {
    if (!matchPattern(result, m_ConstantInt(&constant)))
      return;
    if (result.getType().isInteger(1))
      conditions[result] = f.makeTruth(constant.isOne());
    else if (constant.isSignedIntN(62))
      set(op, of(makeConstant(constant.getSExtValue())));
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    auto capture = captures.find(extract.getTensor());
    if (capture != captures.end())
      read(op, capture->second, extract.getIndices());
    return;
  }
  if (auto whole = dyn_cast<arith::FPToSIOp>(op))
    return convert(whole);
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return compare(cmp);
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && select.getCondition().getType().isInteger(1))
    return choose(select);
  if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(op))
    return convert(op, /*isSigned=*/true);
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return convert(op, /*isSigned=*/false);
  if (result.getType().isInteger(1)) {
    if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
      combine(op);
    return;
  }
  if (result.getType().isIntOrIndex() && op.getNumOperands() > 0)
    compute(op);
}

//===----------------------------------------------------------------------===//
// The verdict on a block
//===----------------------------------------------------------------------===//

struct MaskBlocks::Impl {
  Impl(OpBuilder &builder, Location loc, Region &region, BlockOperands given)
      : operands(std::move(given)), b(loc, builder), formulas(b, operands),
        function(formulas, region) {}

  BlockOperands operands;
  BoundBuilder b;
  Formulas formulas;
  MaskFunction function;
};

MaskBlocks::MaskBlocks(OpBuilder &b, Location loc, Region &region,
                       BlockOperands operands)
    : impl(std::make_unique<Impl>(b, loc, region, std::move(operands))) {}

MaskBlocks::~MaskBlocks() = default;

Verdict MaskBlocks::getVerdict() {
  BoundBuilder &b = impl->b;
  Formulas &formulas = impl->formulas;
  const Formula *mask = impl->function.getResult();
  Value any = formulas.mayHold(mask);
  Value all = b.invert(formulas.mayHold(formulas.invert(mask)));
  if (formulas.guard) {
    any = b.either(any, formulas.guard);
    all = b.both(all, b.invert(formulas.guard));
  }
  return {any, all};
}

std::optional<SmallVector<Interval>> MaskBlocks::getKeyRanges(bool isNegated,
                                                              unsigned most) {
  BoundBuilder &b = impl->b;
  Formulas &formulas = impl->formulas;
  const Formula *mask = impl->function.getResult();
  auto parts = formulas.expand(isNegated ? formulas.invert(mask) : mask, most);
  if (!parts)
    return std::nullopt;
  const Interval &all = impl->operands.key;
  SmallVector<Interval> ranges;
  for (const Conjunction &literals : *parts) {
    Interval keys = formulas.findKeys(literals);
    if (formulas.guard)
      keys = {b.select(formulas.guard, all.lower, keys.lower),
              b.select(formulas.guard, all.upper, keys.upper)};
    ranges.push_back(keys);
  }
  return ranges;
}
