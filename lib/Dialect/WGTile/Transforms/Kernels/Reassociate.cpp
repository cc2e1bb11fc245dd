//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Hoists row- and column-invariant arithmetic out of tiles. A sum is found in
// this form:
//   rows[i] + columns[j] + uniform + slope * j
//     + coefficient * tile[i, j] + ...

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Predicates.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEREASSOCIATE
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

static bool mayReassociate(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr flags =
      fast ? fast.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
  return flags && arith::bitEnumContainsAll(flags.getValue(),
                                            arith::FastMathFlags::reassoc);
}

static bool allUsersMayReassociate(Operation *op) {
  return llvm::all_of(op->getUsers(), mayReassociate);
}

/// The scalar of which all elements are equal, or null.
static Value findUniform(OpBuilder &b, Value tile) {
  if (!isa<RankedTensorType>(tile.getType()))
    return tile;
  if (auto splat = tile.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  DenseElementsAttr constant;
  if (!matchPattern(tile, m_Constant(&constant)) || !constant.isSplat())
    return {};
  return arith::ConstantOp::create(
      b, tile.getLoc(), cast<TypedAttr>(constant.getSplatValue<Attribute>()));
}

static bool isUniform(Value tile) {
  DenseElementsAttr constant;
  return !isa<RankedTensorType>(tile.getType()) ||
         tile.getDefiningOp<tensor::SplatOp>() ||
         (matchPattern(tile, m_Constant(&constant)) && constant.isSplat());
}

namespace {
/// An elementwise op on vectors that are broadcast along one dimension is one
/// on vectors; on scalars it is one on scalars.
struct ComputeBeforeBroadcast : RewritePattern {
  explicit ComputeBeforeBroadcast(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) || !isPure(op) ||
        op->getNumResults() != 1 || op->getNumOperands() == 0)
      return rewriter.notifyMatchFailure(op, "not an elementwise op");
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || type.getEncoding())
      return rewriter.notifyMatchFailure(op, "not on tiles without layouts");
    BroadcastOp first;
    for (Value operand : op->getOperands()) {
      if (isUniform(operand))
        continue;
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      if (!broadcast ||
          (first && first.getDimension() != broadcast.getDimension()))
        return rewriter.notifyMatchFailure(op, "not of vectors alone");
      first = broadcast;
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(convert(rewriter, operand, first));
    Type element = type.getElementType();
    if (first)
      element = RankedTensorType::get(first.getSource().getType().getShape(),
                                      element);
    Value result = rewriter
                       .create(op->getLoc(), op->getName().getIdentifier(),
                               operands, element, op->getAttrs())
                       ->getResult(0);
    if (first)
      rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, result,
                                               first.getDimensionAttr());
    else
      rewriter.replaceOpWithNewOp<tensor::SplatOp>(op, result, type);
    return success();
  }

private:
  /// An operand as a scalar, or as a vector where there is one.
  static Value convert(OpBuilder &b, Value operand, BroadcastOp like) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return operand;
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return broadcast.getSource();
    Value scalar = findUniform(b, operand);
    if (!like)
      return scalar;
    return tensor::SplatOp::create(
        b, operand.getLoc(), scalar,
        RankedTensorType::get(like.getSource().getType().getShape(),
                              type.getElementType()));
  }
};

/// sitofp (absi %x) -> absf (sitofp %x), which is a modifier of an operand.
struct ConvertBeforeAbs : OpRewritePattern<arith::SIToFPOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SIToFPOp op,
                                PatternRewriter &rewriter) const override {
    auto abs = op.getIn().getDefiningOp<math::AbsIOp>();
    if (!abs || !isa<RankedTensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not of an absolute value");
    auto flags = allUsersMayReassociate(op) ? arith::FastMathFlags::reassoc
                                            : arith::FastMathFlags::none;
    Value number = arith::SIToFPOp::create(rewriter, op.getLoc(), op.getType(),
                                           abs.getOperand());
    rewriter.replaceOpWithNewOp<math::AbsFOp>(op, number, flags);
    return success();
  }
};

