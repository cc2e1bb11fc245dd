//===- Parameters.cpp - From tables to parameters -------------------------===//
//
// The first row that fits, and the default where none does.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Parameters.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace sattn::tuning;
using namespace sattn::meta;

/// The estimated time of a near row's parameters over that of the default up to
/// which they are taken. Estimates are not exact: nine of eleven candidates
/// that gained 4% or more on an H200 are estimated at 1.02 or less.
static constexpr double kNotSlower = 1.02;

/// Why a near row's parameters are left out; an empty text where they are not.
static std::string findSlower(const Match &match, const Parameters &fitted,
                              const Parameters &defaults,
                              EstimateCycles estimate) {
  std::optional<double> cycles = estimate(fitted);
  std::optional<double> least = estimate(defaults);
  if (!cycles || !least || *cycles <= kNotSlower * *least)
    return {};
  std::string text;
  llvm::raw_string_ostream(text)
      << match.describe() << " is estimated to take "
      << llvm::format("%.2f", *cycles / *least) << " of its time";
  return text;
}

Choice sattn::tuning::choose(llvm::ArrayRef<Table> tables, const Query &query,
                             FitRow fitRow,
                             llvm::function_ref<Parameters()> computeDefault,
                             EstimateCycles estimate) {
  Choice choice;
  std::optional<Parameters> defaults;
  auto getDefault = [&] {
    if (!defaults)
      defaults = computeDefault();
    return *defaults;
  };
  std::string slower;
  for (const Table &table : tables) {
    std::optional<Match> match = lookup(table, query);
    if (!match)
      continue;
    llvm::Expected<Parameters> fitted = fitRow(*match->section, *match->row);
    if (!fitted) {
      choice.problems.push_back(match->describe() + " fits no tile: " +
                                llvm::toString(fitted.takeError()));
      continue;
    }
    if (match->isOfOtherProblem()) {
      std::string reason = findSlower(*match, *fitted, getDefault(), estimate);
      if (!reason.empty()) {
        slower = std::move(reason);
        continue;
      }
    }
    choice.parameters = *fitted;
    choice.origin = match->describe();
    choice.isOfTable = true;
    return choice;
  }
  choice.parameters = getDefault();
  choice.origin =
      "the computed default (" +
      (slower.empty() ? "no table has a row that does for " + query.describe()
                      : slower) +
      ")";
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
