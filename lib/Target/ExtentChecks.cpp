//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Checks of extents in a manifest. A message names one dimension of one
// argument if the check allows it.

#include "ExtentChecks.h"

#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace sattn;
namespace json = llvm::json;

namespace {
class ExtentCheckWriter {
public:
  ExtentCheckWriter(ArrayAttr extents, ArrayRef<std::string> names,
                    json::Array &values, json::Array &checks)
      : names(names), values(values), checks(checks) {
    for (auto extent : extents.getAsRange<DenseI64ArrayAttr>())
      symbols.push_back({extent[0], extent[1]});
  }

  void write(AffineMap map, bool isEqual) {
    ArrayRef<AffineExpr> pairs = map.getResults();
    std::optional<int64_t> holds;
    for (size_t i = 0; i < pairs.size(); i += 2) {
      int64_t actual = valueOf(pairs[i]), expected = valueOf(pairs[i + 1]);
      int64_t compared = addBinary(isEqual ? "eq" : "ge", actual, expected);
      holds = holds ? addBinary("or", *holds, compared) : compared;
    }
    checks.push_back(json::Object{
        {"value", *holds},
        {"message", isEqual ? messageOfEqual(pairs)
                            : messageOfAtLeast(pairs[0], pairs[1])}});
  }

private:
  struct Symbol {
    int64_t argument, dimension;
  };
  ArrayRef<std::string> names;
  json::Array &values, &checks;
  SmallVector<Symbol> symbols;
  DenseMap<AffineExpr, int64_t> written;

  int64_t add(json::Object expression) {
    values.push_back(std::move(expression));
    return values.size() - 1;
  }

  int64_t addBinary(StringRef op, int64_t lhs, int64_t rhs) {
    return add(json::Object{{"op", op}, {"operands", json::Array{lhs, rhs}}});
  }

