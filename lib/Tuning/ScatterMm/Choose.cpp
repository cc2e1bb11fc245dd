//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The computed default, or numbers that the caller gives.

#include "sattn/Tuning/ScatterMm.h"

#include "llvm/Support/MathExtras.h"

using namespace sattn::tuning;
using namespace sattn::tuning::scatter_mm;

bool sattn::tuning::scatter_mm::isPart(int64_t size, int64_t block) {
  return block % size == 0 || (size % 8 == 0 && size < block) ||
         static_cast<uint64_t>(size) == llvm::alignTo(block, 8) ||
         static_cast<uint64_t>(size) == llvm::alignTo(block, 16);
}

int64_t sattn::tuning::scatter_mm::countLists(int64_t rows, int64_t blockRows) {
  // Other blocks are padded to such rows.
  if (blockRows % 16 != 0 || rows % blockRows != 0 ||
      rows / blockRows > kMostLists)
    return 1;
  return rows / blockRows;
}

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error checkPart(llvm::StringRef name, int64_t size,
                             int64_t block) {
  if (isPart(size, block))
    return llvm::Error::success();
  return makeError("expected " + name + " to divide the block's " +
                   llvm::Twine(block) +
                   ", or to be a multiple of 8 below, or the next of 8 or 16, "
                   "but got " +
                   llvm::Twine(size));
}

llvm::Expected<Choice> sattn::tuning::scatter_mm::choose(const Facts &facts,
                                                         const Search &search) {
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
  if (countLists(tile.rows, facts.blockRows) == 1)
    if (llvm::Error error = checkPart("tile_m", tile.rows, facts.blockRows))
      return error;
  if (llvm::Error error = checkPart("tile_k", tile.depth, facts.blockColumns))
    return error;
  if (tile.columns % 8 != 0)
    return makeError("expected tile_n to be a multiple of 8, but got " +
                     llvm::Twine(tile.columns));
  fitTo(facts, search.target, tile);
  return choice;
}
