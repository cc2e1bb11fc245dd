//===- MaskBlocks.cpp - Blocks of a mask by its elements ------------------===//

#include "sattn/Reference/MaskBlocks.h"

#include <algorithm>

using namespace sattn::reference;

static BlockKind classify(const MaskFunction &mask, const MaskSizes &sizes,
                          int64_t b, int64_t h, int64_t row, int64_t column) {
  int64_t firstQuery = row * sizes.blockQueries,
          firstKey = column * sizes.blockKeys;
  int64_t endQuery = std::min(firstQuery + sizes.blockQueries, sizes.queries),
          endKey = std::min(firstKey + sizes.blockKeys, sizes.keys);
  int64_t visible = 0;
  for (int64_t i = firstQuery; i < endQuery; ++i)
    for (int64_t j = firstKey; j < endKey; ++j)
      visible += mask(b, h, i, j);
  if (visible == 0)
    return BlockKind::Empty;
  return visible == (endQuery - firstQuery) * (endKey - firstKey)
             ? BlockKind::Full
             : BlockKind::Partial;
}

std::vector<BlockKind>
sattn::reference::classifyBlocks(const MaskFunction &mask,
                                 const MaskSizes &sizes) {
  std::vector<BlockKind> kinds;
  for (int64_t b = 0; b < sizes.batches; ++b)
    for (int64_t h = 0; h < sizes.heads; ++h)
      for (int64_t row = 0; row < sizes.rows(); ++row)
        for (int64_t column = 0; column < sizes.columns(); ++column)
          kinds.push_back(classify(mask, sizes, b, h, row, column));
  return kinds;
}

MaskLists sattn::reference::listBlocks(const std::vector<BlockKind> &kinds,
                                       const MaskSizes &sizes,
                                       bool isTransposed) {
  int64_t rows = sizes.rows(), columns = sizes.columns();
  int64_t lists = isTransposed ? columns : rows,
          blocks = isTransposed ? rows : columns;
  MaskLists result;
  for (int64_t lead = 0; lead < sizes.batches * sizes.heads; ++lead)
    for (int64_t list = 0; list < lists; ++list) {
      result.partial.emplace_back();
      result.full.emplace_back();
      for (int64_t block = 0; block < blocks; ++block) {
        int64_t row = isTransposed ? block : list,
                column = isTransposed ? list : block;
        BlockKind kind = kinds[(lead * rows + row) * columns + column];
        if (kind == BlockKind::Partial)
          result.partial.back().push_back(block);
        else if (kind == BlockKind::Full)
          result.full.back().push_back(block);
      }
    }
  return result;
}
