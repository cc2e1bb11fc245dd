//===- WarpDivision.h - A tile divided among warps --------------*- C++ -*-===//
//
// How many warps multiply a tile by mma.sync, and which part of it each has.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LAYOUT_WARPDIVISION_H
#define SATTN_LAYOUT_WARPDIVISION_H

#include <cstdint>
#include <optional>

namespace sattn::layout {

/// rowWarps x columnWarps warps, each with `rowTiles` fragments of 16 rows, one
/// below the other, and an equal share of the columns (AccumulatorFragment).
/// Together they may have more rows than the tile.
struct WarpDivision {
  int64_t rowWarps;
  int64_t columnWarps;
  int64_t rowTiles;

  constexpr int64_t warps() const { return rowWarps * columnWarps; }
  /// Registers of a thread for a tile of `columns` columns in f32.
  constexpr int64_t accumulators(int64_t columns) const {
    return 16 * rowTiles * columns / columnWarps / 32;
  }
};

/// Most warps of a CTA that multiply by mma.sync: 8 keep an SM busy.
inline constexpr int64_t kMostMmaWarps = 8;
/// Most registers of a thread that the accumulator should take: operands go
/// through registers too, and with 128 some epilogues spill.
inline constexpr int64_t kMmaAccumulators = 64;

/// Warps for a tile of `rows` x `columns`: 4, so that two CTAs overlap one's
/// stores with the other's MMAs, or the maximum if 4 have more than
/// `kMmaAccumulators` a thread.
int64_t getMmaWarps(int64_t rows, int64_t columns);

/// Divides a tile of `rows` x `columns` among at most `most` warps; `divisor`
/// divides the columns of all tiles. Nothing if it is not a multiple of 8.
///
/// The fewest accumulators a thread win; then the fewest rows beyond the
/// tile's; then warps near squares, which load the least of both operands; then
/// those that divide the columns less, for they store longer pieces of rows.
std::optional<WarpDivision> divideAmongWarps(int64_t rows, int64_t columns,
                                             int64_t divisor, int64_t most);

} // namespace sattn::layout

#endif // SATTN_LAYOUT_WARPDIVISION_H
