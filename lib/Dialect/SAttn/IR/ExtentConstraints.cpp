//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Requirements, and how they are put in terms of the arguments' extents alone.

#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace sattn;

#include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.cpp.inc"

/// Expands products of sums into sums of products, so that equal terms cancel.
static AffineExpr distribute(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr lhs = distribute(binary.getLHS()),
             rhs = distribute(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul)
    return getAffineBinaryOpExpr(expr.getKind(), lhs, rhs);
  for (auto [sum, factor] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
    if (sum.getKind() == AffineExprKind::Add) {
      auto terms = cast<AffineBinaryOpExpr>(sum);
      return distribute(terms.getLHS() * factor) +
             distribute(terms.getRHS() * factor);
    }
  return lhs * rhs;
}

AffineExpr ExtentConstraints::simplify(AffineExpr expr) {
  return simplifyAffineExpr(distribute(expr), variables.size(), symbols.size());
}

/// Whether it has only extents of arguments and constants.
bool ExtentConstraints::isKnown(AffineExpr expr) {
  bool known = true;
  expr.walk([&](AffineExpr part) {
    known &= !isa<AffineDimExpr>(part);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      known &= symbols[symbol.getPosition()].argument >= 0;
  });
  return known;
}

/// Whether that is evident; false says nothing.
bool ExtentConstraints::isNonNegative(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()].isExtent;
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    const Variable &variable = variables[dim.getPosition()];
    auto holds = [&](AffineExpr bound) { return isNonNegative(bound); };
    return variable.anyOfLower ? llvm::all_of(variable.lower, holds)
                               : llvm::any_of(variable.lower, holds);
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mul:
    return isNonNegative(binary.getLHS()) && isNonNegative(binary.getRHS());
  case AffineExprKind::Mod:
    return divisor && divisor.getValue() > 0;
  default:
    return divisor && divisor.getValue() > 0 && isNonNegative(binary.getLHS());
  }
}

using ClauseList = SmallVector<SmallVector<AffineExpr>>;

/// Where either, or both, suffice.
static ClauseList disjoin(const ClauseList &first, const ClauseList &second) {
  ClauseList clauses;
  for (ArrayRef<AffineExpr> one : first)
    for (ArrayRef<AffineExpr> other : second) {
      SmallVector<AffineExpr> &clause = clauses.emplace_back(one);
      for (AffineExpr expr : other)
        if (!llvm::is_contained(clause, expr))
          clause.push_back(expr);
    }
  return clauses;
}

AffineExpr ExtentConstraints::findCondition(AffineExpr expr) {
  AffineExpr found;
  expr.walk([&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    if (dim && variables[dim.getPosition()].isCondition)
      found = dim;
  });
  return found;
}

// Variables are taken out one by one, conditions first, then the last: the
// bounds of one have only those before it.
ExtentConstraints::Clauses ExtentConstraints::solve(AffineExpr expr) {
  const Clauses always, never(1);
  expr = simplify(expr);
  if (AffineExpr condition = findCondition(expr)) {
    Clauses clauses = solve(expr.replace(condition, getConstant(0)));
    llvm::append_range(clauses, solve(expr.replace(condition, getConstant(1))));
    return clauses;
  }
  int64_t last = -1;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      last = std::max<int64_t>(last, dim.getPosition());
  });
  if (isNonNegative(expr))
    return always;
  if (last < 0)
    return isKnown(expr) && !isa<AffineConstantExpr>(expr) ? Clauses{{expr}}
                                                           : never;
  Variable variable = variables[last];
  AffineExpr dim = getAffineDimExpr(last, context);
  AffineExpr slope = simplify(expr.replace(dim, dim + 1) - expr);
  if (slope.isFunctionOfDim(last))
    return never;
  auto solveAt = [&](ArrayRef<AffineExpr> bounds, bool all) {
    Clauses clauses = all ? always : never;
    for (AffineExpr bound : bounds) {
      Clauses under = solve(expr.replace(dim, bound));
      if (all)
        llvm::append_range(clauses, under);
      else
        clauses = disjoin(clauses, under);
    }
    return clauses;
  };
  // It is linear in the variable, so least at one of the variable's bounds.
  Clauses clauses;
  if (!isNonNegative(simplify(-slope)))
    clauses = solveAt(variable.lower, variable.anyOfLower);
  if (!isNonNegative(slope))
    llvm::append_range(clauses, solveAt(variable.upper, variable.anyOfUpper));
  if (variable.mayBeNone && !clauses.empty())
    clauses = disjoin(
        clauses, solve(variable.lower.front() - variable.upper.front() - 1));
  return clauses;
}

void ExtentConstraints::refuse(AffineExpr first, AffineExpr second) {
  refused = true;
  InFlightDiagnostic diag =
      current->emitOpError()
      << "expected sizes and indices that are in bounds whenever the extents "
         "of the function's arguments are as the program needs them";
  auto numberOf = [](AffineExpr expr) {
    return cast<AffineConstantExpr>(expr).getValue();
  };
  if (isa<AffineConstantExpr>(first) && isa<AffineConstantExpr>(second)) {
    diag << ", but got " << numberOf(first) << " and " << numberOf(second);
    return;
  }
  DenseSet<Value> seen;
  (first - second).walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    if (!symbol)
      return;
    Value value = symbols[symbol.getPosition()].value;
    if (value && seen.insert(value).second)
      diag.attachNote(value.getLoc())
          << "known only when the program has begun to run";
  });
}

