//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products of linalg that become sattn.bsr_addmm.

#include "../OperandChecks.h"
#include "../ProductTypes.h"
#include "../RaiseParts.h"

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"
#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

using namespace sattn;

/// An input of the op, with copies of an encoded matrix looked through.
static std::optional<Indexed> getInput(linalg::LinalgOp op, unsigned number) {
  OpOperand *operand = op.getDpsInputOperand(number);
  std::optional<LoopList> loops = getLoops(op.getMatchingIndexingMap(operand));
  if (!loops || loops->empty())
    return std::nullopt;
  Indexed input{operand->get(), *loops};
  // Upstream's patterns for reshapes leave one that changes nothing.
  if (auto expand = input.value.getDefiningOp<tensor::ExpandShapeOp>();
      expand && isSparseEncoded(expand.getSrcType()) &&
      expand.getSrcType().getRank() == expand.getResultType().getRank())
    return Indexed{expand.getSrc(), *loops};
  while (auto producer = input.value.getDefiningOp<linalg::LinalgOp>()) {
    std::optional<SmallVector<unsigned>> dims = getCopied(producer);
    if (!dims)
      break;
    LoopList inner;
    for (unsigned dim : *dims)
      inner.push_back(input.loops[dim]);
    input = {producer->getOperand(0), inner};
    if (isSparseEncoded(input.value.getType()))
      return input;
  }
  return Indexed{operand->get(), *loops};
}

/// Whether the op's body is out + lhs * rhs, perhaps of widened elements.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) &&
         llvm::all_of(op.getBlock()->without_terminator(), [](Operation &op) {
           return isa<arith::MulFOp, arith::AddFOp, arith::ExtFOp>(op);
         });
}

/// The tensor that was filled with zeros, or null.
static Value getZeroFilled(Value tensor) {
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_AnyZeroFloat())
             ? fill.getOutputs().front()
             : Value();
}

/// A tensor with one more dimension, of size 1, at its end.
static Value appendUnit(OpBuilder &b, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  SmallVector<int64_t> shape(type.getShape());
  sizes.push_back(b.getIndexAttr(1));
  shape.push_back(1);
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i)
    groups.push_back({i});
  groups.back().push_back(type.getRank());
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      groups, sizes);
}

/// The tensor without its last dimension, of size 1. Returned tensors are in
/// the caller's memory, whose strides are unknown: a reshape would copy them.
static Value dropUnit(OpBuilder &b, Location loc, Value tensor,
                      bool isReturned) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> zeros(type.getRank(), b.getIndexAttr(0)),
      ones(type.getRank(), b.getIndexAttr(1));
  auto dropped =
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  if (!isReturned) {
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0; i + 1 < type.getRank(); ++i)
      groups.push_back({i});
    groups.back().push_back(type.getRank() - 1);
    return tensor::CollapseShapeOp::create(b, loc, dropped, tensor, groups);
  }
  return tensor::ExtractSliceOp::create(b, loc, dropped, tensor, zeros,
                                        tensor::getMixedSizes(b, loc, tensor),
                                        ones);
}

namespace {
/// A matrix product of an encoded matrix, with the operands of the op that it
/// becomes.
struct Product {
  Indexed a, b, out;
  /// Whether b and out are vectors: the product's column is a loop of its own.
  bool isVector = false;
  bool transposeB = false, transposeOut = false;
};

/// Matches a matrix product that `sattn.bsr_addmm` can compute; `reason` says
/// why not.
class ProductMatcher {
public:
  explicit ProductMatcher(linalg::LinalgOp op) : op(op) {}

  const char *reason = "";

  std::optional<Product> match() {
    Product product;
    if (!findOperands(product) || !findLoops(product) ||
        !areTypesTaken(product))
      return std::nullopt;
    return product;
  }

private:
  linalg::LinalgOp op;

  bool fail(const char *why) {
    reason = why;
    return false;
  }

  bool findOperands(Product &product) {
    if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
        !op.hasPureTensorSemantics())
      return fail("not of two tensors");
    std::optional<Indexed> a = getInput(op, 0), b = getInput(op, 1);
    if (!a || !b)
      return fail("operands not indexed by loops");
    // The multiplication commutes.
    if (!isSparseEncoded(a->value.getType()))
      std::swap(a, b);
    if (!isSparseEncoded(a->value.getType()) ||
        isSparseEncoded(b->value.getType()))
      return fail("not of one encoded operand");
    if (!isMultiplyAdd(op))
      return fail("not a sum of products");
    OpOperand *init = op.getDpsInitOperand(0);
    std::optional<LoopList> loops = getLoops(op.getMatchingIndexingMap(init));
    if (!loops || loops->empty())
      return fail("result not indexed by loops");
    product.a = *a;
    product.b = *b;
    product.out = {init->get(), *loops};
    return true;
  }

  bool findLoops(Product &product) {
    auto &[a, b, out, isVector, transposeB, transposeOut] = product;
    if (a.loops.size() < 2)
      return fail("encoded operand is no matrix");
    unsigned row = a.beforeLast(), reduced = a.last();
    if (op.getIteratorTypesArray()[reduced] != utils::IteratorType::reduction ||
        op.getNumReductionLoops() != 1)
      return fail("not reduced over the columns of the encoded matrix");
    // With two vectors, all loops except the matrix's are batches of both.
    if (b.loops.size() == out.loops.size() && b.last() == reduced &&
        out.last() == row &&
        ArrayRef(b.loops).drop_back() == ArrayRef(out.loops).drop_back() &&
        ArrayRef(b.loops).drop_back() == a.batch()) {
      isVector = true;
      b.loops.push_back(op.getNumLoops());
      out.loops.push_back(op.getNumLoops());
      return true;
    }
    if (b.loops.size() < 2 || out.loops.size() < 2)
      return fail("a vector with batches");
    transposeB = b.last() == reduced;
    if (!transposeB && b.beforeLast() != reduced)
      return fail("reduced over a batch of b");
    unsigned column = transposeB ? b.beforeLast() : b.last();
    transposeOut = out.last() == row && out.beforeLast() == column;
    if (!transposeOut && (out.beforeLast() != row || out.last() != column))
      return fail("rows and columns in batches");
    for (const Indexed &operand : {a, b})
      if (!operand.broadcastsTo(out))
        return fail("batches that do not broadcast from the left");
    return true;
  }

