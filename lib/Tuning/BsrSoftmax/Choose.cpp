//===- Choose.cpp - Parameters of one bsr_softmax -------------------------===//
//
// The computed default, or numbers that the caller gives.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/BsrSoftmax.h"

#include "llvm/Support/MathExtras.h"

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_softmax;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error setNumber(Parameters &tile, const Facts &facts,
                             llvm::StringRef entry) {
  auto [name, text] = entry.split('=');
  if (name != "tile_m" && name != "tile_n" && name != "tile_k" &&
      name != "stages" && name != "warps" && name != "threads")
    return makeError("expected tile_m, tile_n, tile_k, stages, warps or "
                     "threads, but got '" +
                     name + "'");
  int64_t most =
      name == "tile_m" ? facts.blockRows : llvm::alignTo(facts.blockColumns, 8);
  if (name == "tile_k")
    most *= kBlocksAtOnce * kMaxWarps * kMaxMatrices;
  if (name == "stages")
    most = kMaxStages;
  if (name == "warps")
    most = kMaxWarps;
  if (name == "threads")
    return readParameter(tile, entry);
  // A hint of 0 is none.
  bool isHint = name == "stages" || name == "warps";
  int64_t least = isHint ? 0 : 1, number;
  if (text.getAsInteger(10, number) || number < least || number > most)
    return makeError("expected '" + name + "' from " + llvm::Twine(least) +
                     " to " + llvm::Twine(most) + ", but got '" + text + "'");
  if (name == "warps" && number != 0 && !llvm::isPowerOf2_64(number))
    return makeError("expected 'warps' to be a power of two, but got '" + text +
                     "'");
  if (name == "tile_m" && facts.blockRows % number != 0)
    return makeError("expected tile_m to divide the block's " +
                     llvm::Twine(facts.blockRows) + " rows, but got " +
                     llvm::Twine(number));
  if (name == "tile_n" && number != facts.blockColumns && number % 8 != 0)
    return makeError(
        "expected tile_n to be the block's " + llvm::Twine(facts.blockColumns) +
        " columns or a multiple of 8, but got " + llvm::Twine(number));
  if (isHint) {
    std::optional<int64_t> &hint = name == "stages" ? tile.stages : tile.warps;
    hint.reset();
    if (number != 0)
      hint = number;
    return llvm::Error::success();
  }
  (name == "tile_m"   ? tile.rows
   : name == "tile_n" ? tile.columns
                      : tile.depth) = number;
  return llvm::Error::success();
}

llvm::Expected<Choice>
sattn::tuning::bsr_softmax::choose(const Facts &facts, const Search &search) {
  Choice choice;
  choice.parameters = defaultParameters(facts, search.target);
  choice.origin = "the computed default";
  if (search.row.empty())
    return choice;
  choice.origin = "the option 'row'";
  // As many as steps of the row's tile are.
  choice.parameters.stages = std::nullopt;
  for (llvm::StringRef entry : search.row)
    if (llvm::Error error = setNumber(choice.parameters, facts, entry))
      return error;
  if (choice.parameters.depth % choice.parameters.columns != 0)
    return makeError("expected tile_k to be a multiple of tile_n, " +
                     llvm::Twine(choice.parameters.columns) + ", but got " +
                     llvm::Twine(choice.parameters.depth));
  fitTo(facts, search.target, choice.parameters);
  return choice;
}
