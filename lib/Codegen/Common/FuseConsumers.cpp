//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Common/FuseConsumers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

using namespace mlir;
using namespace sattn;

using OpFilter = function_ref<bool(Operation *)>;

static bool usesTileProgram(Operation *op, OpFilter hasTileProgram) {
  return llvm::any_of(op->getOperands(), [&](Value value) {
    Operation *definition = value.getDefiningOp();
    return definition && hasTileProgram(definition);
  });
}

/// The linalg op that an op is, if it is elementwise on tensors and has one
/// result; else null.
static linalg::LinalgOp getElementwise(Operation *op) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      linalgOp.getNumDpsInits() != 1 || !linalg::isElementwise(linalgOp))
    return {};
  return linalgOp;
}

/// An op that reads its own destination takes it as an input, so that the two
/// can be distinguished. The result then goes to the producer's destination.
static void separateDestination(RewriterBase &rewriter,
                                linalg::GenericOp generic,
                                OpFilter hasTileProgram) {
  OpOperand &init = generic.getDpsInitsMutable()[0];
  Operation *definition = init.get().getDefiningOp();
  if (!definition ||
      (!hasTileProgram(definition) && !getElementwise(definition)))
    return;
  auto producer = cast<DestinationStyleOpInterface>(definition);
  Value target = producer.getTiedOpOperand(cast<OpResult>(init.get()))->get();
  if (!generic.payloadUsesValueFromOperand(&init)) {
    rewriter.modifyOpInPlace(generic, [&] { init.set(target); });
    return;
  }
  SmallVector<Value> inputs(generic.getInputs());
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  inputs.push_back(init.get());
  maps.insert(maps.end() - 1, maps.back());
  rewriter.setInsertionPoint(generic);
  auto separate = linalg::GenericOp::create(
      rewriter, generic.getLoc(), target.getType(), inputs, target, maps,
      generic.getIteratorTypesArray());
  rewriter.inlineRegionBefore(generic.getRegion(), separate.getRegion(),
                              separate.getRegion().begin());
  Block *body = separate.getBody();
  BlockArgument old = body->getArguments().back();
  body->addArgument(old.getType(), old.getLoc());
  rewriter.replaceOp(generic, separate.getResults());
}

using PairFilter =
    function_ref<bool(linalg::GenericOp producer, linalg::GenericOp consumer)>;

/// The operands of an op by which it can be fused with a producer of one use.
static SmallVector<OpOperand *> findFusable(linalg::GenericOp consumer) {
  SmallVector<OpOperand *> operands;
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (producer && producer->hasOneUse() &&
        linalg::areElementwiseOpsFusable(operand))
      operands.push_back(operand);
  }
  return operands;
}

static linalg::GenericOp getProducer(OpOperand *operand) {
  return operand->get().getDefiningOp<linalg::GenericOp>();
}

/// Fuses producers of one use into their consumers, where both are elementwise
/// and the pair is selected; `fused` gets each new op. Upstream's patterns
/// would also write every result to a new tensor. The bodies of a pair are
/// copied, so a chain is fused in pairs, then in pairs of pairs.
static void mergeGenerics(func::FuncOp function, PairFilter isWanted,
                          function_ref<void(linalg::GenericOp)> fused) {
  IRRewriter rewriter(function.getContext());
  auto findPairs = [&] {
    SmallVector<OpOperand *> pairs;
    DenseSet<Operation *> taken;
    function.walk([&](linalg::GenericOp consumer) {
      if (taken.contains(consumer))
        return;
      for (OpOperand *operand : findFusable(consumer)) {
        linalg::GenericOp producer = getProducer(operand);
        if (taken.contains(producer) || !isWanted(producer, consumer))
          continue;
        taken.insert_range(ArrayRef<Operation *>{producer, consumer});
        pairs.push_back(operand);
        return;
      }
    });
    return pairs;
  };
  for (SmallVector<OpOperand *> pairs = findPairs(); !pairs.empty();
       pairs = findPairs()) {
    for (OpOperand *pair : pairs) {
      Operation *producer = getProducer(pair);
      Operation *consumer = pair->getOwner();
      rewriter.setInsertionPoint(consumer);
      FailureOr<linalg::ElementwiseOpFusionResult> result =
          linalg::fuseElementwiseOps(rewriter, pair);
      if (failed(result))
        return;
      SmallVector<Value> results;
      for (Value old : consumer->getResults())
        results.push_back(result->replacements.lookup(old));
      fused(cast<linalg::GenericOp>(result->fusedOp));
      rewriter.replaceOp(consumer, results);
      rewriter.eraseOp(producer);
    }
  }
}

