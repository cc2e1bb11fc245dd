//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The values of a mask_mod over a block: sums of the query, the key and values
// of which only a range is known, in cases; and formulas of comparisons of such
// sums.

#ifndef LIB_DIALECT_SATTN_ANALYSIS_MASKFORMULA_H
#define LIB_DIALECT_SATTN_ANALYSIS_MASKFORMULA_H

#include "BoundBuilder.h"

#include "sattn/Dialect/SAttn/Analysis/MaskBlocks.h"

#include "llvm/ADT/SmallVector.h"

#include <deque>

namespace sattn::mask {

/// query * q + key * k + the symbols times their coefficients + constant, a
/// number that does not overflow.
struct Linear {
  int64_t query = 0, key = 0, constant = 0;
  /// Numbers of symbols, ascending, and coefficients other than 0.
  llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms;

  bool isConstant() const { return query == 0 && key == 0 && terms.empty(); }
  bool operator==(const Linear &) const = default;
};

Linear operator*(const Linear &x, int64_t factor);
Linear operator+(const Linear &x, const Linear &y);
inline Linear operator-(const Linear &x) { return x * -1; }
inline Linear operator-(const Linear &x, const Linear &y) { return x + -y; }
inline Linear makeConstant(int64_t value) { return {0, 0, value, {}}; }

/// A value of which a range is known: of the block, and at compile time.
struct Symbol {
  enum Kind { Other, Quotient, Remainder };

  Interval range;
  int64_t least, most;
  /// Whether the value is the same in all of the block; its range is then one
  /// value.
  bool isUniform = false;
  /// Whether it depends on the query and on the key, where it is not uniform.
  bool onQuery = false, onKey = false;
  /// The kind, and for a quotient that is rounded down, or a remainder that is
  /// not negative: the dividend, and the divisor, which is positive, uniform
  /// and of i64. The divisor as a number if it is constant, else 0.
  Kind kind = Other;
  Linear of;
  mlir::Value divisor;
  int64_t constantDivisor = 0;
};

/// A formula of i1 in negation normal form.
struct Formula {
  enum Kind {
    True,
    False,
    /// `form` is at least 0.
    AtLeastZero,
    /// `form` is a multiple of `modulus`, or is not.
    Multiple,
    NoMultiple,
    /// A formula of which nothing is known.
    Unknown,
    And,
    Or
  };
  Kind kind;
  Linear form;
  mlir::Value modulus;
  llvm::SmallVector<const Formula *, 2> operands;
  /// Another form of its negation than by De Morgan, or null.
  const Formula *negation = nullptr;
};

/// An integer in cases, of which each element of the block is in one. Without a
/// case, nothing is known.
struct Number {
  struct Case {
    const Formula *condition;
    Linear value;
  };
  llvm::SmallVector<Case, 2> cases;

  bool isKnown() const { return !cases.empty(); }
};

using Conjunction = llvm::SmallVector<const Formula *, 4>;

/// The symbols and formulas of a block, and what they are over it.
class Formulas {
public:
  Formulas(BoundBuilder &b, const BlockOperands &operands);

  BoundBuilder &b;
  const BlockOperands &operands;

  //===-- Linear sums ----------------------------------------------------===//
  unsigned addSymbol(Symbol symbol);
  const Symbol &getSymbol(unsigned number) const { return symbols[number]; }
  Linear makeLinear(unsigned symbol) const;
  /// A value of i64, within these bounds at compile time, the same for all of
  /// the block.
  Linear makeUniform(mlir::Value value, int64_t least, int64_t most);
  bool isUniform(const Linear &form) const;
  bool dependsOn(const Linear &form, Axis axis) const;
  /// The least and the greatest value of a form, at compile time.
  int64_t getLeast(const Linear &form) const;
  int64_t getMost(const Linear &form) const;
  /// Whether i64 holds all parts of the sum.
  bool isSmall(const Linear &form) const;
  /// Ends of the sum of all but the query and the key.
  mlir::Value getRestLower(const Linear &form) { return getRest(form, false); }
  mlir::Value getRestUpper(const Linear &form) { return getRest(form, true); }
  /// The range of a form over these queries, keys, and, where they have bounds,
  /// differences of the two.
  Interval getRange(const Linear &form, const Interval &query,
                    const Interval &key, const Interval &difference = {});
  /// The range of a form over the block.
  Interval getRange(const Linear &form) {
    return getRange(form, operands.query, operands.key);
  }

  //===-- Formulas -------------------------------------------------------===//
  const Formula *makeTruth(bool value) { return value ? yes : no; }
  const Formula *makeUnknown() { return unknown; }
  const Formula *makeAtLeastZero(Linear form);
  const Formula *makeMultiple(Linear form, mlir::Value modulus,
                              bool isMultiple);
  const Formula *makeAnd(const Formula *x, const Formula *y);
  const Formula *makeOr(const Formula *x, const Formula *y);
  const Formula *invert(const Formula *formula);
  /// Where the conditions exclude each other and one of them holds: the value
  /// beside it.
  const Formula *
  choose(llvm::ArrayRef<std::pair<const Formula *, const Formula *>> cases);

  /// The disjunction of conjunctions of literals that is the formula; nothing
  /// where there are more than `most`. Contradictions are left out.
  std::optional<llvm::SmallVector<Conjunction>> expand(const Formula *formula,
                                                       unsigned most) const;

  //===-- Over the block -------------------------------------------------===//
  /// Whether the formula may be true for an element of the block, of i1.
  mlir::Value mayHold(const Formula *formula);
  /// The keys of the block for which some query of the block may make all of
  /// the literals true; may be empty.
  Interval findKeys(const Conjunction &literals);

  /// Whether the block has something that the analysis cannot follow, such as
  /// an overflow: of i1, or null.
  mlir::Value guard;
  void addGuard(mlir::Value condition);

private:
  /// The part of a block that literals leave.
  struct Box {
    Interval query, key, difference;
    /// A condition that must hold besides, of i1.
    mlir::Value condition;
  };

  mlir::Value getRest(const Linear &form, bool isUpper);
  const Formula *add(Formula formula);
  bool contradict(const Formula *x, const Formula *y) const;
  Box close(const Conjunction &literals, bool forKeys);
  void restrict(Box &box, const Linear &form, bool forKeys);
  mlir::Value mayBeMultiple(const Formula &literal, const Box &box);
  mlir::Value mayHoldTogether(const Conjunction &literals);
  void require(Box &box, mlir::Value condition);
  /// The bound of the key without a quotient of it, where it has one.
  Linear solveForKey(const Linear &form) const;

  std::vector<Symbol> symbols;
  std::deque<Formula> formulas;
  const Formula *yes, *no, *unknown;
};

} // namespace sattn::mask

#endif // LIB_DIALECT_SATTN_ANALYSIS_MASKFORMULA_H
