//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/MatchStages.h"

#include "sattn/Dialect/WGTile/Analysis/RoleValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace wgtile;
using Kind = SyncEffect::Kind;

/// The ring between roles whose stage an op commits or takes.
static Value getStage(Operation *op, Kind kind) {
  auto sync = dyn_cast<SyncOpInterface>(op);
  if (!sync)
    return {};
  SmallVector<SyncEffect> effects;
  sync.getSyncEffects(effects);
  auto *it = llvm::find_if(effects, [&](const SyncEffect &effect) {
    return effect.kind == kind &&
           !cast<RingType>(effect.value.getType()).isStaging();
  });
  return it == effects.end() ? Value() : it->value;
}

namespace {
using Rings = llvm::SetVector<Value>;

/// Compares a producer with one of its consumers step by step, as far as the
/// rings between them are concerned. If only the commits of the one and the
/// takes of the other count, they are equal programs, and each run of them has
/// the same sequence of both.
class RoleMatching {
public:
  RoleMatching(RolesOp roles, unsigned producer, unsigned consumer,
               const Rings &rings, Operation *kernel,
               const StageContents &contents)
      : roles(roles), producer(producer), consumer(consumer), rings(rings),
        values(kernel), contents(contents) {}

  LogicalResult run() {
    for (int64_t group = 0; group < roles.getNumGroups(consumer); ++group) {
      this->group = group;
      values.reset();
      commitOf.clear();
      if (failed(matchBlocks(roles.getPrograms()[producer].front(),
                             roles.getPrograms()[consumer].front())) ||
          failed(checkTiles()))
        return failure();
    }
    return success();
  }

private:
  RolesOp roles;
  unsigned producer, consumer;
  const Rings &rings;
  RoleValues values;
  const StageContents &contents;
  /// The group of consumers that is compared.
  int64_t group = 0;
  /// The commit of the stage that each op takes.
  DenseMap<Operation *, Operation *> commitOf;

  /// The ring between the two roles whose stage an op commits or takes.
  Value getRing(Operation *op, Kind kind) const {
    Value ring = getStage(op, kind);
    return ring && rings.contains(ring) ? ring : Value();
  }

  /// The ops of a block that commit or take a stage, or contain one that does.
  SmallVector<Operation *> collectSteps(Block &block, Kind kind) const {
    SmallVector<Operation *> steps;
    for (Operation &op : block) {
      WalkResult walk = op.walk([&](Operation *nested) {
        return getRing(nested, kind) ? WalkResult::interrupt()
                                     : WalkResult::advance();
      });
      if (walk.wasInterrupted())
        steps.push_back(&op);
    }
    return steps;
  }

  static LogicalResult refuse(Operation *consumer, Operation *producer,
                              const Twine &message) {
    InFlightDiagnostic error = consumer->emitOpError() << message;
    error.attachNote(producer->getLoc()) << "the producer's program";
    return failure();
  }

  LogicalResult matchBlocks(Block &producer, Block &consumer) {
    SmallVector<Operation *> commits =
        collectSteps(producer, Kind::CommitStage);
    SmallVector<Operation *> takes = collectSteps(consumer, Kind::Take);
    for (auto [commit, take] : llvm::zip(commits, takes))
      if (failed(matchSteps(commit, take)))
        return failure();
    if (takes.size() > commits.size())
      return takes[commits.size()]->emitOpError(
          "expected the producer to commit a stage for each that is taken");
    if (commits.size() > takes.size())
      return commits[takes.size()]->emitOpError(
          "expected the consumers to take each stage that is committed");
    return success();
  }

  LogicalResult matchSteps(Operation *commit, Operation *take) {
    Value committed = getRing(commit, Kind::CommitStage);
    Value taken = getRing(take, Kind::Take);
    if (committed && committed == taken) {
      commitOf[take] = commit;
      matchNumbers(commit, take);
      return success();
    }
    if (committed || taken)
      return refuse(take, commit,
                    "expected stages to be taken in the order in which they "
                    "are committed");
    if (auto loop = dyn_cast<ForEachTileOp>(commit))
      return matchTiles(loop, dyn_cast<ForEachTileOp>(take), take);
    if (auto branch = dyn_cast<scf::IfOp>(commit))
      return matchBranches(branch, dyn_cast<scf::IfOp>(take), take);
    if (auto loop = dyn_cast<scf::ForOp>(commit)) {
      if (auto skipping = dyn_cast<scf::WhileOp>(take))
        return matchSkipping(loop, skipping);
      return matchLoops(loop, dyn_cast<scf::ForOp>(take), take);
    }
    return refuse(take, commit, "expected stages in loops and branches of scf");
  }