/// Ops that use the result of a tile program, and those that can be fused with
/// one of them, one pair after another.
static DenseSet<Operation *> findMergeable(func::FuncOp function,
                                           OpFilter hasTileProgram) {
  DenseMap<Operation *, SmallVector<Operation *>> neighbors;
  SetVector<Operation *> found;
  function.walk([&](linalg::GenericOp op) {
    if (usesTileProgram(op, hasTileProgram))
      found.insert(op);
    for (OpOperand *operand : findFusable(op)) {
      linalg::GenericOp producer = getProducer(operand);
      neighbors[op].push_back(producer);
      neighbors[producer].push_back(op);
    }
  });
  for (size_t i = 0; i < found.size(); ++i)
    found.insert_range(neighbors.lookup(found[i]));
  return {found.begin(), found.end()};
}

LogicalResult sattn::mergeConsumers(func::FuncOp function,
                                    OpFilter hasTileProgram) {
  IRRewriter rewriter(function.getContext());
  // Named ops after an op with a tile program, and those that feed them.
  SetVector<Operation *> ops;
  function.walk([&](Operation *current) {
    if (!hasTileProgram(current))
      return;
    while (current->getNumResults() == 1 && !current->use_empty() &&
           llvm::all_equal(current->getUsers())) {
      linalg::LinalgOp user = getElementwise(*current->user_begin());
      if (!user)
        return;
      ops.insert(user);
      current = user;
    }
  });
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (auto producer = getElementwise(operand.getDefiningOp());
          producer && operand.hasOneUse() && producer.getNumDpsInputs() > 0)
        ops.insert(producer);
  if (ops.empty())
    return success();
  for (Operation *op : ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
      if (failed(made))
        return failure();
      generic = *made;
    }
    separateDestination(rewriter, generic, hasTileProgram);
  }

  DenseSet<Operation *> mergeable = findMergeable(function, hasTileProgram);
  mergeGenerics(
      function,
      [&](linalg::GenericOp producer, linalg::GenericOp consumer) {
        return mergeable.contains(producer) && mergeable.contains(consumer);
      },
      [&](linalg::GenericOp fused) { mergeable.insert(fused); });
  return success();
}

/// Whether a tile is computed, not cut out of a tensor.
static bool isComputed(Value tile) {
  Operation *definition = tile.getDefiningOp();
  return definition && isa<RankedTensorType>(tile.getType()) &&
         !isa<tensor::ExtractSliceOp, tensor::PadOp, tensor::EmptyOp>(
             definition);
}

/// Makes elementwise ops of a tile that transpose the result of the tile's
/// program count its rows first: registers stay where they are, and only
/// accesses of memory are transposed.
static void followTiles(func::FuncOp function) {
  SmallVector<linalg::GenericOp> transposing;
  function.walk([&](linalg::GenericOp op) {
    if (!op->getParentOfType<scf::ForallOp>() || op.getNumLoops() != 2 ||
        !linalg::isElementwise(op))
      return;
    bool isTransposed = false, isUpright = false;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (!isComputed(operand->get()) || map.getNumResults() != 2)
        continue;
      (map.isIdentity() ? isUpright : isTransposed) = true;
    }
    if (isTransposed && !isUpright)
      transposing.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::GenericOp op : transposing) {
    rewriter.setInsertionPoint(op);
    (void)linalg::interchangeGenericOp(rewriter, op, {1, 0});
  }
}

void sattn::mergeInTiles(func::FuncOp function) {
  mergeGenerics(
      function,
      [](linalg::GenericOp producer, linalg::GenericOp consumer) {
        return producer->getBlock() == consumer->getBlock() &&
               producer->getParentOfType<scf::ForallOp>();
      },
      [](linalg::GenericOp) {});
  followTiles(function);
}

linalg::GenericOp
sattn::prepareConsumer(RewriterBase &rewriter, Operation *op,
                       function_ref<bool(Value destination)> writeInto) {
  auto tiling = dyn_cast<TilingInterface>(op);
  auto producer = dyn_cast<DestinationStyleOpInterface>(op);
  if (!tiling || !producer || op->getNumResults() != 1 || !op->hasOneUse())
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto consumer = dyn_cast<linalg::GenericOp>(*op->user_begin());
  if (!consumer || !getElementwise(consumer) || consumer.hasIndexSemantics() ||
      consumer->getBlock() != op->getBlock() ||
      static_cast<int64_t>(tiling.getLoopIteratorTypes().size()) !=
          type.getRank())
    return {};
  OpOperand &use = *op->use_begin();
  OpOperand *init = consumer.getDpsInitOperand(0);
  if (&use == init || !consumer.getMatchingIndexingMap(&use).isIdentity() ||
      !consumer.getMatchingIndexingMap(init).isIdentity())
    return {};
  for (OpOperand &operand : consumer->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        !consumer.getMatchingIndexingMap(&operand).isProjectedPermutation())
      return {};
  // Tiles are counted and clipped by the size of the written tensor.
  Value out = producer.getDpsInits()[0];
  if (out == init->get())
    return consumer;
  rewriter.moveOpBefore(op, consumer);
  rewriter.setInsertionPoint(op);
  Value empty = tensor::EmptyOp::create(
      rewriter, op->getLoc(),
      tensor::getMixedSizes(rewriter, op->getLoc(), init->get()),
      type.getElementType());
  // The sizes of both are equal, known or not.
  if (empty.getType() != type || !writeInto(empty)) {
    rewriter.eraseOp(empty.getDefiningOp());
    return {};
  }
  return consumer;
}