/// rows[i] >= j -> rows[i] - j >= 0, of which an element is a comparison of its
/// row with a constant.
struct CompareWithColumn : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getLhs().getType());
    if (!type || type.getRank() != 2 || type.getEncoding() ||
        !type.getElementType().isInteger(32))
      return rewriter.notifyMatchFailure(op, "not of tiles of i32");
    arith::CmpIPredicate predicate = op.getPredicate();
    Value rows = findRows(op.getLhs()), other = op.getRhs();
    if (!rows) {
      rows = findRows(op.getRhs());
      other = op.getLhs();
      predicate = swapOperands(predicate);
    }
    if (!rows || !isColumnNumber(other) || !isSignedOrEquality(predicate))
      return rewriter.notifyMatchFailure(
          op, "not between rows and numbers of columns, with a sign");
    Location loc = op.getLoc();
    auto constant = [&](RankedTensorType of, int64_t value) -> Value {
      return arith::ConstantOp::create(
          rewriter, loc,
          DenseElementsAttr::get(of, rewriter.getI32IntegerAttr(value)));
    };
    // Any negative value compares alike, and this one leaves room for a column.
    auto vector = cast<RankedTensorType>(rows.getType());
    Value least = constant(vector, std::numeric_limits<int32_t>::min() +
                                       type.getDimSize(1));
    rows = arith::MaxSIOp::create(rewriter, loc, rows, least);
    Value slope = arith::ConstantOp::create(rewriter, loc,
                                            rewriter.getI32IntegerAttr(-1));
    Value distance = RampOp::create(rewriter, loc, type, rows, slope, Value(),
                                    Value(), /*nsw=*/true);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, distance,
                                               constant(type, 0));
    return success();
  }

private:
  static Value findRows(Value tile) {
    auto broadcast = tile.getDefiningOp<BroadcastOp>();
    return broadcast && broadcast.getDimension() == 0 ? broadcast.getSource()
                                                      : Value();
  }
  static bool isColumnNumber(Value tile) {
    auto broadcast = tile.getDefiningOp<BroadcastOp>();
    return broadcast && broadcast.getDimension() == 1 &&
           broadcast.getSource().getDefiningOp<StepOp>();
  }
};

static bool isOne(Value value) {
  return matchPattern(value, m_OneFloat()) || matchPattern(value, m_One());
}

/// Sums and products of scalars, or of vectors, of i32 or f32. Null is 0.
class Arithmetic : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value add(Value x, Value y) {
    if (!x || !y)
      return x ? x : y;
    return isFloat(x) ? createOrFold<arith::AddFOp>(x, y)
                      : createOrFold<arith::AddIOp>(x, y);
  }
  Value multiply(Value x, Value y) {
    if (!x || !y)
      return {};
    if (isOne(x) || isOne(y))
      return isOne(x) ? y : x;
    return isFloat(x) ? createOrFold<arith::MulFOp>(x, y)
                      : createOrFold<arith::MulIOp>(x, y);
  }
  Value number(int64_t value, Type element) {
    if (element.isF32())
      return arith::ConstantOp::create(*this, getF32FloatAttr(value));
    return arith::ConstantOp::create(*this, getI32IntegerAttr(value));
  }
  Value spread(Value scalar, Type type) {
    if (!scalar)
      return {};
    return tensor::SplatOp::create(*this, scalar, cast<RankedTensorType>(type));
  }
  Value convert(Value integer) {
    if (!integer)
      return {};
    Type type = getF32Type();
    if (auto vector = dyn_cast<RankedTensorType>(integer.getType()))
      type = vector.clone(type);
    return createOrFold<arith::SIToFPOp>(type, integer);
  }

