//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The part of a block that a conjunction of comparisons leaves. Bounds of the
// query, of the key and of their difference are a system of difference
// constraints of three nodes: their shortest paths are exact, for integers too,
// since each bound is an integer. Other comparisons are tested one at a time
// over that part.

#include "MaskFormula.h"

using namespace mlir;
using namespace sattn::mask;

/// Most conjunctions of a formula; beyond, its parts are tested apart.
static constexpr unsigned kMostConjunctions = 48;

void Formulas::require(Box &box, Value condition) {
  box.condition = box.condition ? b.both(box.condition, condition) : condition;
}

Linear Formulas::solveForKey(const Linear &form) const {
  if (form.key != 0)
    return form;
  const std::pair<unsigned, int64_t> *found = nullptr;
  for (const auto &term : form.terms) {
    if (!symbols[term.first].onKey)
      continue;
    if (found)
      return form;
    found = &term;
  }
  if (!found || std::abs(found->second) != 1)
    return form;
  const Symbol &symbol = symbols[found->first];
  int64_t divisor = symbol.constantDivisor;
  if (symbol.kind != Symbol::Quotient || divisor == 0)
    return form;
  // floor(x / d) >= -rest where x >= -d * rest; floor(x / d) <= rest where
  // x <= d * rest + d - 1.
  Linear rest = form - makeLinear(found->first) * found->second;
  Linear solved = found->second > 0
                      ? symbol.of + rest * divisor
                      : rest * divisor + makeConstant(divisor - 1) - symbol.of;
  return isSmall(solved) ? solved : form;
}

/// Restricts a box by coefficient * x + rest >= 0, a bound of x: the query, the
/// key or their difference.
void Formulas::restrict(Box &box, const Linear &given, bool forKeys) {
  Linear form = forKeys ? solveForKey(given) : given;
  Value rest = getRestUpper(form);
  if (form.query == 0 && form.key == 0)
    return require(box, b.atMost(b.number(0), rest));
  bool isDifference = form.query != 0 && form.key != 0;
  if (isDifference && form.query != -form.key)
    return;
  Interval &range = isDifference      ? box.difference
                    : form.query != 0 ? box.query
                                      : box.key;
  int64_t coefficient = form.query != 0 ? form.query : form.key;
  Value most = b.floorDiv(rest, b.number(std::abs(coefficient)));
  if (coefficient > 0)
    range.lower = b.tightenLower(range.lower, b.times(most, -1));
  else
    range.upper = b.tightenUpper(range.upper, most);
}

Formulas::Box Formulas::close(const Conjunction &literals, bool forKeys) {
  Box box{operands.query, operands.key, {}, {}};
  for (const Formula *literal : literals)
    if (literal->kind == Formula::AtLeastZero)
      restrict(box, literal->form, forKeys);
  Interval query = box.query, key = box.key, difference = box.difference;
  if (difference.lower || difference.upper) {
    // Shortest paths have at most two edges.
    box.query.lower =
        b.tightenLower(query.lower, b.addBounds(key.lower, difference.lower));
    box.query.upper =
        b.tightenUpper(query.upper, b.addBounds(key.upper, difference.upper));
    box.key.lower =
        b.tightenLower(key.lower, b.subBounds(query.lower, difference.upper));
    box.key.upper =
        b.tightenUpper(key.upper, b.subBounds(query.upper, difference.lower));
  }
  box.difference.lower =
      b.tightenLower(difference.lower, b.sub(query.lower, key.upper));
  box.difference.upper =
      b.tightenUpper(difference.upper, b.sub(query.upper, key.lower));
  // No range that was restricted may be empty.
  auto mustHave = [&](const Interval &now, const Interval &before) {
    if (now.lower != before.lower || now.upper != before.upper)
      require(box, b.atMost(now.lower, now.upper));
  };
  mustHave(query, operands.query);
  mustHave(key, operands.key);
  if (difference.lower || difference.upper)
    require(box, b.atMost(box.difference.lower, box.difference.upper));
  for (const Formula *literal : literals) {
    const Linear &form = literal->form;
    if (literal->kind == Formula::AtLeastZero && form.query != 0 &&
        form.key != 0 && form.query != -form.key)
      require(box,
              b.atMost(b.number(0), getRange(form, box.query, box.key).upper));
    // Over all keys it says next to nothing.
    if ((literal->kind == Formula::Multiple ||
         literal->kind == Formula::NoMultiple) &&
        !(forKeys && dependsOn(form, Axis::Key)))
      require(box, mayBeMultiple(*literal, box));
  }
  return box;
}

/// Whether some number from the least to the greatest value of the form is a
/// multiple of the modulus, or is none, as the literal asks. The greatest
/// multiple among them is the greatest value minus its remainder.
Value Formulas::mayBeMultiple(const Formula &literal, const Box &box) {
  Interval range = getRange(literal.form, box.query, box.key, box.difference);
  if (literal.kind == Formula::Multiple)
    return b.atMost(b.mod(range.upper, literal.modulus),
                    b.sub(range.upper, range.lower));
  Value isOne = b.equal(range.lower, range.upper);
  Value isMultiple = b.equal(b.mod(range.lower, literal.modulus), b.number(0));
  Value isNone = b.either(b.both(isOne, isMultiple),
                          b.equal(literal.modulus, b.number(1)));
  return b.invert(isNone);
}

Value Formulas::mayHoldTogether(const Conjunction &literals) {
  Box box = close(literals, /*forKeys=*/false);
  return box.condition ? box.condition : b.boolean(true);
}

Value Formulas::mayHold(const Formula *formula) {
  if (auto all = expand(formula, kMostConjunctions)) {
    Value result = b.boolean(false);
    for (const Conjunction &literals : *all)
      result = b.either(result, mayHoldTogether(literals));
    return result;
  }
  bool isAnd = formula->kind == Formula::And;
  Value result = b.boolean(isAnd);
  for (const Formula *operand : formula->operands)
    result = isAnd ? b.both(result, mayHold(operand))
                   : b.either(result, mayHold(operand));
  return result;
}

Interval Formulas::findKeys(const Conjunction &literals) {
  Box box = close(literals, /*forKeys=*/true);
  Interval keys = box.key;
  if (box.condition)
    keys.upper =
        b.select(box.condition, keys.upper, b.sub(keys.lower, b.number(1)));
  return keys;
}
