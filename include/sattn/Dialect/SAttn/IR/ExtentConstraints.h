//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requirements of a function's ops on extents, sizes and indices, in terms
// of the extents of the function's arguments.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_EXTENTCONSTRAINTS_H
#define SATTN_DIALECT_SATTN_IR_EXTENTCONSTRAINTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"

namespace sattn {

/// The constraints on extents of a function's arguments. Expressions are
/// affine, or products of such. Their symbols are extents of the arguments, and
/// values that the extents do not determine; their dimensions are variables, of
/// which only bounds are known.
class ExtentConstraints {
public:
  /// Continues the constraints in the function's `sattn.extent_checks`.
  explicit ExtentConstraints(mlir::func::FuncOp function);
  ~ExtentConstraints();
  ExtentConstraints(const ExtentConstraints &) = delete;
  ExtentConstraints &operator=(const ExtentConstraints &) = delete;

  /// The expression of an extent, or of a number. A dimension below 0 counts
  /// from the end.
  mlir::AffineExpr getExtent(mlir::Value shaped, int64_t dimension);
  mlir::AffineExpr getValue(mlir::OpFoldResult number);
  mlir::AffineExpr getConstant(int64_t number);
  /// Adds a variable that takes the values from 0 to `extent` - 1.
  mlir::AffineExpr addIndex(mlir::AffineExpr extent);
  /// Adds a variable that takes the values from `first` to `last`, or none
  /// where that is less.
  mlir::AffineExpr addRange(mlir::AffineExpr first, mlir::AffineExpr last);

  /// Sets the value of a number, or an extent, that nothing in the IR tells,
  /// such as a block's argument.
  void setValue(mlir::Value number, mlir::AffineExpr expr);
  void setExtent(mlir::Value shaped, int64_t dimension, mlir::AffineExpr expr);

  /// Forgets the values that are defined in the op, since another evaluation of
  /// it gives them other values.
  void forget(mlir::Operation *op);

  /// Sets the op whose requirements follow, for diagnostics.
  void setOp(mlir::Operation *op) { current = op; }

  /// Requires `actual` to be `expected`, or `orElse` if that is given. Emits an
  /// error if it never is, or if that does not follow from extents.
  void requireEqual(mlir::AffineExpr actual, mlir::AffineExpr expected,
                    mlir::AffineExpr orElse = {});
  /// Requires `actual` to be at least `least`, unless one of `extents` is 0.
  void requireAtLeast(mlir::AffineExpr actual, mlir::AffineExpr least,
                      llvm::ArrayRef<mlir::AffineExpr> extents = {});
  /// Requires `index` to be at least 0 and less than `extent`.
  void requireInBounds(mlir::AffineExpr index, mlir::AffineExpr extent);

  /// Whether an error was emitted.
  bool hasFailed() const { return refused; }

  /// {constant = i64} or {argument = i64, dimension = i64}; null for any other.
  mlir::DictionaryAttr describe(mlir::AffineExpr extent);

  /// Sets the function's attribute.
  void record();

private:
  struct Symbol {
    /// The extent of an argument's dimension, where not negative.
    int64_t argument = -1, dimension = 0;
    /// Where not an argument's.
    mlir::Value value;
    bool isExtent = false;
  };
  /// Bounds of a variable. It is at least every expression of `lower`, or with
  /// `anyOfLower` at least one of them; `upper` likewise.
  struct Variable {
    llvm::SmallVector<mlir::AffineExpr> lower, upper;
    bool anyOfLower = false, anyOfUpper = false;
    /// Whether the variable may have no value; then nothing must hold.
    bool mayBeNone = false;
    /// Whether the variable is a condition, 0 or 1.
    bool isCondition = false;
  };
  /// Clauses that must all hold; one expression of each must not be negative.
  using Clauses = llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr>>;
  struct Check {
    bool isEqual;
    llvm::SmallVector<mlir::AffineExpr> pairs;
    bool operator==(const Check &other) const {
      return isEqual == other.isEqual && pairs == other.pairs;
    }
  };

  mlir::AffineExpr simplify(mlir::AffineExpr expr);
  mlir::AffineExpr addSymbol(Symbol symbol);
  mlir::AffineExpr addVariable(Variable variable);
  mlir::AffineExpr computeExtent(mlir::OpResult shaped, int64_t dimension);
  mlir::AffineExpr reifyExtent(mlir::OpResult shaped, int64_t dimension);
  mlir::AffineExpr computeValue(mlir::OpResult number);
  /// `yes` where the condition holds, else `no`.
  mlir::AffineExpr choose(mlir::Value condition, mlir::AffineExpr yes,
                          mlir::AffineExpr no);
  /// A condition variable that occurs in `expr`, or null.
  mlir::AffineExpr findCondition(mlir::AffineExpr expr);
  bool isNonNegative(mlir::AffineExpr expr);
  bool isKnown(mlir::AffineExpr expr);
  /// Clauses that suffice for `expr` not to be negative.
  Clauses solve(mlir::AffineExpr expr);
  void addCheck(Check check);
  void refuse(mlir::AffineExpr first, mlir::AffineExpr second);

  mlir::func::FuncOp function;
  mlir::MLIRContext *context;
  mlir::Operation *current = nullptr;
  bool refused = false;
  llvm::SmallVector<Symbol> symbols;
  llvm::SmallVector<Variable> variables;
  llvm::SmallVector<Check> checks;
  /// Extents by tensor and dimension, numbers by value and -1.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::AffineExpr> known;
  /// Made to learn shapes. They stay while values are keys.
  llvm::SmallVector<mlir::Operation *> reified;
};

/// Dictionary attribute on a func.func of what must hold of its arguments'
/// extents before it runs (`sattn-record-contracts`):
///  - `extents`: an array<i64: argument, dimension> for each symbol of the
///  maps;
///  - `checks`: {equal = map} or {at_least = map}. Results of a map are pairs;
///    of one pair at least the first is equal to, or at least, the second.
inline constexpr llvm::StringLiteral kExtentChecksAttrName =
    "sattn.extent_checks";
/// Unit attribute on a func.func whose requirements on extents and indices the
/// caller vouches for: they are not recorded, and nothing is refused.
inline constexpr llvm::StringLiteral kUncheckedAttrName = "sattn.unchecked";

} // namespace sattn

#include "sattn/Dialect/SAttn/IR/ExtentConstraintOpInterface.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_EXTENTCONSTRAINTS_H