  /// A number that the producer stores into a stage is the one that the
  /// consumers load from it.
  void matchNumbers(Operation *commit, Operation *take) {
    auto end = dyn_cast<ProducerCommitOp>(commit);
    auto begin = dyn_cast<ConsumerWaitOp>(take);
    if (!end || !begin)
      return;
    for (Operation *user : end.getToken().getUsers()) {
      auto store = dyn_cast<RingStoreOp>(user);
      if (!store || store->getBlock() != end->getBlock())
        continue;
      for (Operation *other : begin.getToken().getUsers())
        if (auto load = dyn_cast<RingLoadOp>(other);
            load && load.getTile() == store.getTile())
          values.match(store.getValue(), load.getValue());
    }
  }

  LogicalResult matchTiles(ForEachTileOp producer, ForEachTileOp consumer,
                           Operation *take) {
    if (!consumer || producer.getGroupSize() != 1 ||
        consumer.getGroupSize() != roles.getNumGroups(this->consumer) ||
        producer.getPersistent() != consumer.getPersistent() ||
        producer.getCounter() != consumer.getCounter() ||
        producer.getOrder() != consumer.getOrder() ||
        producer.getCounts().size() != consumer.getCounts().size())
      return refuse(take, producer, "expected the producer's walk over tiles");
    std::optional<int64_t> grouped = consumer.getGroupedDim();
    int64_t size = consumer.getGroupSize();
    for (auto [i, counts] : llvm::enumerate(
             llvm::zip_equal(producer.getCounts(), consumer.getCounts()))) {
      auto [mine, theirs] = counts;
      bool isGrouped = grouped && static_cast<int64_t>(i) == *grouped;
      if (isGrouped ? !values.isCeilDiv(mine, theirs, size)
                    : !values.areEqual(mine, theirs))
        return refuse(take, producer,
                      "expected as many tiles as the producer's");
      Value index = producer.getBody().getArgument(i);
      Value tile = consumer.getBody().getArgument(i);
      if (isGrouped)
        values.matchTile(index, tile, size, group);
      else
        values.match(index, tile);
    }
    Block &mine = producer.getBody().front(),
          &theirs = consumer.getBody().front();
    if (failed(matchBlocks(mine, theirs)))
      return failure();
    if (producer.getCounter() &&
        !values.areEqual(producer.getNextTile(), consumer.getNextTile()))
      return refuse(take, producer, "expected the producer's next tile");
    return success();
  }

  LogicalResult matchBranches(scf::IfOp producer, scf::IfOp consumer,
                              Operation *take) {
    if (!consumer ||
        !values.areEqual(producer.getCondition(), consumer.getCondition()))
      return refuse(take, producer, "expected the producer's condition");
    Block none;
    auto orNone = [&](Block *block) -> Block & {
      return block ? *block : none;
    };
    if (failed(matchBlocks(*producer.thenBlock(), *consumer.thenBlock())))
      return failure();
    return matchBlocks(orNone(producer.elseBlock()),
                       orNone(consumer.elseBlock()));
  }

  LogicalResult matchLoops(scf::ForOp producer, scf::ForOp consumer,
                           Operation *take) {
    if (!consumer || !values.matchLoops(producer, consumer))
      return refuse(take, producer,
                    "expected the range of the producer's loop");
    return matchBlocks(*producer.getBody(), *consumer.getBody());
  }