private:
  static bool isFloat(Value x) { return getElementTypeOrSelf(x).isF32(); }
};

/// A tile, or a vector without rows, as a sum. Null is 0.
struct Form {
  Value rows, columns, uniform, slope;
  /// Tiles and their coefficients.
  SmallVector<std::pair<Value, Value>, 2> terms;
  /// Half the instructions of an element of the tile before reassociation.
  int64_t cost = 0;
  /// Whether an integer is the sum as a number, which nowhere wraps.
  bool isExact = true;

  bool isUniform() const {
    return uniform && !rows && !columns && !slope && terms.empty();
  }
};

class Reassociation {
public:
  explicit Reassociation(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  void run() {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isTile(op->getResult(0)))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      Operation *next = op->getNextNode();
      Arithmetic b(op->getLoc(), op->getContext());
      b.setInsertionPointAfter(op);
      if (std::optional<Form> form = find(b, op)) {
        forms[op->getResult(0)] = *form;
        places[op] = next;
      } else {
        release(op);
      }
    }
    DenseSet<Operation *> chosen;
    for (Operation *op : llvm::reverse(ops))
      if (isRoot(op)) {
        if (isCheaper(op))
          chosen.insert(op);
        else
          release(op);
      }
    for (Operation *op : ops)
      if (chosen.contains(op))
        rewrite(op);
  }

