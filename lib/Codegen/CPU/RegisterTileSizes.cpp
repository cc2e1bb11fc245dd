//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterTileSizes.h"

#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace sattn;

/// Bits of the elements of matrix products: of f64 twice as many.
static constexpr int64_t kLeastBits = 32;
/// The limits of options: more bits than the vectors of any machine, and more
/// rows or columns than its registers hold.
static constexpr int64_t kMaxVectorBits = 1 << 16;
static constexpr int64_t kMaxSize = 1 << 16;

/// Columns of rows that are reduced together, in one iteration, and the fewest
/// rows for which that is less work.
static constexpr int64_t kReducedColumns = 64, kLeastReducedRows = 4;

/// The largest divisor of `size` that is at most `limit`, or 1.
static int64_t largestDivisor(int64_t size, int64_t limit) {
  int64_t divisor = std::max<int64_t>(1, std::min(size, limit));
  while (size % divisor != 0)
    --divisor;
  return divisor;
}

/// Hints of a loop over tiles.
static resources::RegisterTile getHints(Operation *loop) {
  auto get = [&](StringRef name) -> int64_t {
    auto hint = loop->getAttrOfType<IntegerAttr>(name);
    return hint ? hint.getInt() : 0;
  };
  return {get(kTileRegisterRowsAttrName), get(kTileRegisterVectorsAttrName)};
}

/// The sizes for an element type; narrower elements are widened before they are
/// multiplied.
RegisterTileSizes::RegisterTileSizes(int64_t vectorBits,
                                     ArrayRef<int64_t> given, Type element,
                                     Operation *op)
    : vectorBits(vectorBits), given(given),
      elementBits(element && element.isF64() ? 64 : kLeastBits) {
  if (op && !isa<scf::ForallOp>(op))
    op = op->getParentOfType<scf::ForallOp>();
  if (op)
    hints = getHints(op);
}

LogicalResult RegisterTileSizes::verifyHints(Operation *root,
                                             int64_t vectorBits) {
  WalkResult result = root->walk([&](scf::ForallOp loop) {
    std::string problem =
        resources::findRegisterTileProblem(getHints(loop), vectorBits);
    if (problem.empty())
      return WalkResult::advance();
    loop->emitError() << problem;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

int64_t RegisterTileSizes::elements() const {
  return std::max<int64_t>(1, vectorBits / elementBits);
}

LogicalResult RegisterTileSizes::verify(Location loc) const {
  if (vectorBits < kLeastBits || vectorBits > kMaxVectorBits ||
      !llvm::isPowerOf2_64(vectorBits))
    return emitError(loc) << "expected vector-bits to be a power of two from "
                          << kLeastBits << " to " << kMaxVectorBits
                          << ", but got " << vectorBits;
  bool fits = llvm::all_of(
      given, [](int64_t size) { return size > 0 && size <= kMaxSize; });
  if (!given.empty() && (given.size() != 2 || !fits))
    return emitError(loc) << "expected register-tile to be two sizes from 1 to "
                          << kMaxSize;
  return success();
}

int64_t RegisterTileSizes::columns(int64_t size) const {
  if (!given.empty())
    return largestDivisor(size, given[1]);
  int64_t vectors =
      hints.vectors != 0 ? hints.vectors : resources::chooseVectors(vectorBits);
  int64_t most = elements() * vectors;
  int64_t powerOfTwo = std::min(most, size & -size);
  return size % kColumnAlignment == 0 ? powerOfTwo : largestDivisor(size, most);
}

int64_t RegisterTileSizes::lanes(int64_t size) const {
  return largestDivisor(size, elements());
}

int64_t RegisterTileSizes::mostRows(int64_t columns) const {
  if (!given.empty())
    return given[0];
  if (hints.rows != 0)
    return hints.rows;
  return resources::chooseRegisterRows(vectorBits,
                                       llvm::divideCeil(columns, elements()));
}

llvm::SmallVector<RowBand, 2> RegisterTileSizes::bands(int64_t size,
                                                       int64_t columns) const {
  int64_t most = std::min(size, mostRows(columns));
  // The fewest rows of the second band that keep FMAs busy, in thirds.
  auto isEnough = [&](int64_t rows) { return 3 * rows >= 2 * most; };
  RowBand first = {0, size / most * most, most}, last = first;
  int64_t best = 0;
  for (int64_t end = first.end; end >= 0 && !isEnough(best); end -= most) {
    int64_t rest = size - end;
    int64_t rows = rest == 0 ? most : largestDivisor(rest, most);
    if (rows <= best)
      continue;
    best = rows;
    first = {0, end, most};
    last = {end, size, rows};
  }
  if (last.begin == last.end)
    return {first};
  if (first.begin == first.end)
    return {last};
  return {first, last};
}

std::optional<std::pair<int64_t, int64_t>>
RegisterTileSizes::squares(int64_t rows, int64_t columns) const {
  int64_t side = lanes(rows);
  if (side < kLeastReducedRows || kReducedColumns % side != 0 ||
      columns % side != 0)
    return std::nullopt;
  return std::pair(side, std::gcd(columns, kReducedColumns));
}
