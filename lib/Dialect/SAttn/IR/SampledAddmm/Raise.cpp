//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sampled products of linalg that become sattn.sampled_addmm: C += A * B at the
// stored elements of C, as upstream writes it for an encoded C,
//
//   %u = sparse_tensor.unary %c present = { yield %a * %b } absent = {}
//   %r = sparse_tensor.reduce %c, %u, %zero { yield %x + %y }
//
// A sum without `unary` also has elements that are not stored, and a product
// with an element of C scales by it: neither is a sampled product.

#include "../OperandChecks.h"
#include "../RaiseParts.h"

#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"
#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace sattn;

/// The value that a block yields.
static Value getYielded(Block &block) {
  return block.getTerminator()->getOperand(0);
}

/// The value that `sparse_tensor.unary` computes where `stored` is stored, if
/// it has none elsewhere; null for any other value.
static Value getPresent(Value value, Value stored) {
  auto unary = value.getDefiningOp<sparse_tensor::UnaryOp>();
  if (!unary || unary.getX() != stored || unary.getPresentRegion().empty() ||
      !unary.getAbsentRegion().empty())
    return {};
  return getYielded(unary.getPresentRegion().front());
}

/// Whether the region is x + y of its two arguments.
static bool isSum(Region &region) {
  auto add = getYielded(region.front()).getDefiningOp<arith::AddFOp>();
  Value x = region.getArgument(0), y = region.getArgument(1);
  return add && ((add.getLhs() == x && add.getRhs() == y) ||
                 (add.getLhs() == y && add.getRhs() == x));
}

/// The encoded tensor of which `tensor` has the stored elements, all of them
/// zero, or null.
static Value getZeroed(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  Value yielded = getYielded(*op.getBlock());
  for (OpOperand &operand : op->getOpOperands()) {
    Value zero = getPresent(yielded, op.getMatchingBlockArgument(&operand));
    if (zero && operand.get().getType() == tensor.getType())
      return matchPattern(zero, m_AnyZeroFloat()) ? operand.get() : Value();
  }
  return {};
}

namespace {
/// A sampled product, with the operands of the op that it becomes.
struct SampledProduct {
  Indexed mat1, mat2, out;
  /// A number, or the value that is one; null where nothing is scaled.
  OpFoldResult alpha;
  bool transposeMat2 = false;
};

/// Matches a sampled product that `sattn.sampled_addmm` can compute; `reason`
/// says why not.
class SampledMatcher {
public:
  explicit SampledMatcher(linalg::GenericOp op) : op(op) {}

  const char *reason = "";

  std::optional<SampledProduct> match() {
    if (!findBody() || !findOperands() || !findLoops() || !areTypesTaken())
      return std::nullopt;
    return product;
  }

private:
  linalg::GenericOp op;
  SampledProduct product;
  /// Operands that are multiplied.
  SmallVector<OpOperand *> factors;

  bool fail(const char *why) {
    reason = why;
    return false;
  }

  bool findBody() {
    if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
        !isSparseEncoded(op.getDpsInitOperand(0)->get().getType()))
      return fail("not into one encoded tensor");
    Value stored = op.getBlock()->getArguments().back();
    auto reduce =
        getYielded(*op.getBlock()).getDefiningOp<sparse_tensor::ReduceOp>();
    if (!reduce || (reduce.getX() != stored && reduce.getY() != stored))
      return fail("not a reduction into the stored elements");
    if (!matchPattern(reduce.getIdentity(), m_AnyZeroFloat()) ||
        !isSum(reduce.getRegion()))
      return fail("not a sum");
    Value present = getPresent(
        reduce.getX() == stored ? reduce.getY() : reduce.getX(), stored);
    if (!present)
      return fail("not of stored elements alone");
    return findFactors(present);
  }