private:
  gpu::GPUFuncOp kernel;
  DenseMap<Value, Form> forms;
  /// Uses by an op whose own form has what is used.
  DenseSet<OpOperand *> absorbed;
  /// The op after what was made for an op's form.
  DenseMap<Operation *, Operation *> places;
  DenseMap<Value, Value> replaced;

  /// Two instructions.
  static constexpr int64_t kOp = 2;
  /// The cost of a conversion, which takes the time of two ops.
  static constexpr int64_t kConversion = 2 * kOp;
  /// A column serves two rows.
  static constexpr int64_t kColumns = 1;
  static constexpr size_t kMostTerms = 8;

  static bool isTile(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() <= 2 && !type.getEncoding() &&
           (type.getElementType().isF32() ||
            type.getElementType().isSignlessInteger(32));
  }
  static int64_t costOf(Operation *op, int64_t cost) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return type.getRank() == 2 ? cost : 0;
  }

  Form take(Arithmetic &b, OpOperand &use) {
    Value value = use.get();
    auto it = forms.find(value);
    // A sum of tiles that others read too is not computed twice, nor moved into
    // a loop or branch.
    if (it != forms.end() &&
        (it->second.terms.empty() ||
         (value.hasOneUse() &&
          value.getParentBlock() == use.getOwner()->getBlock()))) {
      absorbed.insert(&use);
      return it->second;
    }
    auto type = cast<RankedTensorType>(value.getType());
    Form leaf;
    if (type.getRank() == 1)
      leaf.columns = value;
    else
      leaf.terms = {{value, b.number(1, type.getElementType())}};
    return leaf;
  }

  static Form scale(Arithmetic &b, Form form, Value factor) {
    auto spread = [&](Value vector) {
      return vector ? b.spread(factor, vector.getType()) : Value();
    };
    form.rows = b.multiply(form.rows, spread(form.rows));
    form.columns = b.multiply(form.columns, spread(form.columns));
    form.uniform = b.multiply(form.uniform, factor);
    form.slope = b.multiply(form.slope, factor);
    for (auto &[tile, coefficient] : form.terms)
      coefficient = b.multiply(coefficient, factor);
    return form;
  }

  static Form add(Arithmetic &b, const Form &x, const Form &y) {
    Form sum;
    sum.rows = b.add(x.rows, y.rows);
    sum.columns = b.add(x.columns, y.columns);
    sum.uniform = b.add(x.uniform, y.uniform);
    sum.slope = b.add(x.slope, y.slope);
    sum.terms = x.terms;
    llvm::append_range(sum.terms, y.terms);
    sum.cost = x.cost + y.cost;
    sum.isExact = x.isExact && y.isExact;
    return sum;
  }

  std::optional<Form> find(Arithmetic &b, Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Type element = type.getElementType();
    Form form;
    if (isa<StepOp>(op)) {
      form.slope = b.number(1, element);
      return form;
    }
    if (Value uniform = findUniform(b, op->getResult(0))) {
      form.uniform = uniform;
      return form;
    }
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return findBroadcast(b, broadcast);
    if (isa<arith::SIToFPOp>(op))
      return findConversion(b, op);
    if (element.isF32() && !mayReassociate(op))
      return std::nullopt;
    std::optional<Form> found = findArithmetic(b, op);
    size_t most = element.isF32() ? kMostTerms : 0;
    if (!found || found->terms.size() > most)
      return std::nullopt;
    found->cost += costOf(op, kOp);
    // The start of a ramp is the sum in the first column.
    found->isExact &= mayNotWrap(op);
    return found;
  }

  static bool mayNotWrap(Operation *op) {
    auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    return flags && flags.hasNoSignedWrap();
  }

  Form findBroadcast(Arithmetic &b, BroadcastOp op) {
    Form form;
    if (op.getDimension() == 0) {
      form.rows = op.getSource();
      return form;
    }
    Form source = take(b, op.getSourceMutable());
    if (source.columns)
      form.columns = op.getSource();
    else
      form = source;
    form.cost = kColumns;
    return form;
  }

  /// The form of a conversion; integers of more than 24 bits are rounded before
  /// the addition, too.
  std::optional<Form> findConversion(Arithmetic &b, Operation *op) {
    if (!isTile(op->getOperand(0)) || !allUsersMayReassociate(op))
      return std::nullopt;
    Form form = take(b, op->getOpOperand(0));
    if (form.columns || !form.terms.empty())
      return std::nullopt;
    if (form.rows && form.uniform) {
      form.rows = b.add(form.rows, b.spread(form.uniform, form.rows.getType()));
      form.uniform = {};
    }
    form.rows = b.convert(form.rows);
    form.uniform = b.convert(form.uniform);
    form.slope = b.convert(form.slope);
    form.cost += costOf(op, kConversion);
    return form;
  }

  std::optional<Form> findArithmetic(Arithmetic &b, Operation *op) {
    Type element = getElementTypeOrSelf(op->getResult(0));
    auto operand = [&](unsigned i) { return take(b, op->getOpOperand(i)); };
    if (isa<arith::NegFOp>(op))
      return scale(b, operand(0), b.number(-1, element));
    if (!isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp,
             arith::MulFOp, arith::MulIOp, arith::DivFOp>(op))
      return std::nullopt;
    Form x = operand(0), y = operand(1);
    if (isa<arith::AddFOp, arith::AddIOp>(op))
      return add(b, x, y);
    if (isa<arith::SubFOp, arith::SubIOp>(op))
      return add(b, x, scale(b, y, b.number(-1, element)));
    if (isa<arith::MulFOp, arith::MulIOp>(op)) {
      if (x.isUniform())
        std::swap(x, y);
      if (!y.isUniform())
        return std::nullopt;
      return scale(b, x, y.uniform);
    }
    auto divide = dyn_cast<arith::DivFOp>(op);
    if (!divide ||
        !arith::bitEnumContainsAll(divide.getFastmath(),
                                   arith::FastMathFlags::arcp) ||
        !y.isUniform())
      return std::nullopt;
    return scale(b, x,
                 b.createOrFold<arith::DivFOp>(b.number(1, element), y.uniform,
                                               divide.getFastmath()));
  }

  /// The cost of an element that the form computes.
  static int64_t findCost(const Form &form) {
    bool hasRamp = form.rows && form.slope;
    bool hasColumns = form.columns || (form.slope && !form.rows);
    int64_t cost = (hasRamp ? kOp : 0) + (hasColumns ? kColumns : 0) +
                   (form.rows && hasColumns ? kOp : 0);
    bool isAdded = form.rows || hasColumns || form.uniform;
    for (auto [tile, coefficient] : form.terms) {
      cost += isAdded || !isOne(coefficient) ? kOp : 0;
      isAdded = true;
    }
    return cost;
  }

  void release(Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      absorbed.erase(&use);
  }

  /// Whether an op's result, a sum of tiles, has a use that no larger sum
  /// absorbs.
  bool isRoot(Operation *op) {
    return llvm::any_of(op->getResult(0).getUses(), [&](OpOperand &use) {
      return !absorbed.contains(&use);
    });
  }

  bool isCheaper(Operation *op) {
    Value result = op->getResult(0);
    auto it = forms.find(result);
    return it != forms.end() &&
           cast<RankedTensorType>(result.getType()).getRank() == 2 &&
           findCost(it->second) < it->second.cost;
  }

  void rewrite(Operation *op) {
    Value result = op->getResult(0);
    Arithmetic b(op->getLoc(), op->getContext());
    b.setInsertionPoint(places.lookup(op));
    Value sum =
        build(b, forms[result], cast<RankedTensorType>(result.getType()));
    result.replaceAllUsesWith(sum);
    replaced[result] = sum;
  }

  /// Takes the first term, if there is one.
  static Value makeRamp(Arithmetic &b, Value rows, Value slope,
                        SmallVectorImpl<std::pair<Value, Value>> &terms,
                        RankedTensorType type, bool isExact) {
    Value tile, factor;
    if (!terms.empty()) {
      std::tie(tile, factor) = terms.front();
      terms.erase(terms.begin());
    }
    bool nsw = isExact && !tile && type.getElementType().isInteger(32);
    return RampOp::create(b, type, rows, slope, tile, factor, nsw);
  }

  Value build(Arithmetic &b, const Form &form, RankedTensorType type) {
    auto vector = [&](int64_t dimension) {
      return RankedTensorType::get({type.getDimSize(dimension)},
                                   type.getElementType());
    };
    auto broadcast = [&](Value source, int64_t dimension) -> Value {
      return BroadcastOp::create(b, type, source,
                                 b.getI64IntegerAttr(dimension));
    };
    SmallVector<std::pair<Value, Value>, 2> terms = form.terms;
    for (auto &[tile, coefficient] : terms)
      if (Value other = replaced.lookup(tile))
        tile = other;
    Value sum, uniform = form.uniform, columns = form.columns;
    if (form.rows) {
      Value rows = b.add(form.rows, b.spread(uniform, vector(0)));
      sum = form.slope ? makeRamp(b, rows, form.slope, terms, type,
                                  form.isExact && !form.columns)
                       : broadcast(rows, 0);
      uniform = {};
    } else if (form.slope) {
      Value step = StepOp::create(b, vector(1));
      columns =
          b.add(columns, b.multiply(step, b.spread(form.slope, vector(1))));
    }
    if (columns) {
      columns = b.add(columns, b.spread(uniform, vector(1)));
      sum = b.add(sum, broadcast(columns, 1));
      uniform = {};
    }
    if (uniform)
      sum = b.spread(uniform, type);
    for (auto [tile, coefficient] : terms) {
      if (isOne(coefficient))
        sum = b.add(tile, sum);
      else if (!sum)
        sum = b.multiply(tile, b.spread(coefficient, type));
      else
        sum = math::FmaOp::create(b, tile, b.spread(coefficient, type), sum);
    }
    return sum;
  }
};

struct ReassociatePass
    : public wgtile::impl::WGTileReassociateBase<ReassociatePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ComputeBeforeBroadcast, ConvertBeforeAbs, CompareWithColumn>(
        &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      Reassociation(kernel).run();
  }
};
} // namespace