  int64_t valueOf(AffineExpr expr) {
    if (auto it = written.find(expr); it != written.end())
      return it->second;
    int64_t value;
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      value =
          add(json::Object{{"op", "constant"}, {"value", constant.getValue()}});
    } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
      const Symbol &extent = symbols[symbol.getPosition()];
      value = add(json::Object{{"op", "dim"},
                               {"argument", extent.argument},
                               {"index", extent.dimension}});
    } else {
      auto binary = cast<AffineBinaryOpExpr>(expr);
      int64_t lhs = valueOf(binary.getLHS()), rhs = valueOf(binary.getRHS());
      value = addBinary(opName(expr.getKind()), lhs, rhs);
    }
    written[expr] = value;
    return value;
  }

  static StringRef opName(AffineExprKind kind) {
    switch (kind) {
    case AffineExprKind::Add:
      return "add";
    case AffineExprKind::Mul:
      return "mul";
    case AffineExprKind::FloorDiv:
      return "floordiv";
    case AffineExprKind::CeilDiv:
      return "ceildiv";
    default:
      return "mod";
    }
  }

  /// The number in a message.
  std::string number(AffineExpr expr) {
    return "{" + std::to_string(valueOf(expr)) + "}";
  }

  std::string dimension(AffineExpr symbol) {
    const Symbol &extent =
        symbols[cast<AffineSymbolExpr>(symbol).getPosition()];
    return llvm::formatv("dimension {0} of argument '{1}'", extent.dimension,
                         names[extent.argument]);
  }

  /// An expression in words, followed by its number where it is no constant.
  std::string text(AffineExpr expr) {
    std::string words = phrase(expr);
    if (isa<AffineConstantExpr>(expr))
      return words;
    return (isa<AffineSymbolExpr>(expr) ? "that of " : "") + words + ", " +
           number(expr);
  }

  std::string phrase(AffineExpr expr) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return std::to_string(constant.getValue());
    if (isa<AffineSymbolExpr>(expr))
      return dimension(expr);
    auto binary = cast<AffineBinaryOpExpr>(expr);
    auto inner = [&](AffineExpr part) {
      return isa<AffineBinaryOpExpr>(part) &&
                     expr.getKind() != AffineExprKind::Add
                 ? "(" + phrase(part) + ")"
                 : phrase(part);
    };
    std::string lhs = inner(binary.getLHS());
    AffineExpr right = binary.getRHS();
    if (expr.getKind() == AffineExprKind::Add) {
      if (auto constant = dyn_cast<AffineConstantExpr>(right);
          constant && constant.getValue() < 0)
        return lhs + " - " + std::to_string(-constant.getValue());
      auto scaled = dyn_cast<AffineBinaryOpExpr>(right);
      if (scaled && scaled.getKind() == AffineExprKind::Mul &&
          scaled.getRHS() == getAffineConstantExpr(-1, expr.getContext())) {
        bool isWhole = !isa<AffineBinaryOpExpr>(scaled.getLHS());
        std::string part = phrase(scaled.getLHS());
        return lhs + " - " + (isWhole ? part : "(" + part + ")");
      }
    }
    StringRef sign = expr.getKind() == AffineExprKind::Add        ? " + "
                     : expr.getKind() == AffineExprKind::Mul      ? " * "
                     : expr.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                     : expr.getKind() == AffineExprKind::CeilDiv  ? " ceildiv "
                                                                  : " mod ";
    return lhs + sign.str() + inner(right);
  }

  AffineExpr simplify(AffineExpr expr) {
    return simplifyAffineExpr(expr, 0, symbols.size());
  }

  /// An extent that `within` has, of which `expr` grows (1) or falls (-1) as
  /// much as it does.
  AffineExpr findExtent(AffineExpr within, AffineExpr expr, int64_t slope) {
    AffineExpr found;
    within.walk([&](AffineExpr part) {
      if (isa<AffineSymbolExpr>(part) && !found &&
          simplify(expr.replace(part, part + 1) - expr) ==
              getAffineConstantExpr(slope, expr.getContext()))
        found = part;
    });
    return found;
  }

  /// Argument and dimension of a message.
  std::string subject(AffineExpr symbol) {
    const Symbol &extent =
        symbols[cast<AffineSymbolExpr>(symbol).getPosition()];
    return llvm::formatv("argument '{0}': expected dimension {1}",
                         names[extent.argument], extent.dimension);
  }

  /// Where no extent can be isolated.
  std::string wholeMessage(AffineExpr actual, StringRef relation,
                           AffineExpr expected) {
    AffineExpr first;
    auto find = [&](AffineExpr part) {
      if (!first && isa<AffineSymbolExpr>(part))
        first = part;
    };
    actual.walk(find);
    expected.walk(find);
    int64_t argument =
        symbols[cast<AffineSymbolExpr>(first).getPosition()].argument;
    return "argument '" + names[argument] + "': expected " + phrase(actual) +
           relation.str() + text(expected) + ", but got " + number(actual);
  }

  std::string messageOfEqual(ArrayRef<AffineExpr> pairs) {
    AffineExpr actual = pairs[0], expected = pairs[1];
    AffineExpr difference = simplify(actual - expected);
    for (AffineExpr within : {actual, expected})
      for (int64_t slope : {1, -1})
        if (AffineExpr extent = findExtent(within, difference, slope)) {
          std::string message = subject(extent) + " to be " +
                                text(simplify(extent - difference * slope));
          // Else it is about another expression.
          if (pairs.size() > 2 && extent == actual)
            message += " or " + text(pairs[3]);
          return message + ", but got " + number(extent);
        }
    return wholeMessage(actual, " to be ", expected);
  }

  std::string messageOfAtLeast(AffineExpr actual, AffineExpr least) {
    AffineExpr difference = simplify(actual - least);
    for (AffineExpr within : {actual, least})
      for (int64_t slope : {1, -1})
        if (AffineExpr extent = findExtent(within, difference, slope))
          return subject(extent) +
                 (slope == 1 ? " to be at least " : " to be at most ") +
                 text(simplify(extent - difference * slope)) + ", but got " +
                 number(extent);
    return wholeMessage(actual, " to be at least ", least);
  }
};
} // namespace

void sattn::writeExtentChecks(func::FuncOp function,
                              ArrayRef<std::string> names, json::Array &values,
                              json::Array &checks) {
  auto recorded =
      function->getAttrOfType<DictionaryAttr>(kExtentChecksAttrName);
  if (!recorded)
    return;
  ExtentCheckWriter writer(recorded.getAs<ArrayAttr>("extents"), names, values,
                           checks);
  for (auto check :
       recorded.getAs<ArrayAttr>("checks").getAsRange<DictionaryAttr>()) {
    NamedAttribute entry = *check.begin();
    writer.write(cast<AffineMapAttr>(entry.getValue()).getValue(),
                 entry.getName() == "equal");
  }
}
