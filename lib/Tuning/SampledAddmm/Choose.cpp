//===- Choose.cpp - Parameters of one sampled_addmm -----------------------===//
//
// The computed default, or numbers that the caller gives.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/SampledAddmm.h"

using namespace sattn::tuning;
using namespace sattn::tuning::sampled_addmm;

/// Sizes of a tile are multiples of 8; rows and columns divide the block's.
static llvm::Error checkSize(llvm::StringRef name, int64_t size,
                             std::optional<int64_t> block) {
  auto makeError = [](const llvm::Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  if (size % 8 != 0)
    return makeError("expected " + name + " to be a multiple of 8, but got " +
                     llvm::Twine(size));
  if (block && *block % size != 0)
    return makeError("expected " + name + " to divide the block's " +
                     llvm::Twine(*block) + ", but got " + llvm::Twine(size));
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
    if (llvm::Error error = setParameter(tile, entry))
      return error;
  if (llvm::Error error = checkSize("tile_m", tile.rows, facts.blockRows))
    return error;
  if (llvm::Error error = checkSize("tile_n", tile.columns, facts.blockColumns))
    return error;
  if (llvm::Error error = checkSize("tile_k", tile.depth, std::nullopt))
    return error;
  return choice;
}

sattn::meta::OpSchemas sattn::tuning::getSampledAddmmSchemas() { return {}; }
