//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Facts of the gradients of flex attention, by which their parameters are
// chosen.

#include "../TuningFacts.h"

#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sattn;

/// The argument of a score_mod that is the query, after the score, batch and
/// head, and that of a mask_mod, which has no score. The key is the next.
static constexpr unsigned kScoreQueryArgument = 3, kMaskQueryArgument = 2;

/// Whether the value follows from this argument of its region.
static bool followsFrom(Value value, BlockArgument argument) {
  if (value == argument)
    return true;
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  if (failed(getBackwardSlice(value, &slice, options)))
    return true;
  auto hasOperand = [&](Operation *op) {
    return llvm::is_contained(op->getOperands(), argument)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return llvm::any_of(slice, [&](Operation *op) {
    return op->walk(hasOperand).wasInterrupted();
  });
}

/// Whether the score of each pair of a query and a key needs an element of a
/// captured tensor, as a bias does.
static bool readsPairs(ScoreOpInterface op) {
  if (op.getScoreMod().empty())
    return false;
  Block &body = op.getScoreMod().front();
  BlockArgument query = body.getArgument(kScoreQueryArgument),
                key = body.getArgument(kScoreQueryArgument + 1);
  WalkResult result = body.walk([&](tensor::ExtractOp extract) {
    auto isAt = [&](BlockArgument place) {
      return llvm::any_of(extract.getIndices(), [&](Value index) {
        return followsFrom(index, place);
      });
    };
    return isAt(query) && isAt(key) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether a score or its mask is computed from the positions of its query and
/// key, other than by a causal mask.
static bool usesPositions(ScoreOpInterface op) {
  auto readsPositions = [](Region &region, unsigned first) {
    return !region.empty() && (!region.getArgument(first).use_empty() ||
                               !region.getArgument(first + 1).use_empty());
  };
  std::optional<MaskAttr> mask = op.getMask();
  return readsPositions(op.getScoreMod(), kScoreQueryArgument) ||
         readsPositions(op.getMaskMod(), kMaskQueryArgument) ||
         (mask && (mask->getLeft() || mask->getPrefix()));
}

static TuningFacts findFacts(ScoreOpInterface op, const TuningHints &hints) {
  TuningFacts facts;
  auto tiled = op.isByKeys() ? op.getK() : op.getQ();
  facts.addSize("rows", tiled.getType().getShape().end()[-2],
                op.isByKeys() ? hints.n : hints.m);
  facts.addProduct("batches", tiled.getType().getShape().drop_back(2));
  facts.add("head_dim", op.getHeadDim());
  facts.add("value_dim", op.getValueDim());
  facts.addType("dtype", op.getQ().getType().getElementType());
  if (std::optional<ArrayRef<int64_t>> size = op.getBlockSize()) {
    facts.add("block_queries", (*size)[0]);
    facts.add("block_keys", (*size)[1]);
    Value counts = op.getFullCounts()      ? op.getFullCounts()
                   : op.getPartialCounts() ? op.getPartialCounts()
                                           : op.getCrow();
    auto type = cast<RankedTensorType>(counts.getType());
    facts.addFlag("shares_mask", type.getDimSize(op.getLeadRank() - 1) == 1);
  }
  facts.addFlag("has_dropout", bool(op.getRandom()));
  facts.addFlag("reads_pairs", readsPairs(op));
  facts.addFlag("uses_positions", usesPositions(op));
  std::optional<MaskAttr> mask = op.getMask();
  facts.addFlag("is_causal",
                mask && mask->getRight() && !mask->getLeft() && !op.hasLists());
  return facts;
}

std::optional<std::string>
FlexAttentionDqOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

SmallVector<tuning::NamedFact>
FlexAttentionDqOp::getTuningFacts(const TuningHints &hints) {
  return findFacts(*this, hints).take();
}

std::optional<std::string>
FlexAttentionDkdvOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

SmallVector<tuning::NamedFact>
FlexAttentionDkdvOp::getTuningFacts(const TuningHints &hints) {
  TuningFacts facts = findFacts(*this, hints);
  facts.addFlag("is_one_gradient", getOnly().has_value());
  facts.add("gradient_columns", getTiledColumns());
  return facts.take();
}

std::optional<std::string>
FlexAttentionDcaptureOp::restrictTo(const tuning::Target &) {
  return std::nullopt;
}

SmallVector<tuning::NamedFact>
FlexAttentionDcaptureOp::getTuningFacts(const TuningHints &hints) {
  return findFacts(*this, hints).take();
}
