//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/RegisterTile.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::resources;

/// Registers of CPUs with vectors of 512 bits, and of others.
static constexpr int64_t kWideVectorBits = 512, kWideRegisters = 32,
                         kRegisters = 16;
/// Accumulators of the default. FMAs whose results are used four or five cycles
/// later need eight to ten of them in flight, two a cycle, and more leave time
/// for what comes late. Of 16 registers 12 are left beside two of the right
/// operand and one of the left. Of 32, 24 are no faster than 16 (a Zen 4).
static constexpr int64_t kWideAccumulators = 16, kAccumulators = 12;
/// Vectors of a row of the default.
static constexpr int64_t kWideVectors = 4, kVectors = 2;

static bool isWide(int64_t vectorBits) { return vectorBits >= kWideVectorBits; }

int64_t sattn::resources::countVectorRegisters(int64_t vectorBits) {
  return isWide(vectorBits) ? kWideRegisters : kRegisters;
}

int64_t sattn::resources::chooseVectors(int64_t vectorBits) {
  return isWide(vectorBits) ? kWideVectors : kVectors;
}

int64_t sattn::resources::chooseRegisterRows(int64_t vectorBits,
                                             int64_t vectors) {
  // A row of the right operand and one element of the left one have registers,
  // too.
  int64_t accumulators =
      std::min(isWide(vectorBits) ? kWideAccumulators : kAccumulators,
               countVectorRegisters(vectorBits) - vectors - 1);
  return std::max<int64_t>(1, accumulators / std::max<int64_t>(1, vectors));
}

std::string sattn::resources::findRegisterTileProblem(RegisterTile tile,
                                                      int64_t vectorBits) {
  int64_t registers = countVectorRegisters(vectorBits);
  auto checkRange = [&](const char *name, int64_t value) -> std::string {
    if (value >= 0 && value <= registers)
      return {};
    return ("expected " + llvm::Twine(name) + " from 0 to " +
            llvm::Twine(registers) + ", but got " + llvm::Twine(value))
        .str();
  };
  if (std::string problem = checkRange("register_rows", tile.rows);
      !problem.empty())
    return problem;
  if (std::string problem = checkRange("register_vectors", tile.vectors);
      !problem.empty())
    return problem;
  // LLVM splits vectors of other lengths, which costs 12 to 30 times the time.
  if (tile.vectors != 0 && !llvm::isPowerOf2_64(tile.vectors))
    return ("expected register_vectors to be a power of two, but got " +
            llvm::Twine(tile.vectors))
        .str();
  int64_t vectors =
      tile.vectors != 0 ? tile.vectors : chooseVectors(vectorBits);
  int64_t rows =
      tile.rows != 0 ? tile.rows : chooseRegisterRows(vectorBits, vectors);
  int64_t taken = rows * vectors + vectors + 1;
  if (taken <= registers)
    return {};
  return ("expected a register tile that takes at most " +
          llvm::Twine(registers) + " registers of " + llvm::Twine(vectorBits) +
          " bits, but got " + llvm::Twine(rows) + " x " + llvm::Twine(vectors) +
          " vectors, which take " + llvm::Twine(taken))
      .str();
}
