//===- WarpDivision.cpp - A tile divided among warps ----------------------===//

#include "sattn/Layout/WarpDivision.h"
#include "sattn/Layout/Fragment.h"

#include <tuple>

using namespace sattn::layout;

/// Most warps that divide the columns: a slice of 32 columns, as
/// wgtile-subtile-epilogue cuts them, is then whole eights in every warp.
static constexpr int64_t kMaxColumnWarps = 4;
/// Elements of an accumulator that 4 warps hold.
static constexpr int64_t kSmallTile = 4 * kWarpThreads * kMmaAccumulators;

static int64_t countFragments(int64_t rows) {
  return (rows + kWarpRows - 1) / kWarpRows;
}

int64_t sattn::layout::getMmaWarps(int64_t rows, int64_t columns) {
  return countFragments(rows) * kWarpRows * columns > kSmallTile ? kMostMmaWarps
                                                                 : 4;
}

std::optional<WarpDivision> sattn::layout::divideAmongWarps(int64_t rows,
                                                            int64_t columns,
                                                            int64_t divisor,
                                                            int64_t most) {
  int64_t fragments = countFragments(rows);
  std::optional<WarpDivision> best;
  auto cost = [&](const WarpDivision &it) {
    return std::tuple(it.accumulators(columns), it.rowWarps * it.rowTiles,
                      it.rowTiles * kWarpRows + columns / it.columnWarps,
                      it.columnWarps);
  };
  for (int64_t columnWarps = 1; columnWarps <= kMaxColumnWarps;
       columnWarps *= 2)
    for (int64_t rowWarps = 1;
         rowWarps <= fragments && rowWarps * columnWarps <= most; ++rowWarps) {
      WarpDivision candidate = {rowWarps, columnWarps,
                                (fragments + rowWarps - 1) / rowWarps};
      if (divisor % (8 * columnWarps) == 0 &&
          (!best || cost(candidate) < cost(*best)))
        best = candidate;
    }
  return best;
}