  bool areTypesTaken(const Product &product) {
    Type type = getElementTypeOrSelf(product.a.value.getType());
    if (type != getElementTypeOrSelf(product.b.value.getType()) ||
        !isNamed(type, getFloatNames()) ||
        !isNamed(getElementTypeOrSelf(product.out.value.getType()),
                 getResultNames(type)))
      return fail("element types");
    FailureOr<BsrStorage> storage =
        getBsrStorage(cast<RankedTensorType>(product.a.value.getType()));
    if (failed(storage) || storage->blockRows % 8 != 0 ||
        storage->blockColumns % 8 != 0)
      return fail("encoding");
    return true;
  }
};

struct RaiseContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  RaiseContraction(MLIRContext *context, StringRef precision)
      : OpInterfaceRewritePattern(context), precision(precision) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    ProductMatcher matcher(op);
    std::optional<Product> product = matcher.match();
    if (!product)
      return rewriter.notifyMatchFailure(op, matcher.reason);

    Location loc = op.getLoc();
    // Zeros need not be written to be added to.
    Value zeroFilled = getZeroFilled(product->out.value);
    Value target = zeroFilled ? zeroFilled : product->out.value;
    Value dense = product->b.value;
    if (product->isVector) {
      dense = appendUnit(rewriter, loc, dense);
      target = appendUnit(rewriter, loc, target);
    }
    auto scalar = [&](double value) -> Value {
      return arith::ConstantOp::create(
          rewriter, loc,
          rewriter.getFloatAttr(getScalarType(dense.getType()), value));
    };
    bool isF32 = getElementTypeOrSelf(dense.getType()).isF32();
    Value result =
        BsrAddmmOp::create(
            rewriter, loc, target.getType(), scalar(1),
            scalar(zeroFilled ? 0 : 1), /*crow=*/Value(),
            /*col=*/Value(), product->a.value, dense,
            /*input=*/Value(), /*left=*/Value(),
            /*right=*/Value(), /*order=*/Value(),
            /*rowBlockGroups=*/Value(), /*steps=*/Value(), target,
            /*meta=*/MetaAttr(), isF32 ? precision : "ieee",
            /*transposeA=*/false, product->transposeB, product->transposeOut)
            .getResult();
    if (product->isVector)
      result = dropUnit(rewriter, loc, result,
                        llvm::all_of(op->getUsers(), [](Operation *user) {
                          return isa<func::ReturnOp>(user);
                        }));
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  StringRef precision;
};

/// expand_shape (collapse_shape %x) -> %x, to the sizes that %x has.
struct FoldExpandOfCollapse : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto collapse = op.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || collapse.getSrcType() != op.getResultType() ||
        collapse.getReassociationIndices() != op.getReassociationIndices())
      return rewriter.notifyMatchFailure(op, "not of a collapsed tensor");
    for (auto [i, size] : llvm::enumerate(op.getMixedOutputShape())) {
      auto value = dyn_cast<Value>(size);
      auto dim = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
      if (value && (!dim || dim.getSource() != collapse.getSrc() ||
                    dim.getConstantIndex() != static_cast<int64_t>(i)))
        return rewriter.notifyMatchFailure(op, "perhaps to other sizes");
    }
    rewriter.replaceOp(op, collapse.getSrc());
    return success();
  }
};
} // namespace

/// Whether the result of a linalg op is expanded, and not along a dimension of
/// an encoded matrix.
static bool mayExpandResult(OpOperand *operand) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(operand->getOwner());
  auto op = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (!expand || !op)
    return false;
  std::optional<Product> product = ProductMatcher(op).match();
  if (!product)
    return true;
  for (auto [loop, group] :
       llvm::zip(product->out.loops, expand.getReassociationIndices()))
    if (group.size() > 1 && llvm::is_contained(product->a.loops, loop))
      return false;
  return true;
}

/// Turns rows of several dimensions that are collapsed before the matrix
/// product and expanded after it, as in a linear layer of batches, into
/// batches.
static LogicalResult expandReshapes(ModuleOp module) {
  SmallVector<Operation *> functions;
  for (auto function : module.getOps<func::FuncOp>()) {
    WalkResult walk = function.walk([](linalg::LinalgOp op) {
      return WalkResult(failure(ProductMatcher(op).match().has_value()));
    });
    if (walk.wasInterrupted())
      functions.push_back(function);
  }
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, mayExpandResult);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  patterns.add<FoldExpandOfCollapse>(context);
  FrozenRewritePatternSet frozen(std::move(patterns));
  for (Operation *function : functions)
    if (failed(applyPatternsGreedily(
            function, frozen, GreedyRewriteConfig().enableFolding(false))))
      return failure();
  return success();
}

LogicalResult BsrAddmmOp::raiseLinalg(ModuleOp module, StringRef precision) {
  if (failed(expandReshapes(module)))
    return failure();
  RewritePatternSet patterns(module.getContext());
  patterns.add<RaiseContraction>(module.getContext(), precision);
  // Copies of encoded matrices, which are looked through, go away.
  return applyPatternsGreedily(module, std::move(patterns),
                               GreedyRewriteConfig().enableFolding(false));
}
