//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpaceParts.h"
#include "OpTuning.h"

#include "sattn/Layout/WarpDivision.h"
#include "sattn/Resources/RegisterTile.h"
#include "sattn/Resources/Stages.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace sattn::tuning;
using llvm::Twine;

/// Columns of tiles that run together, at most (wgtile-schedule).
static constexpr int64_t kMostRasterGroup = 64;
/// Threads of a CPU, at most.
static constexpr int64_t kMostThreads = 1024;
/// Units of rows and columns of an MMA, and of K of 8-bit elements.
static constexpr int64_t kUnit = 8, kUnitOf8Bits = 16;
/// Most rows of a tile that is loaded, those of one box of a tensor map, and
/// most columns of operands whose rows are multiplied with each other.
static constexpr int64_t kMostRows = 256, kMostColumns = 512;
/// Widest elements that a GPU multiplies.
static constexpr int64_t kMostElementBytes = 4;

void sattn::tuning::addParameter(Space &space, llvm::StringLiteral name,
                                 llvm::ArrayRef<int64_t> values) {
  TunedParameter parameter = {name, {}};
  parameter.values.assign(values.begin(), values.end());
  parameter.values.push_back(getParameter(space.defaults, name));
  llvm::sort(parameter.values);
  parameter.values.erase(llvm::unique(parameter.values),
                         parameter.values.end());
  space.parameters.push_back(std::move(parameter));
}

void sattn::tuning::addHints(Space &space, const Target &target,
                             bool hasWarps) {
  if (target.kind == TargetKind::CPU) {
    addParameter(space, "register_rows", {0, 2, 4, 6, 8, 12});
    addParameter(space, "register_vectors", {0, 1, 2, 4});
    addThreads(space, target);
    return;
  }
  addParameter(space, "stages", {0, 2, 3, 4, 6, 8});
  if (hasWarps)
    addParameter(space, "warps", {0, 2, 4, 8});
  addParameter(space, "raster_group", {0, 1, 2, 4, 8, 16});
}

void sattn::tuning::addThreads(Space &space, const Target &target) {
  llvm::SmallVector<int64_t> threads = {0};
  for (int64_t count = 1; count < target.threads; count *= 2)
    threads.push_back(count);
  addParameter(space, "threads", threads);
}

llvm::SmallVector<int64_t>
sattn::tuning::getDivisors(int64_t size, int64_t unit, int64_t most) {
  llvm::SmallVector<int64_t> divisors;
  for (int64_t value = unit; value <= std::min(size, most); value += unit)
    if (size % value == 0)
      divisors.push_back(value);
  return divisors;
}

llvm::SmallVector<int64_t>
sattn::tuning::takeUpTo(int64_t most, llvm::ArrayRef<int64_t> values) {
  llvm::SmallVector<int64_t> taken(values);
  llvm::erase_if(taken, [most](int64_t value) { return value > most; });
  return taken;
}

std::string sattn::tuning::firstProblem(
    std::initializer_list<llvm::function_ref<std::string()>> checks) {
  for (llvm::function_ref<std::string()> check : checks)
    if (std::string problem = check(); !problem.empty())
      return problem;
  return {};
}

std::string sattn::tuning::expectMultiple(llvm::StringRef name, int64_t value,
                                          int64_t unit) {
  if (value > 0 && value % unit == 0)
    return {};
  return ("expected " + name + " to be a multiple of " + Twine(unit) +
          ", but got " + Twine(value))
      .str();
}

std::string sattn::tuning::expectRange(llvm::StringRef name, int64_t value,
                                       int64_t least, int64_t most) {
  if (value >= least && value <= most)
    return {};
  return ("expected " + name + " from " + Twine(least) + " to " + Twine(most) +
          ", but got " + Twine(value))
      .str();
}

std::string sattn::tuning::expectDivisor(llvm::StringRef name, int64_t value,
                                         int64_t size) {
  if (value > 0 && size % value == 0)
    return {};
  return ("expected " + name + " to divide the block's " + Twine(size) +
          ", but got " + Twine(value))
      .str();
}

std::string sattn::tuning::expectMost(const Twine &what, int64_t value,
                                      int64_t most, const Target &target) {
  if (value <= most)
    return {};
  return ("expected " + what + " of at most " + Twine(most) + " on " +
          target.name + ", but got " + Twine(value))
      .str();
}

std::string sattn::tuning::expectElements(int64_t elementBytes,
                                          const Target &target) {
  return target.kind == TargetKind::CPU
             ? std::string()
             : expectMost("bytes of an element", elementBytes,
                          kMostElementBytes, target);
}

std::string sattn::tuning::findProductProblem(const Parameters &tile,
                                              int64_t elementBytes,
                                              bool isTransposedB,
                                              const Target &target) {
  if (target.kind == TargetKind::CPU)
    return {};
  return firstProblem(
      {[&] { return expectElements(elementBytes, target); },
       [&] { return expectMultiple("tile_m", tile.rows, kUnit); },
       [&] { return expectMultiple("tile_n", tile.columns, kUnit); },
       [&] {
         return expectMultiple("tile_k", tile.depth,
                               elementBytes == 1 ? kUnitOf8Bits : kUnit);
       },
       [&] { return expectMost("tile_m", tile.rows, kMostRows, target); },
       [&] {
         return expectMost("tile_n", tile.columns,
                           isTransposedB ? kMostRows : target.maxColumns,
                           target);
       },
       [&] {
         return expectMost("tile_k", tile.depth,
                           isTransposedB ? kMostColumns : kMostRows, target);
       }});
}

std::string sattn::tuning::findCommonHintsProblem(const Parameters &parameters,
                                                  const Target &target) {
  auto check = [&](llvm::StringRef name, std::optional<int64_t> value,
                   int64_t least, int64_t most) -> std::string {
    if (!value)
      return {};
    if (target.kind == TargetKind::CPU)
      return ("expected no " + name + " on " + target.name + ", but got " +
              Twine(*value))
          .str();
    return expectRange(name, *value, least, most);
  };
  return firstProblem(
      {[&] {
         return check("stages", parameters.stages, resources::kMinStages,
                      resources::kMostStages);
       },
       [&] {
         return check("warps", parameters.warps, 1, layout::kMostMmaWarps);
       },
       [&] {
         return check("raster_group", parameters.rasterGroup, 1,
                      kMostRasterGroup);
       },
       [&] {
         return check("split_k", parameters.splitK, 1,
                      std::numeric_limits<int64_t>::max());
       },
       [&] { return findRegistersProblem(parameters, target); }});
}

std::string sattn::tuning::findRegistersProblem(const Parameters &parameters,
                                                const Target &target) {
  if (target.kind == TargetKind::CPU) {
    std::string problem = resources::findRegisterTileProblem(
        {parameters.registerRows.value_or(0),
         parameters.registerVectors.value_or(0)},
        target.vectorBits);
    return problem.empty() && parameters.threads
               ? expectRange("threads", *parameters.threads, 1, kMostThreads)
               : problem;
  }
  for (auto [name, value] :
       {std::pair("register_rows", parameters.registerRows),
        std::pair("register_vectors", parameters.registerVectors),
        std::pair("threads", parameters.threads)})
    if (value)
      return ("expected no " + llvm::Twine(name) + " on " + target.name +
              ", but got " + llvm::Twine(*value))
          .str();
  return {};
}