  /// A loop whose first argument runs through the producer's range, either in
  /// its own iterations or in those of a loop in its condition, which passes
  /// over some. In an iteration of either kind the consumer takes the stages
  /// that the producer commits in one iteration; the loop ends past the end of
  /// the range.
  LogicalResult matchSkipping(scf::ForOp producer, scf::WhileOp consumer) {
    auto refuseLoop = [&] {
      return refuse(consumer, producer,
                    "expected a loop whose first value runs through the range "
                    "of the producer's loop");
    };
    Block &before = consumer.getBefore().front();
    SmallVector<Operation *> steps = collectSteps(before, Kind::Take);
    scf::ConditionOp condition = consumer.getConditionOp();
    Value cursor =
        before.getArguments().empty() ? Value() : before.getArgument(0);
    if (producer.getUnsignedCmp() || !cursor || steps.size() > 1 ||
        !values.areEqual(producer.getLowerBound(), consumer.getInits()[0]))
      return refuseLoop();
    if (!steps.empty()) {
      auto inner = dyn_cast<scf::WhileOp>(steps.front());
      if (!inner || inner->getBlock() != &before || inner.getInits().empty() ||
          inner.getInits()[0] != cursor ||
          inner.getBefore().getNumArguments() == 0)
        return refuseLoop();
      Value passed = inner.getBefore().getArgument(0);
      if (!collectSteps(inner.getBefore().front(), Kind::Take).empty() ||
          !isInRange(inner.getConditionOp().getCondition(), passed, producer,
                     /*orLess=*/true) ||
          !advances(inner, passed, producer))
        return refuseLoop();
      if (failed(matchBlocks(*producer.getBody(), *inner.getAfterBody())))
        return failure();
      cursor = inner.getResult(0);
    }
    if (!isInRange(condition.getCondition(), cursor, producer,
                   /*orLess=*/false) ||
        !advances(consumer, cursor, producer))
      return refuseLoop();
    return matchBlocks(*producer.getBody(), *consumer.getAfterBody());
  }

  /// Whether a condition requires that the cursor is before the range's end;
  /// with `orLess` it may require more.
  bool isInRange(Value condition, Value cursor, scf::ForOp producer,
                 bool orLess) {
    if (auto both = condition.getDefiningOp<arith::AndIOp>(); both && orLess)
      return isInRange(both.getLhs(), cursor, producer, orLess) ||
             isInRange(both.getRhs(), cursor, producer, orLess);
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    return compare && compare.getPredicate() == arith::CmpIPredicate::slt &&
           compare.getLhs() == cursor &&
           values.areEqual(producer.getUpperBound(), compare.getRhs());
  }

  /// Whether each iteration advances the cursor by one step. Its argument in
  /// the loop's body is then the producer's induction variable.
  bool advances(scf::WhileOp loop, Value cursor, scf::ForOp producer) {
    Block *body = loop.getAfterBody();
    if (body->getNumArguments() == 0 ||
        loop.getConditionOp().getArgs()[0] != cursor)
      return false;
    values.match(producer.getInductionVar(), body->getArgument(0));
    auto next = loop.getYieldOp().getOperand(0).getDefiningOp<arith::AddIOp>();
    return next && next.getLhs() == body->getArgument(0) &&
           values.areEqual(producer.getStep(), next.getRhs());
  }

  /// Whether a tile is read in only some of the iterations that take its stage.
  /// So is the second of two that a condition chooses from. The condition of
  /// the producer's copy is data, which is not followed: if it differs, the
  /// read gets the stage's old content.
  static bool isConditional(Operation *tile, Operation *take) {
    if (isa<scf::WhileOp>(take->getParentOp()))
      return true;
    for (Operation *op = tile->getParentOp(); op && !op->isAncestor(take);
         op = op->getParentOp())
      if (isa<scf::IfOp>(op))
        return true;
    return false;
  }

