//===- FitRow.cpp - From a row to what fits -------------------------------===//
//
// From a row, whatever kernels it was tuned for, to parameters of ours.
//
//===----------------------------------------------------------------------===//

#include "../OpTuning.h"

#include "sattn/Layout/WarpDivision.h"
#include "sattn/Resources/Stages.h"
#include "sattn/Support/Chip.h"
#include "sattn/Tuning/BsrAddmm.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;
using llvm::Twine;
using sattn::kMaxClusterSize;
using sattn::layout::kMmaAccumulators;
using sattn::layout::kMostMmaWarps;
using sattn::meta::Row;
using sattn::meta::Section;
using sattn::resources::kMinStages;
using sattn::resources::StepTiles;

/// The first of two parameters that the row has: ours, then PyTorch's.
static std::optional<int64_t>
getFirst(const Section &section, const Row &row,
         std::initializer_list<llvm::StringRef> names) {
  for (llvm::StringRef name : names)
    if (std::optional<int64_t> value = section.get(row, name))
      return value;
  return std::nullopt;
}

/// The tiles of A and B for one step of the reduction.
static StepTiles stepOf(const Problem &problem, const Parameters &tile,
                        int64_t columns) {
  return {tile.rows, columns, tile.depth, problem.elementBytes};
}

/// Warps with which a thread has 8 to 64 elements of the accumulator, at most
/// 8: fewer elements make a warp's share smaller than one MMA, more leave too
/// few registers for operands. wgmma leaves no choice: one warp holds 16 rows.
static int64_t fitWarps(int64_t warps, const Parameters &tile,
                        const Target &target) {
  if (target.kind == TargetKind::Wgmma && tile.rows % 64 == 0)
    return tile.rows / 16;
  int64_t elements = tile.rows * tile.columns / 32;
  int64_t least = std::clamp<int64_t>(
      llvm::divideCeil(elements, kMmaAccumulators), 1, kMostMmaWarps);
  int64_t most = std::clamp(elements / 8, least, kMostMmaWarps);
  return std::clamp(warps, least, most);
}

llvm::Expected<Parameters>
sattn::tuning::bsr_addmm::fitRow(const Section &section, const Row &row,
                                 const Problem &problem, const Target &target) {
  Parameters result;
  result.rows = section.get(row, "tile_m").value_or(problem.blockRows);
  result.depth = section.get(row, "tile_k")
                     .value_or(defaultParameters(problem, target).depth);
  int64_t multiple = target.columnMultiple;
  int64_t width = llvm::alignTo(kSchema.tileWidth(section, row), multiple);
  if (target.kind == TargetKind::CPU) {
    result.columns = width;
    for (llvm::StringRef name :
         {"register_rows", "register_vectors", "threads"})
      setParameter(result, name, section.get(row, name).value_or(0));
    return checkRegisters(result, target);
  }

  int64_t inRegisters =
      widestColumns(problem, result.rows, result.depth, target);
  if (inRegisters < multiple)
    return llvm::createStringError("expected a tile of at most " +
                                   Twine(target.maxAccumulator / multiple) +
                                   " rows on " + target.name + ", but got " +
                                   Twine(result.rows));
  int64_t perStage = target.sharedBytes / kMinStages;
  int64_t inShared = llvm::alignDown(
      perStage / (result.depth * problem.elementBytes) - result.rows, multiple);
  if (inShared < multiple)
    return llvm::createStringError(
        "expected at most " + Twine(perStage) + " bytes a stage on " +
        target.name + ", but got " +
        Twine(stepOf(problem, result, multiple).getBytes()) +
        " for a tile of " + Twine(result.rows) + " x " + Twine(multiple) +
        " x " + Twine(result.depth));
  result.columns = std::min({width, inRegisters, inShared});

  int64_t mostStages = sattn::resources::countStages(
      stepOf(problem, result, result.columns), target);
  if (auto stages = getFirst(section, row, {"stages", "num_stages"}))
    result.stages = std::clamp(*stages, kMinStages, mostStages);
  if (auto warps = getFirst(section, row, {"warps", "num_warps"}))
    result.warps = fitWarps(*warps, result, target);
  if (auto parts = section.get(row, "split_k"); parts && target.hasClusters)
    result.splitK = std::clamp<int64_t>(*parts, 1, kMaxClusterSize);
  if (auto width = getFirst(section, row, {"raster_group", "GROUP_SIZE_ROW"})) {
    int64_t n = problem.n.value_or(row.key[*kSchema.nearSize]);
    int64_t tiles = llvm::divideCeil(n, result.columns);
    result.rasterGroup =
        std::clamp<int64_t>(*width, 1, std::max<int64_t>(tiles, 1));
  }
  return result;
}
