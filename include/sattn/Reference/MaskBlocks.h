//===- MaskBlocks.h - Blocks of a mask by its elements ----------*- C++ -*-===//
//
// Which blocks of a mask are empty, full or neither, and the lists of them, in
// the plainest form: every element of every block is evaluated.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_MASKBLOCKS_H
#define SATTN_REFERENCE_MASKBLOCKS_H

#include <cstdint>
#include <functional>
#include <vector>

namespace sattn::reference {

/// A function of b, h, i, j: whether key j is visible to query i.
using MaskFunction = std::function<bool(int64_t, int64_t, int64_t, int64_t)>;

struct MaskSizes {
  int64_t batches = 1, heads = 1, queries = 0, keys = 0;
  /// Queries and keys of a block; the last of a row or column may have fewer.
  int64_t blockQueries = 128, blockKeys = 128;

  int64_t rows() const { return (queries + blockQueries - 1) / blockQueries; }
  int64_t columns() const { return (keys + blockKeys - 1) / blockKeys; }
};

/// Whether no element, some or all elements of a block are visible.
enum class BlockKind : int8_t { Empty, Partial, Full };

/// The kinds of all blocks, (batches, heads, rows, columns) in row-major order.
std::vector<BlockKind> classifyBlocks(const MaskFunction &, const MaskSizes &);

/// One list for each row of blocks, or for each column.
struct MaskLists {
  std::vector<std::vector<int32_t>> partial, full;
};

/// The columns of the blocks of each row, ascending; `isTransposed`: the rows
/// of the blocks of each column. Over (batches, heads, rows or columns).
MaskLists listBlocks(const std::vector<BlockKind> &, const MaskSizes &,
                     bool isTransposed);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_MASKBLOCKS_H