void ExtentConstraints::addCheck(Check check) {
  if (!llvm::is_contained(checks, check))
    checks.push_back(std::move(check));
}

void ExtentConstraints::requireEqual(AffineExpr actual, AffineExpr expected,
                                     AffineExpr orElse) {
  actual = simplify(actual), expected = simplify(expected);
  auto differ = [&](AffineExpr other) {
    auto difference = dyn_cast<AffineConstantExpr>(simplify(actual - other));
    return difference ? std::optional(difference.getValue() != 0)
                      : std::nullopt;
  };
  if (differ(expected) == false || (orElse && differ(orElse) == false))
    return;
  if (isKnown(actual) && isKnown(expected) && (!orElse || isKnown(orElse))) {
    bool never =
        differ(expected) == true && (!orElse || differ(orElse) == true);
    if (never)
      return refuse(actual, expected);
    Check check{/*isEqual=*/true, {actual, expected}};
    if (orElse)
      check.pairs.append({actual, orElse});
    return addCheck(std::move(check));
  }
  AffineExpr all =
      orElse ? actual + expected + orElse * 2 : actual + expected * 2;
  if (AffineExpr condition = findCondition(all)) {
    for (int64_t value : {0, 1}) {
      auto under = [&](AffineExpr expr) {
        return expr ? expr.replace(condition, getConstant(value)) : expr;
      };
      requireEqual(under(actual), under(expected), under(orElse));
    }
    return;
  }
  // A variable may have one value only.
  requireAtLeast(actual, expected);
  requireAtLeast(expected, actual);
}

void ExtentConstraints::requireAtLeast(AffineExpr actual, AffineExpr least,
                                       ArrayRef<AffineExpr> extents) {
  actual = simplify(actual), least = simplify(least);
  Clauses clauses = solve(actual - least);
  for (AffineExpr extent : extents)
    if (!clauses.empty())
      clauses = disjoin(clauses, solve(-extent));
  AffineExpr zero = getConstant(0);
  for (ArrayRef<AffineExpr> clause : clauses) {
    if (clause.empty()) {
      if (!refused)
        refuse(actual, least);
      return;
    }
    Check check{/*isEqual=*/false, {}};
    for (AffineExpr expr : clause) {
      bool isWhole =
          isKnown(actual) && isKnown(least) && simplify(actual - least) == expr;
      check.pairs.append({isWhole ? actual : expr, isWhole ? least : zero});
    }
    addCheck(std::move(check));
  }
}

void ExtentConstraints::requireInBounds(AffineExpr index, AffineExpr extent) {
  requireAtLeast(index, getConstant(0));
  requireAtLeast(extent, index + 1);
}

DictionaryAttr ExtentConstraints::describe(AffineExpr extent) {
  Builder b(context);
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return b.getDictionaryAttr(
        b.getNamedAttr("constant", b.getI64IntegerAttr(constant.getValue())));
  auto position = dyn_cast<AffineSymbolExpr>(extent);
  if (!position || !isKnown(extent))
    return {};
  const Symbol &symbol = symbols[position.getPosition()];
  return b.getDictionaryAttr(
      {b.getNamedAttr("argument", b.getI64IntegerAttr(symbol.argument)),
       b.getNamedAttr("dimension", b.getI64IntegerAttr(symbol.dimension))});
}

void ExtentConstraints::record() {
  if (checks.empty())
    return;
  Builder b(context);
  // Only the arguments' extents that checks use.
  DenseSet<unsigned> used;
  for (const Check &check : checks)
    for (AffineExpr expr : check.pairs)
      expr.walk([&](AffineExpr part) {
        if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
          used.insert(symbol.getPosition());
      });
  SmallVector<Attribute> extents;
  SmallVector<AffineExpr> numbers;
  for (auto [position, symbol] : llvm::enumerate(symbols)) {
    numbers.push_back(getAffineSymbolExpr(extents.size(), context));
    if (used.contains(position))
      extents.push_back(
          b.getDenseI64ArrayAttr({symbol.argument, symbol.dimension}));
  }
  SmallVector<Attribute> maps;
  for (const Check &check : checks) {
    SmallVector<AffineExpr> pairs;
    for (AffineExpr expr : check.pairs)
      pairs.push_back(expr.replaceSymbols(numbers));
    auto map = AffineMap::get(0, extents.size(), pairs, context);
    maps.push_back(b.getDictionaryAttr(b.getNamedAttr(
        check.isEqual ? "equal" : "at_least", AffineMapAttr::get(map))));
  }
  function->setAttr(
      kExtentChecksAttrName,
      b.getDictionaryAttr({b.getNamedAttr("extents", b.getArrayAttr(extents)),
                           b.getNamedAttr("checks", b.getArrayAttr(maps))}));
}