  /// Finds the op's operands, and at most one number, whose product `value` is.
  bool findFactors(Value value) {
    if (auto multiply = value.getDefiningOp<arith::MulFOp>())
      return findFactors(multiply.getLhs()) && findFactors(multiply.getRhs());
    if (auto extend = value.getDefiningOp<arith::ExtFOp>())
      return findFactors(extend.getIn());
    OpOperand *operand = nullptr;
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == op.getBlock())
      operand = op.getMatchingOpOperand(argument);
    if (operand && isa<RankedTensorType>(operand->get().getType())) {
      factors.push_back(operand);
      return true;
    }
    FloatAttr constant;
    if (product.alpha)
      return fail("more than one number");
    if (matchPattern(value, m_Constant(&constant)))
      product.alpha = constant;
    else if (operand)
      product.alpha = operand->get();
    else if (value.getParentRegion()->isProperAncestor(&op.getRegion()))
      product.alpha = value;
    else
      return fail("not a product of two elements and a number");
    return true;
  }

  std::optional<Indexed> getIndexed(OpOperand *operand) {
    std::optional<LoopList> loops =
        getLoops(op.getMatchingIndexingMap(operand));
    if (!loops || loops->size() < 2)
      return std::nullopt;
    return Indexed{operand->get(), *loops};
  }

  bool findOperands() {
    if (factors.size() != 2 || isSparseEncoded(factors[0]->get().getType()) ||
        isSparseEncoded(factors[1]->get().getType()))
      return fail("not a product of two dense matrices");
    std::optional<Indexed> a = getIndexed(factors[0]),
                           b = getIndexed(factors[1]),
                           out = getIndexed(op.getDpsInitOperand(0));
    if (!a || !b || !out)
      return fail("operands not indexed by loops");
    // The multiplication commutes.
    if (!llvm::is_contained(a->loops, out->beforeLast()))
      std::swap(a, b);
    product.mat1 = *a;
    product.mat2 = *b;
    product.out = *out;
    return true;
  }

  bool findLoops() {
    auto &[mat1, mat2, out, alpha, transposeMat2] = product;
    unsigned row = out.beforeLast(), column = out.last();
    if (op.getNumReductionLoops() != 1 ||
        op.getNumLoops() != out.loops.size() + 1 ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
             .isProjectedPermutation())
      return fail("not one reduction for each element");
    if (mat1.beforeLast() != row || mat1.last() == column ||
        op.getIteratorTypesArray()[mat1.last()] !=
            utils::IteratorType::reduction)
      return fail("left matrix is not of rows");
    lookThroughTranspose();
    unsigned reduced = mat1.last();
    transposeMat2 = mat2.last() == reduced;
    if (transposeMat2 ? mat2.beforeLast() != column
                      : mat2.beforeLast() != reduced || mat2.last() != column)
      return fail("right matrix is not of columns");
    if (!mat1.broadcastsTo(out) || !mat2.broadcastsTo(out))
      return fail("batches that do not broadcast from the left");
    return true;
  }

  /// Takes the right matrix from before a transpose: it may be transposed in
  /// memory, and need not be copied.
  void lookThroughTranspose() {
    Indexed &mat2 = product.mat2;
    auto producer = mat2.value.getDefiningOp<linalg::LinalgOp>();
    std::optional<SmallVector<unsigned>> dims =
        producer ? getCopied(producer) : std::nullopt;
    if (!dims || dims->size() != mat2.loops.size() ||
        isSparseEncoded(producer->getOperand(0).getType()))
      return;
    LoopList loops;
    for (unsigned dim : *dims)
      loops.push_back(mat2.loops[dim]);
    if (ArrayRef(loops).drop_back(2) == mat2.batch())
      mat2 = {producer->getOperand(0), loops};
  }

  bool areTypesTaken() {
    Type type = getElementTypeOrSelf(product.mat1.value.getType());
    auto out = cast<RankedTensorType>(product.out.value.getType());
    if (type != getElementTypeOrSelf(product.mat2.value.getType()) ||
        !isSmallFloat(type) || !isSmallFloat(out.getElementType()))
      return fail("element types");
    if (auto alpha = dyn_cast_if_present<Value>(product.alpha);
        alpha && !isSmallFloat(alpha.getType()))
      return fail("type of the number");
    FailureOr<BsrStorage> storage = getBsrStorage(out);
    if (failed(storage) || storage->isStacked || storage->blockRows % 8 != 0 ||
        storage->blockColumns % 8 != 0)
      return fail("encoding");
    return true;
  }
};

struct RaiseSampledProduct : OpRewritePattern<linalg::GenericOp> {
  RaiseSampledProduct(MLIRContext *context, StringRef precision)
      : OpRewritePattern(context), precision(precision) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    SampledMatcher matcher(op);
    std::optional<SampledProduct> product = matcher.match();
    if (!product)
      return rewriter.notifyMatchFailure(op, matcher.reason);

    Location loc = op.getLoc();
    auto scalar = [&](float value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getF32FloatAttr(value));
    };
    Value alpha;
    if (auto value = dyn_cast_if_present<Value>(product->alpha))
      alpha = value.getType().isF32()
                  ? value
                  : arith::ExtFOp::create(rewriter, loc, rewriter.getF32Type(),
                                          value);
    else if (product->alpha)
      alpha = scalar(
          cast<FloatAttr>(cast<Attribute>(product->alpha)).getValueAsDouble());
    else
      alpha = scalar(1);
    // Zeros need not be written to be added to.
    Value out = product->out.value, zeroed = getZeroed(out);
    bool isF32 = getElementTypeOrSelf(product->mat1.value).isF32();
    rewriter.replaceOpWithNewOp<SampledAddmmOp>(
        op, out.getType(), alpha, scalar(zeroed ? 0 : 1), /*crow=*/Value(),
        /*col=*/Value(), product->mat1.value, product->mat2.value,
        /*input=*/Value(), /*origin=*/ValueRange(), zeroed ? zeroed : out,
        /*meta=*/MetaAttr(), /*block_size=*/DenseI64ArrayAttr(),
        isF32 ? precision : "ieee", /*transposeMat1=*/false,
        product->transposeMat2);
    return success();
  }

private:
  StringRef precision;
};
} // namespace

LogicalResult SampledAddmmOp::raiseLinalg(ModuleOp module,
                                          StringRef precision) {
  RewritePatternSet patterns(module.getContext());
  patterns.add<RaiseSampledProduct>(module.getContext(), precision);
  // Ops that are looked through go away.
  return applyPatternsGreedily(module, std::move(patterns),
                               GreedyRewriteConfig().enableFolding(false));
}
