//===- Choose.cpp - Parameters of one sampled_addmm -----------------------===//
//
// The computed default, or numbers that the caller gives.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/SampledAddmm.h"

using namespace sattn::tuning;
using namespace sattn::tuning::sampled_addmm;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Checks that sizes of a tile are multiples of 8. Rows divide the block's, and
/// so do columns, but of a tile of several blocks.
static llvm::Error checkTile(const Parameters &tile, const Facts &facts) {
  for (auto [name, size] :
       {std::pair("tile_m", tile.rows), std::pair("tile_n", tile.columns),
        std::pair("tile_k", tile.depth)})
    if (size % 8 != 0)
      return makeError("expected " + llvm::Twine(name) +
                       " to be a multiple of 8, but got " + llvm::Twine(size));
  if (facts.blockRows % tile.rows != 0)
    return makeError("expected tile_m to divide the block's " +
                     llvm::Twine(facts.blockRows) + ", but got " +
                     llvm::Twine(tile.rows));
  if (facts.blockColumns % tile.columns != 0 &&
      tile.columns % facts.blockColumns != 0)
    return makeError("expected tile_n to divide the block's " +
                     llvm::Twine(facts.blockColumns) +
                     " or to be a multiple of them, but got " +
                     llvm::Twine(tile.columns));
  return llvm::Error::success();
}

llvm::Expected<Choice>
sattn::tuning::sampled_addmm::choose(const Facts &facts, const Search &search) {
  Choice choice;
  choice.parameters = defaultParameters(facts, search.target);
  choice.origin = "the computed default";
  if (search.row.empty())
    return choice;
  choice.origin = "the option 'row'";
  Parameters &tile = choice.parameters;
  for (llvm::StringRef entry : search.row)
    if (llvm::Error error = readParameter(tile, entry))
      return error;
  if (llvm::Error error = checkTile(tile, facts))
    return error;
  return choice;
}
