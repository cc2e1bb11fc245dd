//===- Parameters.cpp - From tables to parameters -------------------------===//
//
// The first row that fits, and the default where none does.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Parameters.h"

using namespace sattn::tuning;
using namespace sattn::meta;

Choice sattn::tuning::choose(llvm::ArrayRef<Table> tables, const Query &query,
                             FitRow fitRow,
                             llvm::function_ref<Parameters()> computeDefault) {
  Choice choice;
  for (const Table &table : tables) {
    std::optional<Match> match = lookup(table, query);
    if (!match)
      continue;
    llvm::Expected<Parameters> fitted = fitRow(*match->section, *match->row);
    if (fitted) {
      choice.parameters = *fitted;
      choice.origin = match->describe();
      choice.isOfTable = true;
      return choice;
    }
    choice.problems.push_back(match->describe() + " fits no tile: " +
                              llvm::toString(fitted.takeError()));
  }
  choice.parameters = computeDefault();
  choice.origin = "the computed default (no table has a row that does for " +
                  query.describe() + ")";
  return choice;
}

/// Most of any number: products of a few stay within 64 bits.
static constexpr int64_t kMost = 4096;

llvm::Error sattn::tuning::readParameter(Parameters &tile,
                                         llvm::StringRef entry,
                                         bool takesSplitK) {
  auto makeError = [](const llvm::Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  auto [name, text] = entry.split('=');
  // A hint of 0 is none.
  int64_t least = name.starts_with("tile_") ? 1 : 0, number;
  if (text.getAsInteger(10, number) || number < least || number > kMost)
    return makeError("expected '" + name + "' from " + llvm::Twine(least) +
                     " to " + llvm::Twine(kMost) + ", but got '" + text + "'");
  std::optional<int64_t> hint;
  if (number != 0)
    hint = number;
  if (name == "tile_m")
    tile.rows = number;
  else if (name == "tile_n")
    tile.columns = number;
  else if (name == "tile_k")
    tile.depth = number;
  else if (name == "stages")
    tile.stages = hint;
  else if (name == "warps")
    tile.warps = hint;
  else if (name == "raster_group")
    tile.rasterGroup = hint;
  else if (name == "split_k" && takesSplitK)
    tile.splitK = hint;
  else if (name == "register_rows")
    tile.registerRows = hint;
  else if (name == "register_vectors")
    tile.registerVectors = hint;
  else if (name == "threads")
    tile.threads = hint;
  else
    return makeError(
        llvm::Twine("expected tile_m, tile_n, tile_k, stages, warps, ") +
        "raster_group, " + (takesSplitK ? "split_k, " : "") +
        "register_rows, register_vectors or threads, but got '" + name + "'");
  return llvm::Error::success();
}
