//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionSpace.h"
#include "SpaceParts.h"

#include "sattn/Layout/Fragment.h"
#include "sattn/Layout/WarpDivision.h"
#include "sattn/Resources/Kernel.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::attention;
using sattn::layout::kWarpgroupThreads;

/// Most rows of a tile on the CPU.
static constexpr int64_t kMostSize = 1024;
/// Rows of a warpgroup of wgmma, and of a warp of mma.sync.
static constexpr int64_t kWarpgroupRows = 64, kWarpRows = 16;
/// Most registers of a thread of mma.sync for its part of tiles: more spill.
static constexpr int64_t kMostMmaRegisters = 192;
/// Bytes of shared memory beside the operands: barriers and vectors.
static constexpr int64_t kOtherBytes = 1024;

TableKey
sattn::tuning::attention::makeKey(const Facts &facts,
                                  llvm::ArrayRef<std::optional<int64_t>> own) {
  TableKey key;
  key.dtype = facts.dtype;
  key.numbers = {facts.headDim, facts.valueDim, facts.blockQueries.value_or(0),
                 facts.blockKeys.value_or(0)};
  key.numbers.append(own.begin(), own.end());
  key.numbers.append({facts.batches, facts.rows});
  return key;
}

void sattn::tuning::attention::addParameters(Space &space, int64_t columns,
                                             const Facts &facts,
                                             const Target &target) {
  bool isCPU = target.kind == TargetKind::CPU;
  llvm::SmallVector<int64_t> rows, keys;
  if (isCPU)
    rows = keys = {16, 32, 64, 128, 256};
  else {
    rows = {16, 32, 48, 64, 96, 128, 192};
    keys = {16, 32, 48, 64, 80, 96, 112, 128};
  }
  addParameter(space, "tile_m", rows);
  llvm::SmallVector<int64_t> parts;
  for (int64_t count : {2, 4})
    if (int64_t part = llvm::alignTo(llvm::divideCeil(columns, count), 16);
        !isCPU && part >= kPaddedColumns)
      parts.push_back(part);
  addParameter(space, "tile_n", parts);
  addParameter(space, "tile_k", keys);
  // A row of scores is one warp's, so that rows say how many there are.
  addHints(space, target, /*hasWarps=*/false);
  if (facts.mayHaveParts && target.kind == TargetKind::Wgmma)
    addParameter(space, "split_k", {0, 16, 64, 132, 264, 528});
}

std::string sattn::tuning::attention::findSizesProblem(int64_t columns,
                                                       const Facts &facts,
                                                       const Parameters &tile,
                                                       const Target &target) {
  auto checkBlock = [](llvm::StringRef name, int64_t size,
                       std::optional<int64_t> block) {
    return block ? expectDivisor(name, size, *block) : std::string();
  };
  return firstProblem(
      {[&] { return expectMultiple("tile_m", tile.rows, 8); },
       [&] { return expectMultiple("tile_n", tile.columns, 8); },
       [&] { return expectMultiple("tile_k", tile.depth, 8); },
       [&] { return expectRange("tile_m", tile.rows, 8, kMostSize); },
       [&] { return expectRange("tile_k", tile.depth, 8, kMostSize); },
       [&] {
         return expectRange("tile_n", tile.columns, 8,
                            llvm::alignTo(columns, kPaddedColumns));
       },
       [&] {
         return facts.isPacked
                    ? std::string()
                    : checkBlock("tile_m", tile.rows, facts.blockQueries);
       },
       [&] { return checkBlock("tile_k", tile.depth, facts.blockKeys); },
       [&] {
         return findProductProblem(tile, facts.elementBytes,
                                   /*isTransposedB=*/true, target);
       }});
}

/// Registers of a thread for accumulators and scores of 64 rows of a warpgroup,
/// or of 16 of a warp.
static int64_t countRegisters(const TileParts &parts) {
  return parts.sumColumns / 2 + parts.scores * parts.walked / 2 +
         parts.narrowScores * parts.walked / 4;
}

std::string sattn::tuning::attention::findPartsProblem(const TileParts &parts,
                                                       const Target &target) {
  if (target.kind == TargetKind::CPU)
    return {};
  if (std::string problem =
          expectMost("bytes of operands of a step", parts.bytes,
                     target.sharedBytes - kOtherBytes, target);
      !problem.empty())
    return problem;
  int64_t registers = countRegisters(parts);
  std::optional<Chip> chip = findChip(target.name);
  if (target.kind == TargetKind::Wgmma && parts.rows % kWarpgroupRows == 0 &&
      chip) {
    resources::KernelModel model(*chip);
    int64_t threads = parts.rows / kWarpgroupRows * kWarpgroupThreads;
    resources::RoleRegisters roles =
        model.getRoleRegisters(threads, /*ctasPerSM=*/1, registers, registers);
    if (resources::KernelModel::fitsTiles(roles, registers))
      return {};
    return expectMost("a tile whose sums and scores take registers", registers,
                      roles.consumer, target);
  }
  int64_t warps = std::min(llvm::divideCeil(parts.rows, kWarpRows),
                           static_cast<uint64_t>(layout::kMostMmaWarps));
  int64_t rowTiles = llvm::divideCeil(parts.rows, kWarpRows * warps);
  return expectMost("a tile whose sums and scores take registers",
                    rowTiles * registers, kMostMmaRegisters, target);
}

std::string sattn::tuning::attention::findTileProblem(const Facts &facts,
                                                      const Parameters &tile,
                                                      const Target &target) {
  if (std::string problem =
          findSizesProblem(facts.valueDim, facts, tile, target);
      !problem.empty() || target.kind == TargetKind::CPU)
    return problem;
  int64_t depth = llvm::alignTo(facts.headDim, kColumnUnit);
  // K and V of one step, and Q.
  int64_t bytes = facts.elementBytes *
                  (tile.rows * depth + tile.depth * (depth + tile.columns));
  return findPartsProblem({tile.rows, tile.depth, tile.columns, /*scores=*/1,
                           /*narrowScores=*/1, bytes},
                          target);
}
