//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sums of the query, the key and symbols, and formulas of them.

#include "MaskFormula.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace sattn::mask;

/// Positions at compile time; a block beyond is not analyzed.
static constexpr int64_t kMostPosition = (int64_t(1) << 30) - 1;
/// The bound that all terms of a sum stay below.
static constexpr __int128 kMostMagnitude = __int128(1) << 60;

static bool isSameNumber(Value x, Value y) {
  std::optional<int64_t> known = getConstantIntValue(x);
  return x == y || (known && known == getConstantIntValue(y));
}

//===----------------------------------------------------------------------===//
// Linear sums
//===----------------------------------------------------------------------===//

/// Saturates a number, which makes the sum too large to be used.
static int64_t narrow(__int128 value) {
  return std::clamp<__int128>(value, -kMostMagnitude, kMostMagnitude);
}

Linear sattn::mask::operator*(const Linear &x, int64_t factor) {
  auto times = [&](int64_t part) { return narrow(__int128(part) * factor); };
  Linear result{times(x.query), times(x.key), times(x.constant), {}};
  for (auto [symbol, coefficient] : x.terms)
    if (factor != 0)
      result.terms.push_back({symbol, times(coefficient)});
  return result;
}

Linear sattn::mask::operator+(const Linear &x, const Linear &y) {
  auto plus = [](int64_t a, int64_t b) { return narrow(__int128(a) + b); };
  Linear result{plus(x.query, y.query),
                plus(x.key, y.key),
                plus(x.constant, y.constant),
                {}};
  auto i = x.terms.begin(), j = y.terms.begin();
  while (i != x.terms.end() || j != y.terms.end()) {
    if (j == y.terms.end() || (i != x.terms.end() && i->first < j->first)) {
      result.terms.push_back(*i++);
    } else if (i == x.terms.end() || j->first < i->first) {
      result.terms.push_back(*j++);
    } else {
      if (int64_t sum = plus(i->second, j->second))
        result.terms.push_back({i->first, sum});
      ++i, ++j;
    }
  }
  return result;
}

Formulas::Formulas(BoundBuilder &b, const BlockOperands &operands)
    : b(b), operands(operands) {
  yes = add({Formula::True, {}, {}, {}});
  no = add({Formula::False, {}, {}, {}});
  unknown = add({Formula::Unknown, {}, {}, {}});
  for (const Interval &range : {operands.query, operands.key})
    addGuard(b.less(b.number(kMostPosition), range.upper));
}

void Formulas::addGuard(Value condition) {
  guard = guard ? b.either(guard, condition) : condition;
}

unsigned Formulas::addSymbol(Symbol symbol) {
  if (symbol.kind != Symbol::Other)
    for (auto [number, other] : llvm::enumerate(symbols))
      if (other.kind == symbol.kind && other.of == symbol.of &&
          isSameNumber(other.divisor, symbol.divisor))
        return number;
  symbols.push_back(std::move(symbol));
  return symbols.size() - 1;
}

Linear Formulas::makeLinear(unsigned symbol) const {
  return {0, 0, 0, {{symbol, 1}}};
}

Linear Formulas::makeUniform(Value value, int64_t least, int64_t most) {
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return makeConstant(*known);
  for (auto [number, other] : llvm::enumerate(symbols))
    if (other.isUniform && other.range.lower == value)
      return makeLinear(number);
  Symbol symbol{{value, value}, least, most, /*isUniform=*/true};
  return makeLinear(addSymbol(symbol));
}

bool Formulas::isUniform(const Linear &form) const {
  return form.query == 0 && form.key == 0 &&
         llvm::all_of(form.terms, [&](const auto &term) {
           return symbols[term.first].isUniform;
         });
}

bool Formulas::dependsOn(const Linear &form, Axis axis) const {
  if ((axis == Axis::Query ? form.query : form.key) != 0)
    return true;
  return llvm::any_of(form.terms, [&](const auto &term) {
    const Symbol &symbol = symbols[term.first];
    return axis == Axis::Query ? symbol.onQuery : symbol.onKey;
  });
}

