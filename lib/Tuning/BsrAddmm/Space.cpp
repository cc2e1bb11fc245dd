//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../SpaceParts.h"
#include "Declaration.h"

#include "sattn/Layout/WgmmaDescriptor.h"
#include "sattn/Resources/Mma.h"
#include "sattn/Resources/Stages.h"
#include "sattn/Support/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn;
using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

/// Most rows of a tile that several block rows share, and the widest tile that
/// is tried on the CPU, which has no limit.
static constexpr int64_t kGroupedRows = 128, kWidestOnCPU = 256;
/// Rows and K of an MMA, of which tiles are multiples.
static constexpr int64_t kRowUnit = 16;
/// Bytes of shared memory beside stages: barriers, and results before they are
/// stored.
static constexpr int64_t kOtherBytes = 1024;

static bool isAlongK(const Problem &problem) {
  return problem.alongK || problem.elementBytes == 1;
}

/// Whether block rows of a tile are planned: on a GPU whose CTAs take several.
static bool takesGroups(const Facts &facts, const Target &target) {
  return target.kind == TargetKind::Wgmma && facts.takesRowBlockGroups &&
         !facts.sharesColumns && !facts.plannedBlockRows;
}

static llvm::SmallVector<int64_t> listRows(const Facts &facts,
                                           const Target &target) {
  if (target.kind == TargetKind::CPU || facts.sharesColumns ||
      facts.plannedBlockRows)
    return {};
  llvm::SmallVector<int64_t> rows =
      getDivisors(facts.blockRows, kRowUnit, facts.blockRows);
  rows.push_back(facts.blockRows);
  if (takesGroups(facts, target) && facts.blockRows % kRowUnit == 0)
    for (int64_t group = 2 * facts.blockRows; group <= kGroupedRows; group *= 2)
      rows.push_back(group);
  return rows;
}

void sattn::tuning::bsr_addmm::addParameters(Space &space, const Facts &facts,
                                             const Target &target) {
  Problem problem = makeProblem(facts);
  bool isCPU = target.kind == TargetKind::CPU;
  int64_t unit = problem.elementBytes == 1 ? 32 : kRowUnit;
  addParameter(space, "tile_m", listRows(facts, target));
  addParameter(space, "tile_n",
               takeUpTo(isCPU ? kWidestOnCPU : target.maxColumns,
                        {16, 32, 64, 96, 128, 192, 256}));
  llvm::SmallVector<int64_t> depths = getDivisors(
      facts.blockColumns, unit, isCPU ? facts.blockColumns : kWidestOnCPU);
  addParameter(space, "tile_k", depths);
  addHints(space, target, /*hasWarps=*/
           target.kind == TargetKind::MmaSync ||
               facts.blockRows % layout::kWgmmaRows != 0);
  if (target.hasClusters)
    addParameter(space, "split_k", {0, 1, 2, 4, 8});
}

static std::string findRowsProblem(const Facts &facts, const Parameters &tile,
                                   const Target &target) {
  int64_t rows = tile.rows, block = facts.blockRows;
  int64_t planned = facts.plannedBlockRows.value_or(1) * block;
  if (rows == block || (facts.plannedBlockRows && rows == planned))
    return {};
  if (target.kind == TargetKind::CPU || facts.sharesColumns)
    return ("expected tile_m of one block row, " + llvm::Twine(block) +
            ", but got " + llvm::Twine(rows))
        .str();
  if (rows > 0 && rows < block && block % rows == 0 && rows % 8 == 0)
    return {};
  if (takesGroups(facts, target) && rows > block && rows <= kGroupedRows &&
      rows % block == 0 && block % 8 == 0)
    return {};
  return ("expected tile_m to be a multiple of 8 that divides the block's " +
          llvm::Twine(block) +
          (takesGroups(facts, target)
               ? ", or a multiple of them up to " + llvm::Twine(kGroupedRows)
               : llvm::Twine()) +
          ", but got " + llvm::Twine(rows))
      .str();
}

/// The problem with shared memory: stages must fit beside everything else in
/// it.
static std::string findMemoryProblem(const Problem &problem,
                                     const Parameters &tile, int64_t stages,
                                     const Target &target) {
  resources::StepTiles step = {tile.rows, tile.columns, tile.depth,
                               problem.elementBytes};
  int64_t bytes = target.kind == TargetKind::MmaSync ? step.getPaddedBytes()
                                                     : step.getBytes();
  return expectMost("bytes of " + llvm::Twine(stages) + " stages",
                    stages * bytes, target.sharedBytes - kOtherBytes, target);
}

std::string sattn::tuning::bsr_addmm::findTileProblem(const Facts &facts,
                                                      const Parameters &tile,
                                                      const Target &target) {
  Problem problem = makeProblem(facts);
  if (std::string reason = firstProblem(
          {[&] { return findRowsProblem(facts, tile, target); },
           [&] { return expectMultiple("tile_n", tile.columns, 8); },
           [&] {
             return expectDivisor("tile_k", tile.depth, facts.blockColumns);
           },
           [&] {
             return findProductProblem(tile, problem.elementBytes,
                                       isAlongK(problem), target);
           }});
      !reason.empty() || target.kind == TargetKind::CPU)
    return reason;
  int64_t widest = std::max(
      widestColumns(problem, tile.rows, tile.depth, target), int64_t(0));
  return firstProblem(
      {[&] {
         return expectMost("tile_n for " + llvm::Twine(tile.rows) + " rows",
                           tile.columns, widest, target);
       },
       [&] {
         // As wide as a row is made.
         Parameters wide = tile;
         wide.columns = llvm::alignTo(tile.columns, target.columnMultiple);
         return findMemoryProblem(problem, wide, resources::kMinStages, target);
       }});
}

std::string sattn::tuning::bsr_addmm::findHintsProblem(
    const Facts &facts, const Parameters &parameters, const Target &target) {
  return firstProblem(
      {[&] { return findCommonHintsProblem(parameters, target); },
       [&]() -> std::string {
         if (!parameters.stages)
           return {};
         return findMemoryProblem(makeProblem(facts), parameters,
                                  *parameters.stages, target);
       },
       [&]() -> std::string {
         if (!parameters.splitK)
           return {};
         return expectRange("split_k", *parameters.splitK, 1,
                            target.hasClusters ? kMaxClusterSize : 0);
       },
       [&]() -> std::string {
         // A tile that CTAs share is alone.
         if (parameters.splitK.value_or(1) > 1 &&
             parameters.rows > facts.blockRows)
           return ("expected split_k of 1 for several block rows, but got " +
                   llvm::Twine(*parameters.splitK))
               .str();
         return {};
       }});
}
