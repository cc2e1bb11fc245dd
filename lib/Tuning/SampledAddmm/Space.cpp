//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpTuning.h"
#include "../SpaceParts.h"

#include "sattn/Resources/Stages.h"
#include "sattn/Tuning/SampledAddmm.h"

using namespace sattn;
using namespace sattn::tuning;
using namespace sattn::tuning::sampled_addmm;

/// Most stored blocks of a tile (C12 of the op).
static constexpr int64_t kMostBlocks = 32;
/// Bytes of shared memory beside stages.
static constexpr int64_t kOtherBytes = 1024;

static Facts read(NamedFacts &given) {
  Facts facts;
  facts.blockRows = given.require("block_rows");
  facts.blockColumns = given.require("block_columns");
  facts.dtype = given.findElement(facts.elementBytes);
  facts.k = given.find("k");
  facts.canBeRun = given.isSet("can_be_run");
  return facts;
}

static TableKey getKey(const Facts &facts) {
  TableKey key;
  key.dtype = facts.dtype;
  key.numbers = {facts.blockRows, facts.blockColumns, facts.canBeRun, facts.k};
  return key;
}

/// Whether the blocks of a tile are computed one after the other.
static bool isRun(const Facts &facts, const Parameters &tile) {
  return facts.canBeRun && facts.k && *facts.k <= tile.depth &&
         tile.rows == facts.blockRows && tile.columns > facts.blockColumns;
}

static void addParameters(Space &space, const Facts &facts,
                          const Target &target) {
  bool isCPU = target.kind == TargetKind::CPU;
  int64_t unit = isCPU ? 8 : 16;
  addParameter(space, "tile_m", getDivisors(facts.blockRows, unit, 256));
  llvm::SmallVector<int64_t> columns =
      getDivisors(facts.blockColumns, unit, 256);
  if (target.kind == TargetKind::Wgmma && facts.elementBytes < 4)
    for (int64_t blocks = 2; blocks <= kMostBlocks; blocks *= 2)
      columns.push_back(blocks * facts.blockColumns);
  addParameter(space, "tile_n", columns);
  addParameter(space, "tile_k",
               takeUpTo(isCPU ? 128 : 256, {16, 32, 64, 128, 256}));
  addHints(space, target, /*hasWarps=*/
           target.kind == TargetKind::MmaSync || facts.blockRows % 64 != 0);
}

static std::string findColumnsProblem(const Facts &facts,
                                      const Parameters &tile,
                                      const Target &target) {
  int64_t block = facts.blockColumns, blocks = tile.columns / block;
  bool hasBlocks = target.kind == TargetKind::Wgmma && facts.elementBytes < 4;
  if (tile.columns > 0 &&
      (block % tile.columns == 0 ||
       (hasBlocks && tile.columns % block == 0 && blocks <= kMostBlocks)))
    return {};
  return ("expected tile_n to divide the block's " + llvm::Twine(block) +
          (hasBlocks
               ? " or to be 2 to " + llvm::Twine(kMostBlocks) + " times as many"
               : llvm::Twine()) +
          ", but got " + llvm::Twine(tile.columns))
      .str();
}

static std::string findTileProblem(const Facts &facts, const Parameters &tile,
                                   const Target &target) {
  if (std::string problem = firstProblem(
          {[&] { return expectMultiple("tile_m", tile.rows, 8); },
           [&] { return expectMultiple("tile_n", tile.columns, 8); },
           [&] { return expectMultiple("tile_k", tile.depth, 8); },
           [&] { return expectDivisor("tile_m", tile.rows, facts.blockRows); },
           [&] { return findColumnsProblem(facts, tile, target); }});
      !problem.empty() || target.kind == TargetKind::CPU)
    return problem;
  // A run's accumulator is of one block, but what it reads is of all.
  Parameters part = tile;
  if (isRun(facts, tile))
    part.columns = facts.blockColumns;
  resources::StepTiles step = {tile.rows, part.columns, tile.depth,
                               facts.elementBytes};
  return firstProblem(
      {[&] {
         return findProductProblem(part, facts.elementBytes,
                                   facts.elementBytes == 1, target);
       },
       [&] {
         return expectMost("elements of a tile", tile.rows * part.columns,
                           target.maxAccumulator, target);
       },
       [&] {
         return expectMost("bytes of 2 stages",
                           resources::kMinStages * step.getPaddedBytes(),
                           target.sharedBytes - kOtherBytes, target);
       }});
}

namespace sattn::tuning {
NamedOp getSampledAddmmByName() {
  return makeNamedOp<Facts>({"sampled_addmm", &kSchema, read, defaultParameters,
                             sampled_addmm::choose, getKey, addParameters,
                             findTileProblem, /*findHintsProblem=*/nullptr,
                             /*choose=*/nullptr, estimateCycles});
}
} // namespace sattn::tuning
