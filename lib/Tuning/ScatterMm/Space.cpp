//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OpTuning.h"
#include "../SpaceParts.h"

#include "sattn/Layout/WgmmaDescriptor.h"
#include "sattn/Resources/Mma.h"
#include "sattn/Resources/Stages.h"
#include "sattn/Tuning/ScatterMm.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn;
using namespace sattn::tuning;
using namespace sattn::tuning::scatter_mm;

/// Bytes of shared memory beside stages.
static constexpr int64_t kOtherBytes = 1024;
/// Most rows of a tile of several entries.
static constexpr int64_t kMostSharedRows = 128;

static Facts read(NamedFacts &given) {
  Facts facts;
  facts.blockRows = given.require("block_rows");
  facts.blockColumns = given.require("block_columns");
  facts.dtype = given.findElement(facts.elementBytes);
  facts.n = given.find("n");
  facts.m = given.find("m");
  facts.k = given.find("k");
  facts.wholeN = given.find("whole_n");
  facts.sparsity = given.findHundredths("sparsity");
  return facts;
}

static TableKey getKey(const Facts &facts) {
  TableKey key;
  key.dtype = facts.dtype;
  key.sparsity = facts.sparsity;
  key.numbers = {facts.m, facts.k, facts.wholeN ? facts.wholeN : facts.n,
                 facts.blockRows, facts.blockColumns};
  return key;
}

/// Sizes of a tile along a block's `size`: its divisors, or the next multiple
/// of an MMA's unit.
static llvm::SmallVector<int64_t> listParts(int64_t size, bool isCPU) {
  llvm::SmallVector<int64_t> parts = getDivisors(size, isCPU ? 8 : 16, 256);
  if (isCPU)
    parts.push_back(size);
  else if (int64_t next = llvm::alignTo(size, 16); next <= 256)
    parts.push_back(next);
  return parts;
}

/// Whether several entries share a tile, by wgmma on 16 bits.
static bool takesLists(const Facts &facts, const Target &target) {
  return target.kind == TargetKind::Wgmma && facts.elementBytes == 2 &&
         facts.blockRows % 16 == 0;
}

static void addParameters(Space &space, const Facts &facts,
                          const Target &target) {
  bool isCPU = target.kind == TargetKind::CPU;
  llvm::SmallVector<int64_t> rows = listParts(facts.blockRows, isCPU);
  if (takesLists(facts, target))
    for (int64_t lists = 2; lists <= kMostLists; lists *= 2)
      if (lists * facts.blockRows <= kMostSharedRows)
        rows.push_back(lists * facts.blockRows);
  addParameter(space, "tile_m", rows);
  addParameter(space, "tile_n", {16, 32, 64, 128, 256});
  addParameter(space, "tile_k", listParts(facts.blockColumns, isCPU));
  addHints(space, target, /*hasWarps=*/
           target.kind == TargetKind::MmaSync || facts.blockRows % 64 != 0);
}

static std::string checkPart(llvm::StringRef name, int64_t size,
                             int64_t block) {
  if (size > 0 && isPart(size, block))
    return {};
  return ("expected " + name + " to divide the block's " + llvm::Twine(block) +
          ", or to be a multiple of 8 below, or the next of 8 or 16, but got " +
          llvm::Twine(size))
      .str();
}

static std::string findTileProblem(const Facts &facts, const Parameters &tile,
                                   const Target &target) {
  bool isShared = takesLists(facts, target) && tile.rows > facts.blockRows &&
                  tile.rows <= kMostSharedRows &&
                  countLists(tile.rows, facts.blockRows) > 1;
  if (std::string problem = firstProblem(
          {[&] {
             return isShared ? std::string()
                             : checkPart("tile_m", tile.rows, facts.blockRows);
           },
           [&] { return checkPart("tile_k", tile.depth, facts.blockColumns); },
           [&] { return expectMultiple("tile_n", tile.columns, 8); }});
      !problem.empty())
    return problem;
  if (target.kind == TargetKind::CPU) {
    std::string problem = expectDivisor("tile_m", tile.rows, facts.blockRows);
    return problem.empty()
               ? expectDivisor("tile_k", tile.depth, facts.blockColumns)
               : problem;
  }
  // Each entry of a shared tile has a tile of A.
  resources::StepTiles step = {tile.rows, tile.columns, tile.depth,
                               facts.elementBytes};
  return firstProblem(
      {[&] {
         return findProductProblem(tile, facts.elementBytes,
                                   /*isTransposedB=*/false, target);
       },
       [&] {
         return expectMost(
             "tile_n for " + llvm::Twine(tile.rows) + " rows", tile.columns,
             std::max(resources::getWidestColumns(
                          tile.rows, tile.depth, facts.elementBytes,
                          facts.elementBytes == 1, isShared, target),
                      int64_t(0)),
             target);
       },
       [&] {
         return expectMost("bytes of 2 stages",
                           resources::kMinStages * step.getPaddedBytes(),
                           target.sharedBytes - kOtherBytes, target);
       }});
}

namespace sattn::tuning {
NamedOp getScatterMmByName() {
  return makeNamedOp<Facts>({"scatter_mm", &kSchema, read, defaultParameters,
                             scatter_mm::choose, getKey, addParameters,
                             findTileProblem, /*findHintsProblem=*/nullptr,
                             /*choose=*/nullptr, estimateCycles});
}
} // namespace sattn::tuning