  /// Checks that each tile that is read was copied into its stage.
  LogicalResult checkTiles() {
    WalkResult walk = roles.getPrograms()[consumer].walk([&](Operation *op) {
      SmallVector<int64_t> instances = {0};
      int64_t number = 0;
      if (auto tile = dyn_cast<RingTileOp>(op)) {
        if (!isRead(tile, tile.getRing()))
          return WalkResult::advance();
        number = tile.getTile();
        instances = findInstances(tile.getInstance());
        if (instances.empty()) {
          tile.emitOpError("expected an instance that depends on the "
                           "consumers' group alone, or one of two");
          return WalkResult::interrupt();
        }
      } else if (auto load = dyn_cast<RingLoadOp>(op);
                 load && isRead(load, load.getRing())) {
        number = load.getTile();
      } else {
        return WalkResult::advance();
      }
      for (auto [i, instance] : llvm::enumerate(instances))
        if (failed(checkTile(op, {number, instance}, /*isSecond=*/i != 0)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// The instances of which a tile is one, by the consumers' group or, of two,
  /// by a condition.
  SmallVector<int64_t> findInstances(Value instance) {
    if (!instance)
      return {0};
    SmallVector<Value> choices = {instance};
    if (auto select = instance.getDefiningOp<arith::SelectOp>())
      choices = {select.getTrueValue(), select.getFalseValue()};
    SmallVector<int64_t> instances;
    for (Value choice : choices) {
      std::optional<int64_t> constant = values.getConstant(choice);
      if (!constant)
        return {};
      instances.push_back(*constant);
    }
    return instances;
  }

  /// Whether a tile of one of the rings is read anywhere: an op without takes
  /// is not reached.
  bool isRead(Operation *op, Value ring) const {
    return rings.contains(ring) && contents.takesOfTile.count(op);
  }

  LogicalResult checkTile(Operation *tile, StageContents::Copy copy,
                          bool isSecond) {
    for (Operation *take : contents.takesOfTile.find(tile)->second) {
      Operation *commit = commitOf.lookup(take);
      auto copies = contents.ofCommit.find(commit);
      bool isCopied =
          copies != contents.ofCommit.end() && copies->second.maybe.count(copy);
      if (isCopied && (isSecond || copies->second.always.count(copy) ||
                       isConditional(tile, take)))
        continue;
      return refuse(tile, commit ? commit : take,
                    isCopied
                        ? "expected a condition, since the producer copies "
                          "the tile under one"
                        : "expected a tile that the producer copies into "
                          "the stage before its commit");
    }
    return success();
  }
};
} // namespace

namespace {
/// The roles of a kernel and the rings between them: each has one role that
/// fills it and one that reads it.
class RoleGraph {
public:
  explicit RoleGraph(RolesOp roles) : roles(roles) {}

  LogicalResult run(Operation *kernel, const StageContents &contents) {
    if (failed(collect(Kind::CommitStage, producers,
                       "expected one role that fills the ring")) ||
        failed(collect(Kind::Take, consumers,
                       "expected one role that reads the ring")))
      return failure();
    for (auto [ring, commit] : producers)
      if (!consumers.count(ring))
        return commit->emitOpError(
            "expected the consumers to take each stage that is committed");
    llvm::MapVector<std::pair<unsigned, unsigned>, Rings> pairs;
    for (auto [ring, take] : consumers) {
      Operation *commit = producers.lookup(ring);
      if (!commit)
        return take->emitOpError(
            "expected the producer to commit a stage for each that is taken");
      pairs[{getRole(commit), getRole(take)}].insert(ring);
    }
    if (failed(verifyTree(pairs)))
      return failure();
    for (auto &[pair, rings] : pairs)
      if (failed(RoleMatching(roles, pair.first, pair.second, rings, kernel,
                              contents)
                     .run()))
        return failure();
    return success();
  }

private:
  RolesOp roles;
  /// For each ring an op that commits a stage, and one that waits for a stage.
  llvm::MapVector<Value, Operation *> producers, consumers;

  unsigned getRole(Operation *op) {
    for (Region &program : roles.getPrograms())
      if (program.isAncestor(op->getParentRegion()))
        return program.getRegionNumber();
    llvm_unreachable("an op of one of the roles");
  }

  LogicalResult collect(Kind kind, llvm::MapVector<Value, Operation *> &ops,
                        StringRef message) {
    WalkResult walk = roles.walk([&](Operation *op) {
      Value ring = getStage(op, kind);
      if (!ring)
        return WalkResult::advance();
      Operation *first = ops.insert({ring, op}).first->second;
      if (getRole(first) == getRole(op))
        return WalkResult::advance();
      InFlightDiagnostic error = op->emitOpError() << message;
      error.attachNote(first->getLoc()) << "another one";
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  /// Verifies that no roles wait for each other in a cycle. Two roles whose
  /// programs match never do; among more roles none can if the rings form no
  /// cycle.
  LogicalResult verifyTree(
      const llvm::MapVector<std::pair<unsigned, unsigned>, Rings> &pairs) {
    llvm::EquivalenceClasses<unsigned> connected;
    for (const auto &[pair, rings] : pairs) {
      auto [producer, consumer] = pair;
      if (connected.isEquivalent(producer, consumer))
        return consumers.lookup(rings.front())
            ->emitOpError("expected no cycle of roles that wait for each "
                          "other, but its ring closes one");
      connected.unionSets(producer, consumer);
    }
    return success();
  }
};
} // namespace

LogicalResult wgtile::matchStages(Operation *kernel,
                                  const StageContents &contents) {
  WalkResult walk = kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto roles = dyn_cast<RolesOp>(op))
      return failed(RoleGraph(roles).run(kernel, contents))
                 ? WalkResult::interrupt()
                 : WalkResult::skip();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
