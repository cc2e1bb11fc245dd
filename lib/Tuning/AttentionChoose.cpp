//===- AttentionChoose.cpp - Parameters of one attention ------------------===//
//
// The computed default, or numbers that the caller gives.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Attention.h"

#include "llvm/Support/MathExtras.h"

using namespace sattn::tuning;
using namespace sattn::tuning::attention;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Checks that queries or keys of a tile are a multiple of 8 that divides those
/// of a block.
static llvm::Error checkSize(llvm::StringRef name, int64_t size,
                             std::optional<int64_t> block) {
  if (size % 8 != 0)
    return makeError("expected " + name + " to be a multiple of 8, but got " +
                     llvm::Twine(size));
  if (block && *block % size != 0)
    return makeError("expected " + name + " to divide the block's " +
                     llvm::Twine(*block) + ", but got " + llvm::Twine(size));
  return llvm::Error::success();
}

llvm::Expected<Choice> sattn::tuning::attention::choose(const Facts &facts,
                                                        const Search &search) {
  return chooseFrom(defaultParameters(facts, search.target), facts.valueDim,
                    facts, search);
}

llvm::Expected<Choice>
sattn::tuning::attention::chooseFrom(const Parameters &start, int64_t columns,
                                     const Facts &facts, const Search &search) {
  Choice choice;
  choice.parameters = start;
  choice.origin = "the computed default";
  if (search.row.empty())
    return choice;
  choice.origin = "the option 'row'";
  for (llvm::StringRef entry : search.row)
    if (llvm::Error error = readParameter(
            choice.parameters, entry,
            facts.mayHaveParts && search.target.kind != TargetKind::CPU))
      return error;
  if (llvm::Error error =
          checkSize("tile_m", choice.parameters.rows,
                    facts.isPacked ? std::nullopt : facts.blockQueries))
    return error;
  if (llvm::Error error =
          checkSize("tile_n", choice.parameters.columns, std::nullopt))
    return error;
  if (int64_t most = llvm::alignTo(columns, kPaddedColumns);
      choice.parameters.columns > most)
    return makeError("expected tile_n of at most " + llvm::Twine(most) +
                     ", all columns and their padding, but got " +
                     llvm::Twine(choice.parameters.columns));
  if (llvm::Error error =
          checkSize("tile_k", choice.parameters.depth, facts.blockKeys))
    return error;
  return choice;
}