int64_t Formulas::getMost(const Linear &form) const {
  __int128 sum = form.constant;
  for (int64_t coefficient : {form.query, form.key})
    sum += __int128(std::max<int64_t>(coefficient, 0)) * kMostPosition;
  for (auto [symbol, coefficient] : form.terms)
    sum += __int128(coefficient) *
           (coefficient > 0 ? symbols[symbol].most : symbols[symbol].least);
  return narrow(sum);
}

int64_t Formulas::getLeast(const Linear &form) const { return -getMost(-form); }

bool Formulas::isSmall(const Linear &form) const {
  __int128 sum = std::abs(form.constant);
  for (int64_t coefficient : {form.query, form.key})
    sum += __int128(std::abs(coefficient)) * kMostPosition;
  for (auto [symbol, coefficient] : form.terms)
    sum += __int128(std::abs(coefficient)) *
           std::max(std::abs(symbols[symbol].least),
                    std::abs(symbols[symbol].most));
  return sum < kMostMagnitude;
}

Value Formulas::getRest(const Linear &form, bool isUpper) {
  Value sum;
  for (auto [symbol, coefficient] : form.terms) {
    const Interval &range = symbols[symbol].range;
    Value end = (coefficient > 0) == isUpper ? range.upper : range.lower;
    Value part = b.times(end, coefficient);
    sum = sum ? b.add(sum, part) : part;
  }
  if (!sum)
    return b.number(form.constant);
  return form.constant == 0 ? sum : b.add(sum, b.number(form.constant));
}

