//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"
#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNRAISELINALG
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Loops that index the dimensions of an operand, in their order.
using Loops = SmallVector<unsigned>;

namespace {
/// An operand, and the loop that each of its dimensions follows.
struct Indexed {
  Value value;
  Loops loops;

  unsigned last() const { return loops.back(); }
  unsigned beforeLast() const { return *(loops.end() - 2); }
  /// Loops of its batch dimensions.
  ArrayRef<unsigned> batch() const { return ArrayRef(loops).drop_back(2); }
};
} // namespace

/// The loop that each result of the map is; nothing for any other map.
static std::optional<Loops> getLoops(AffineMap map) {
  Loops loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

/// The permutation of a linalg op that only transposes its input, by which its
/// result's dimension i is the input's dimension p[i].
static std::optional<SmallVector<int64_t>> getPermutation(linalg::LinalgOp op) {
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op.getOperation()))
    return SmallVector<int64_t>(transpose.getPermutation());
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumDpsInits() != 1 || !llvm::hasSingleElement(*op.getBlock()))
    return std::nullopt;
  AffineMap from = generic.getIndexingMapsArray()[0];
  AffineMap to = generic.getIndexingMapsArray()[1];
  if (!from.isPermutation() || !to.isPermutation() ||
      op.getBlock()->getTerminator()->getOperand(0) !=
          op.getBlock()->getArgument(0))
    return std::nullopt;
  // from . to^-1 maps the result's indices to the input's; inverted, a
  // dimension of the result to the input's dimension that it is.
  AffineMap map = inversePermutation(from.compose(inversePermutation(to)));
  SmallVector<int64_t> permutation;
  for (AffineExpr expr : map.getResults())
    permutation.push_back(cast<AffineDimExpr>(expr).getPosition());
  return permutation;
}

/// An input of the op, with transposes of an encoded matrix looked through.
static std::optional<Indexed> getInput(linalg::LinalgOp op, unsigned number) {
  OpOperand *operand = op.getDpsInputOperand(number);
  std::optional<Loops> loops = getLoops(op.getMatchingIndexingMap(operand));
  if (!loops || loops->size() < 2)
    return std::nullopt;
  Value value = operand->get();
  while (auto producer = value.getDefiningOp<linalg::LinalgOp>()) {
    std::optional<SmallVector<int64_t>> permutation = getPermutation(producer);
    if (!permutation)
      break;
    Loops inner(loops->size());
    for (auto [i, from] : llvm::enumerate(*permutation))
      inner[from] = (*loops)[i];
    value = producer->getOperand(0);
    loops = inner;
    if (isSparseEncoded(value.getType()))
      return Indexed{value, *loops};
  }
  return Indexed{operand->get(), *getLoops(op.getMatchingIndexingMap(operand))};
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

/// Swaps the last two dimensions, into `init` where given.
static Value transposeMatrix(OpBuilder &b, Location loc, Value tensor,
                             Value init = {}) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  int64_t rank = sizes.size();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  std::swap(sizes[rank - 2], sizes[rank - 1]);
  if (!init)
    init = tensor::EmptyOp::create(b, loc, sizes,
                                   getElementTypeOrSelf(tensor.getType()));
  return linalg::TransposeOp::create(b, loc, tensor, init, permutation)
      ->getResult(0);
}

namespace {
struct RaiseContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
        !op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not of two tensors");
    std::optional<Indexed> a = getInput(op, 0), b = getInput(op, 1);
    if (!a || !b)
      return rewriter.notifyMatchFailure(op, "operands not indexed by loops");
    // The product commutes.
    if (!isSparseEncoded(a->value.getType()))
      std::swap(a, b);
    if (!isSparseEncoded(a->value.getType()) ||
        isSparseEncoded(b->value.getType()))
      return rewriter.notifyMatchFailure(op, "not of one encoded operand");
    if (!isMultiplyAdd(op))
      return rewriter.notifyMatchFailure(op, "not a sum of products");

    OpOperand *init = op.getDpsInitOperand(0);
    std::optional<Loops> outLoops = getLoops(op.getMatchingIndexingMap(init));
    if (!outLoops || outLoops->size() < 2)
      return rewriter.notifyMatchFailure(op, "result not indexed by loops");
    Indexed out{init->get(), *outLoops};
    unsigned row = a->beforeLast(), reduced = a->last();
    if (op.getIteratorTypesArray()[reduced] != utils::IteratorType::reduction ||
        op.getNumReductionLoops() != 1)
      return rewriter.notifyMatchFailure(
          op, "not reduced over the columns of the encoded matrix");
    bool transposeB = b->last() == reduced;
    if (!transposeB && b->beforeLast() != reduced)
      return rewriter.notifyMatchFailure(op, "reduced over a batch of b");
    unsigned column = transposeB ? b->beforeLast() : b->last();
    bool transposeOut = out.last() == row && out.beforeLast() == column;
    if (!transposeOut && (out.beforeLast() != row || out.last() != column))
      return rewriter.notifyMatchFailure(op, "rows and columns in batches");
    for (const Indexed &operand : {*a, *b})
      if (operand.batch().size() > out.batch().size() ||
          out.batch().take_back(operand.batch().size()) != operand.batch())
        return rewriter.notifyMatchFailure(
            op, "batches that do not broadcast from the left");

    Type type = getElementTypeOrSelf(a->value.getType());
    Type outType = getElementTypeOrSelf(out.value.getType());
    auto isTaken = [](Type type) {
      return type.isF16() || type.isBF16() || type.isF32();
    };
    if (type != getElementTypeOrSelf(b->value.getType()) || !isTaken(type) ||
        !isTaken(outType))
      return rewriter.notifyMatchFailure(op, "element types");
    FailureOr<BsrStorage> storage =
        getBsrStorage(cast<RankedTensorType>(a->value.getType()));
    if (failed(storage) || storage->blockRows % 8 != 0 ||
        storage->blockColumns % 8 != 0)
      return rewriter.notifyMatchFailure(op, "encoding");

    Location loc = op.getLoc();
    // Zeros need not be written to be added to.
    Value zeroFilled = getZeroFilled(out.value);
    Value target = zeroFilled ? zeroFilled : out.value;
    Value dense = b->value;
    if (transposeB)
      dense = transposeMatrix(rewriter, loc, dense);
    Value added = target;
    if (transposeOut && zeroFilled) {
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(rewriter, loc, target);
      std::swap(*(sizes.end() - 2), *(sizes.end() - 1));
      added = tensor::EmptyOp::create(rewriter, loc, sizes, outType);
    } else if (transposeOut) {
      added = transposeMatrix(rewriter, loc, target);
    }
    auto scalar = [&](float value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getF32FloatAttr(value));
    };
    Value result =
        BsrAddmmOp::create(rewriter, loc, added.getType(), scalar(1),
                           scalar(zeroFilled ? 0 : 1), /*crow=*/Value(),
                           /*col=*/Value(), a->value, dense, /*input=*/Value(),
                           /*left=*/Value(), /*right=*/Value(),
                           /*panels=*/Value(), /*steps=*/Value(), added,
                           /*meta=*/MetaAttr(), "ieee")
            .getResult();
    if (transposeOut)
      result = transposeMatrix(rewriter, loc, result, target);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct RaiseLinalgPass
    : public sattn::impl::SAttnRaiseLinalgBase<RaiseLinalgPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RaiseContraction>(&getContext());
    // Transposes of encoded matrices, which are looked through, go away.
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns),
                                  GreedyRewriteConfig().enableFolding(false))))
      signalPassFailure();
  }
};
} // namespace