/// Makes the loop read the tensor that it writes in place through its own
/// destination, at the place that it writes: bufferization then sees one
/// buffer.
static void readThroughDestination(scf::ForallOp loop, BlockArgument target,
                                   tensor::ExtractSliceOp written) {
  Value init = loop.getTiedOpOperand(target)->get();
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : init.getUses()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
    if (slice && loop->isProperAncestor(slice) &&
        isEqualConstantIntOrValueArray(slice.getMixedOffsets(),
                                       written.getMixedOffsets()))
      reads.push_back(&use);
  }
  for (OpOperand *read : reads)
    read->set(target);
}

FailureOr<linalg::GenericOp> sattn::fuseConsumer(RewriterBase &rewriter,
                                                 linalg::GenericOp consumer,
                                                 scf::ForallOp loop) {
  // Where all operands of the consumer are known.
  rewriter.moveOpBefore(loop, consumer);
  auto attrs = llvm::to_vector(loop->getDiscardableAttrs());
  SmallVector<LoopLikeOpInterface> loops = {
      cast<LoopLikeOpInterface>(loop.getOperation())};
  FailureOr<scf::SCFFuseConsumerOfSliceResult> fused =
      scf::tileAndFuseConsumer(rewriter, consumer, loops);
  if (failed(fused))
    return failure();
  loop = cast<scf::ForallOp>(loops.front().getOperation());
  for (NamedAttribute attr : attrs)
    loop->setDiscardableAttr(attr.getName(), attr.getValue());
  auto tiled = cast<linalg::GenericOp>(fused->tiledOps.front());

  // The first result is what the consumer was given: nobody needs it now.
  Block::BlockArgListType targets = loop.getRegionIterArgs();
  auto written = tiled.getDpsInits()[0].getDefiningOp<tensor::ExtractSliceOp>();
  if (!written || written.getSource() != targets.back())
    return tiled.emitOpError("expected a slice of the loop's result");
  if (loop.getTiedOpOperand(targets.front())->get() ==
      loop.getTiedOpOperand(targets.back())->get()) {
    SmallVector<OpOperand *> reads;
    for (OpOperand &use : targets.front().getUses())
      if (isa<tensor::ExtractSliceOp>(use.getOwner()))
        reads.push_back(&use);
    for (OpOperand *read : reads)
      read->set(targets.back());
  }
  readThroughDestination(loop, targets.back(), written);
  return tiled;
}

namespace {
/// Rewrites one fused op on the whole tile.
class TileWidener {
public:
  TileWidener(RewriterBase &rewriter, linalg::GenericOp op)
      : b(rewriter), op(op), loc(op->getLoc()) {}

  void run() {
    OpOperand *use = findProgram();
    if (!use)
      return;
    b.setInsertionPoint(op);
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      maps.push_back(mapOnTile(op.getMatchingIndexingMap(operand)));
      inputs.push_back(operand == use ? tile : onTile(*operand));
    }
    OpOperand *init = op.getDpsInitOperand(0);
    bool readsInit = op.payloadUsesValueFromOperand(init);
    if (readsInit) {
      maps.push_back(mapOnTile(op.getMatchingIndexingMap(init)));
      inputs.push_back(onTile(*init));
    }
    if (llvm::is_contained(inputs, Value()))
      return;
    maps.push_back(b.getMultiDimIdentityMap(2));
    auto outType = cast<RankedTensorType>(init->get().getType());
    Value empty = tensor::EmptyOp::create(b, loc, tileType.getShape(),
                                          outType.getElementType());
    SmallVector<utils::IteratorType> iterators(2,
                                               utils::IteratorType::parallel);
    auto wide = linalg::GenericOp::create(b, loc, empty.getType(), inputs,
                                          empty, maps, iterators);
    b.inlineRegionBefore(op.getRegion(), wide.getRegion(),
                         wide.getRegion().begin());
    if (readsInit) {
      BlockArgument old = wide.getBody()->getArguments().back();
      wide.getBody()->addArgument(old.getType(), old.getLoc());
    }
    b.replaceOp(op, writeBack(wide.getResult(0), init->get()));
  }

private:
  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  Value tile;
  RankedTensorType tileType;
  int64_t leading = 0;