Interval Formulas::getRange(const Linear &form, const Interval &query,
                            const Interval &key, const Interval &difference) {
  Interval range{getRestLower(form), getRestUpper(form)};
  auto include = [&](int64_t coefficient, const Interval &of) {
    if (coefficient == 0)
      return;
    Value first = b.times(of.lower, coefficient),
          last = b.times(of.upper, coefficient);
    range.lower = b.add(range.lower, coefficient > 0 ? first : last);
    range.upper = b.add(range.upper, coefficient > 0 ? last : first);
  };
  if (form.query != 0 && form.query == -form.key && difference.lower) {
    include(form.query, difference);
    return range;
  }
  include(form.query, query);
  include(form.key, key);
  return range;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

const Formula *Formulas::add(Formula formula) {
  formulas.push_back(std::move(formula));
  return &formulas.back();
}

const Formula *Formulas::makeAtLeastZero(Linear form) {
  if (!isSmall(form))
    return unknown;
  // All coefficients over their greatest common divisor, and the constant
  // rounded down: form >= 0 is that of integers.
  int64_t divisor = std::gcd(form.query, form.key);
  for (auto [symbol, coefficient] : form.terms)
    divisor = std::gcd(divisor, coefficient);
  if (divisor > 1) {
    form.query /= divisor;
    form.key /= divisor;
    form.constant = llvm::divideFloorSigned(form.constant, divisor);
    for (auto &term : form.terms)
      term.second /= divisor;
  }
  if (getLeast(form) >= 0)
    return yes;
  if (getMost(form) < 0)
    return no;
  return add({Formula::AtLeastZero, std::move(form), {}, {}});
}

const Formula *Formulas::makeMultiple(Linear form, Value modulus,
                                      bool isMultiple) {
  if (!isSmall(form))
    return unknown;
  std::optional<int64_t> known = getConstantIntValue(modulus);
  if (known == 1)
    return makeTruth(isMultiple);
  if (known && form.isConstant())
    return makeTruth((form.constant % *known == 0) == isMultiple);
  return add({isMultiple ? Formula::Multiple : Formula::NoMultiple,
              std::move(form),
              modulus,
              {}});
}

const Formula *Formulas::makeAnd(const Formula *x, const Formula *y) {
  if (x == no || y == no)
    return no;
  if (x == yes || x == y)
    return y;
  return y == yes ? x : add({Formula::And, {}, {}, {x, y}});
}

const Formula *Formulas::makeOr(const Formula *x, const Formula *y) {
  if (x == yes || y == yes)
    return yes;
  if (x == no || x == y)
    return y;
  return y == no ? x : add({Formula::Or, {}, {}, {x, y}});
}

const Formula *Formulas::invert(const Formula *formula) {
  if (formula->negation)
    return formula->negation;
  const Formula *result = nullptr;
  switch (formula->kind) {
  case Formula::True:
    return no;
  case Formula::False:
    return yes;
  case Formula::Unknown:
    return unknown;
  case Formula::AtLeastZero:
    result = makeAtLeastZero(-formula->form + makeConstant(-1));
    break;
  case Formula::Multiple:
  case Formula::NoMultiple:
    result = makeMultiple(formula->form, formula->modulus,
                          formula->kind == Formula::NoMultiple);
    break;
  case Formula::And:
    result = no;
    for (const Formula *operand : formula->operands)
      result = makeOr(result, invert(operand));
    break;
  case Formula::Or:
    result = yes;
    for (const Formula *operand : formula->operands)
      result = makeAnd(result, invert(operand));
    break;
  }
  const_cast<Formula *>(formula)->negation = result;
  return result;
}

const Formula *
Formulas::choose(ArrayRef<std::pair<const Formula *, const Formula *>> cases) {
  Formula result{Formula::Or, {}, {}, {}}, negation = result;
  for (auto [condition, value] : cases) {
    const Formula *here = makeAnd(condition, value),
                  *notHere = makeAnd(condition, invert(value));
    if (here == yes || notHere == yes)
      return makeTruth(here == yes);
    if (here != no)
      result.operands.push_back(here);
    if (notHere != no)
      negation.operands.push_back(notHere);
  }
  if (result.operands.empty() || negation.operands.empty())
    return makeTruth(negation.operands.empty());
  const Formula *holds = add(std::move(result)),
                *fails = add(std::move(negation));
  const_cast<Formula *>(holds)->negation = fails;
  const_cast<Formula *>(fails)->negation = holds;
  return holds;
}

/// Whether two comparisons contradict each other: their forms add up to a
/// negative number.
bool Formulas::contradict(const Formula *x, const Formula *y) const {
  if (x->kind == Formula::AtLeastZero && y->kind == Formula::AtLeastZero)
    return getMost(x->form + y->form) < 0;
  auto excludes = [](const Formula *is, const Formula *isNot) {
    return is->kind == Formula::Multiple &&
           isNot->kind == Formula::NoMultiple &&
           isSameNumber(is->modulus, isNot->modulus) && is->form == isNot->form;
  };
  return excludes(x, y) || excludes(y, x);
}

std::optional<SmallVector<Conjunction>> Formulas::expand(const Formula *formula,
                                                         unsigned most) const {
  using Disjunction = SmallVector<Conjunction>;
  switch (formula->kind) {
  case Formula::False:
    return Disjunction();
  case Formula::True:
    return Disjunction{Conjunction()};
  case Formula::Or: {
    Disjunction all;
    for (const Formula *operand : formula->operands) {
      std::optional<Disjunction> some = expand(operand, most);
      if (!some || all.size() + some->size() > most)
        return std::nullopt;
      llvm::append_range(all, *some);
    }
    return all;
  }
  case Formula::And: {
    Disjunction all{Conjunction()};
    for (const Formula *operand : formula->operands) {
      std::optional<Disjunction> some = expand(operand, most);
      if (!some)
        return std::nullopt;
      Disjunction next;
      for (const Conjunction &first : all)
        for (const Conjunction &second : *some) {
          Conjunction together = first;
          bool isPossible = llvm::all_of(second, [&](const Formula *literal) {
            if (!llvm::is_contained(together, literal))
              together.push_back(literal);
            return llvm::none_of(first, [&](const Formula *other) {
              return contradict(literal, other);
            });
          });
          if (isPossible)
            next.push_back(std::move(together));
          if (next.size() > most)
            return std::nullopt;
        }
      all = std::move(next);
    }
    return all;
  }
  default:
    return Disjunction{Conjunction{formula}};
  }
}
