//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Space.h"

#include "../SpaceParts.h"

#include "llvm/Support/MathExtras.h"

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_softmax;

/// Most rows of a tile on the CPU, and most columns of a part of a block.
static constexpr int64_t kMostRows = 64, kMostColumns = 64;

static TableKey getKey(const Facts &facts) {
  TableKey key;
  key.dtype = facts.dtype;
  key.numbers = {facts.blockRows, facts.blockColumns};
  return key;
}

static void addParameters(Space &space, const Facts &facts,
                          const Target &target) {
  if (target.kind == TargetKind::CPU) {
    addParameter(space, "tile_m", getDivisors(facts.blockRows, 1, kMostRows));
    llvm::SmallVector<int64_t> columns =
        takeUpTo(facts.blockColumns, {8, 16, 32, 64, 128});
    addParameter(space, "tile_n", columns);
    addParameter(space, "tile_k", columns);
    addThreads(space, target);
    return;
  }
  addParameter(space, "tile_m", {});
  llvm::SmallVector<int64_t> columns = takeUpTo(
      std::min<int64_t>(llvm::alignTo(facts.blockColumns, 8), kMostColumns),
      {8, 16, 32, 64});
  addParameter(space, "tile_n", columns);
  llvm::SmallVector<int64_t> depths;
  columns.push_back(space.defaults.columns);
  for (int64_t count : columns)
    for (int64_t warps : {1, 2, 4})
      for (int64_t matrices = 1; matrices <= kMaxMatrices; ++matrices)
        depths.push_back(matrices * count *
                         countBlocksAtOnce(count, facts.elementBytes, warps));
  addParameter(space, "tile_k", depths);
  addParameter(space, "stages", {0, 1, 2, 3, 4, 5, 6, 8, 12});
  addParameter(space, "warps", {0, 1, 2, 4});
}

/// The problem with a tile: the target must take it as it is.
static std::string findProblem(const Facts &facts, const Parameters &given,
                               const Target &target) {
  Parameters fitted = given;
  fitTo(facts, target, fitted);
  auto describe = [](const Parameters &tile) {
    return (llvm::Twine(tile.rows) + " x " + llvm::Twine(tile.columns) + " x " +
            llvm::Twine(tile.depth))
        .str();
  };
  if (fitted.rows != given.rows || fitted.columns != given.columns ||
      fitted.depth != given.depth)
    return ("expected a tile of " + describe(fitted) + ", as " + target.name +
            " takes, but got " + describe(given))
        .str();
  return {};
}

static std::string findTileProblem(const Facts &facts, const Parameters &given,
                                   const Target &target) {
  for (auto [name, value] :
       {std::pair("tile_m", given.rows), std::pair("tile_n", given.columns),
        std::pair("tile_k", given.depth)})
    if (std::string problem = expectMultiple(name, value, 1); !problem.empty())
      return problem;
  if (std::string problem = expectElements(facts.elementBytes, target);
      !problem.empty())
    return problem;
  return findProblem(facts, given, target);
}

static std::string findHintsProblem(const Facts &facts, const Parameters &given,
                                    const Target &target) {
  auto check = [&](llvm::StringRef name, std::optional<int64_t> value,
                   std::optional<int64_t> fitted) -> std::string {
    if (!value || value == fitted)
      return {};
    return ("expected " + name + " of " +
            (fitted ? llvm::Twine(*fitted) : llvm::Twine("none")) + " on " +
            target.name + ", but got " + llvm::Twine(*value))
        .str();
  };
  Parameters fitted = given;
  fitTo(facts, target, fitted);
  return firstProblem(
      {[&] { return check("stages", given.stages, fitted.stages); },
       [&] { return check("warps", given.warps, fitted.warps); },
       [&] { return check("raster_group", given.rasterGroup, std::nullopt); },
       [&] { return check("split_k", given.splitK, std::nullopt); },
       [&] { return check("register_rows", given.registerRows, std::nullopt); },
       [&] {
         return check("register_vectors", given.registerVectors, std::nullopt);
       },
       [&] { return findRegistersProblem(given, target); }});
}

OpTuning<Facts>
sattn::tuning::bsr_softmax::declare(llvm::StringLiteral name,
                                    const meta::OpSchema &schema,
                                    Facts (*read)(NamedFacts &given)) {
  return {name,
          &schema,
          read,
          defaultParameters,
          bsr_softmax::choose,
          getKey,
          addParameters,
          findTileProblem,
          findHintsProblem};
}