  /// The operand that a tile program wrote; sets `tile` to its value before the
  /// clip.
  OpOperand *findProgram() {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto insert = operand->get().getDefiningOp<tensor::InsertSliceOp>();
      if (!insert || insert.getSourceType().getRank() != 2)
        continue;
      tile = insert.getSource();
      if (auto clip = tile.getDefiningOp<tensor::ExtractSliceOp>();
          clip && clip.hasZeroOffset() && clip.hasUnitStride() &&
          clip.getSourceType().getRank() == 2)
        tile = clip.getSource();
      tileType = cast<RankedTensorType>(tile.getType());
      leading = insert.getDestType().getRank() - 2;
      if (tileType.hasStaticShape())
        return operand;
    }
    return nullptr;
  }

  /// A map of the op's loops as one of the tile's two.
  AffineMap mapOnTile(AffineMap map) {
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : map.getResults()) {
      int64_t dim = cast<AffineDimExpr>(expr).getPosition();
      if (dim >= leading)
        exprs.push_back(b.getAffineDimExpr(dim - leading));
    }
    return AffineMap::get(2, 0, exprs, b.getContext());
  }

  /// The part of an operand that the tile needs, without batches, padded to the
  /// tile's size; null if it is unknown.
  Value onTile(OpOperand &operand) {
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return value;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
    if (slice && (slice.getDroppedDims().any() || !slice.hasUnitStride()))
      slice = {};
    Value source = slice ? slice.getSource() : value;
    SmallVector<OpFoldResult> offsets, sizes, high;
    SmallVector<int64_t> shape, padded;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      int64_t dim = map.getDimPosition(i);
      offsets.push_back(slice ? slice.getMixedOffsets()[i]
                              : OpFoldResult(b.getIndexAttr(0)));
      if (dim < leading) {
        if (type.getDimSize(i) != 1)
          return {};
        sizes.push_back(b.getIndexAttr(1));
        continue;
      }
      int64_t whole = tileType.getDimSize(dim - leading);
      // The written part is clipped by the size that it is read with.
      bool isTarget =
          slice && isa<BlockArgument>(source) &&
          isa<scf::ForallOp>(source.getParentBlock()->getParentOp());
      sizes.push_back(isTarget ? slice.getMixedSizes()[i]
                               : insideOf(source, i, offsets.back(),
                                          type.getDimSize(i), whole));
      shape.push_back(
          getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
      padded.push_back(whole);
      high.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, whole - b.getAffineDimExpr(0), {sizes.back()}));
    }
    SmallVector<OpFoldResult> ones(type.getRank(), b.getIndexAttr(1));
    auto windowType = RankedTensorType::get(shape, type.getElementType());
    Value window = tensor::ExtractSliceOp::create(b, loc, windowType, source,
                                                  offsets, sizes, ones);
    if (shape == padded)
      return window;
    SmallVector<OpFoldResult> low(high.size(), b.getIndexAttr(0));
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
    return tensor::PadOp::create(
        b, loc, RankedTensorType::get(padded, type.getElementType()), window,
        low, high, zero);
  }

  /// The part of the tile inside a dimension of `source`, in terms of that
  /// operand's own size, which proves that its reads end where it ends.
  OpFoldResult insideOf(Value source, int64_t dim, OpFoldResult offset,
                        int64_t size, int64_t whole) {
    if (!ShapedType::isDynamic(size))
      return b.getIndexAttr(size);
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    auto map = AffineMap::get(1, 1, {s0 - d0, b.getAffineConstantExpr(whole)},
                              b.getContext());
    return affine::makeComposedFoldedAffineMin(
        b, loc, map, {offset, tensor::getMixedSize(b, loc, source, dim)});
  }

  /// Writes the tile, clipped, into the slice of the loop's result.
  Value writeBack(Value result, Value target) {
    auto type = cast<RankedTensorType>(target.getType());
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, target);
    SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)),
        ones(sizes.size(), b.getIndexAttr(1));
    if (ArrayRef(type.getShape()).take_back(2) != tileType.getShape())
      result = tensor::ExtractSliceOp::create(
          b, loc, result, ArrayRef(zeros).take_front(2),
          ArrayRef(sizes).take_back(2), ArrayRef(ones).take_front(2));
    return tensor::InsertSliceOp::create(b, loc, result, target, zeros, sizes,
                                         ones);
  }
};
} // namespace

void sattn::widenToTile(RewriterBase &rewriter, linalg::GenericOp op) {
  TileWidener(rewriter, op).run();
}
