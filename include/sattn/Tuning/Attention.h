//===- Attention.h - Tiles of attention ------------------------*- C++ -*-===//
//
// The choice of parameters that all ops of attention by blocks share.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_ATTENTION_H
#define SATTN_TUNING_ATTENTION_H

#include "sattn/Tuning/Parameters.h"

namespace sattn::tuning {
class NamedFacts;
} // namespace sattn::tuning

namespace sattn::tuning::attention {

/// The number that the most columns of V in a tile are rounded up to a multiple
/// of; beyond it, Q and K have at least so many columns, too.
inline constexpr int64_t kPaddedColumns = 64;
/// The number that columns of wider Q, K and V of 16 bits are a multiple of,
/// the depth of an MMA.
inline constexpr int64_t kColumnUnit = 16;

/// Whether the operands of gradients are padded to kPaddedColumns where N of a
/// tile is a multiple of it, by the columns of both heads: wgmma takes no
/// fewer, and narrower ones than half of that are multiplied by mma.sync.
bool mayPadColumns(int64_t headDim, int64_t valueDim, int64_t elementBytes);

/// The known facts of one problem. Sizes are in elements.
struct Facts {
  /// Rows of a head of q, if known: its queries, or those of packed heads.
  std::optional<int64_t> rows;
  /// Attentions, if known: heads of all batches.
  std::optional<int64_t> batches;
  /// Columns of Q and K, and of V: at least 1.
  int64_t headDim = 0, valueDim = 0;
  /// Bytes of an element of Q, K and V: 2 or 4.
  int64_t elementBytes = 2;
  /// The element type of Q, K and V, if known.
  std::string dtype = {};
  /// Queries and keys of a block that is visible or not, whose divisors tiles
  /// have.
  std::optional<int64_t> blockQueries, blockKeys;
  /// Whether the rows are few queries of several heads.
  bool isPacked = false;
  /// Whether the same blocks are visible in all heads.
  bool areListsShared = false;
  /// Whether weights are dropped, by words that are computed for each.
  bool hasDropout = false;
  /// Whether scores are modified by an element of a tensor for each pair of a
  /// query and a key.
  bool readsPairs = false;
  /// Whether a score or its mask is computed from the positions of its query
  /// and key, by a function or for a window or a prefix, of gradients.
  bool usesPositions = false;
  /// Whether long rows may be computed in parts, of which `split_k` says how
  /// many all rows have.
  bool mayHaveParts = false;
  /// Visible blocks, in all heads, and in the block row that has most,
  /// if known.
  std::optional<int64_t> seenBlocks, longestRow;
  /// Whether one of the gradients of keys and values is left out, and the
  /// columns of the other, if known.
  bool isOneGradient = false;
  std::optional<int64_t> gradientColumns;
  /// Whether the cost of a tile rises with its index, as under a causal mask.
  bool isCausal = false;
};

/// The parameters without a table's row: a tile of `rows` queries with
/// `columns` of V, all of them or a part, and `depth` keys in an iteration.
Parameters defaultParameters(const Facts &facts, const Target &target);

/// The work of a tile of attention: rows that stay, queries or keys, and rows
/// that a step walks, the other ones.
struct TileWork {
  int64_t rows = 0, walked = 0;
  /// Columns that are multiplied for each pair of rows, of all MMAs.
  int64_t multiplied = 0;
  /// Columns of a row that stays, of one that is walked, and of results.
  int64_t kept = 0, loaded = 0, stored = 0;
  /// Columns of what stays and of what is walked in shared memory.
  int64_t sharedKept = 0, sharedLoaded = 0;
  /// Numbers of a pair that become operands of an MMA, or results, and bytes of
  /// a pair that are stored.
  int64_t rounded = 1, storedBytes = 0;
  /// Tiles of the same rows, each with a part of the columns.
  int64_t parts = 1;
};

/// Columns in shared memory, in whole boxes of TMA.
int64_t alignToBoxes(int64_t columns);

/// Cycles of a kernel of attention by the cost model (sattn/Resources/Cost.h).
/// Nothing unless rows and batches are known, heads are not packed, and the
/// target has wgmma. Lists have half of the blocks where `seenBlocks` is not
/// known.
std::optional<double> estimateCycles(const Facts &facts, const TileWork &work,
                                     const Target &target);
/// Cycles of a forward kernel.
std::optional<double> estimateCycles(const Facts &facts, const Parameters &tile,
                                     const Target &target);

/// The default, with the numbers of `search.row` in the place of its own:
/// tile_m, tile_n, tile_k, stages, warps, raster_group. An error says which is
/// impossible.
llvm::Expected<Choice> choose(const Facts &facts, const Search &search);
/// The given parameters, with the numbers of `search.row` in the place of their
/// own, for tiles that have all or a part of so many columns.
llvm::Expected<Choice> chooseFrom(const Parameters &start, int64_t columns,
                                  const Facts &facts, const Search &search);

/// The largest divisor of a block, where there is one, that is at most `most`
/// and a multiple of `multiple`; without a block `most`.
int64_t fitInto(std::optional<int64_t> block, int64_t most, int64_t multiple);
/// Columns of V of a tile: all of them, or an equal part where they are too
/// many. wgmma takes at least kPaddedColumns; heads that are narrower than half
/// of that are not padded, and multiplied by mma.sync.
int64_t chooseColumns(const Facts &facts, const Target &target);

/// The facts by their names in the C API.
Facts readFacts(NamedFacts &given);

} // namespace sattn::tuning::attention

#endif // SATTN_TUNING_ATTENTION_H
