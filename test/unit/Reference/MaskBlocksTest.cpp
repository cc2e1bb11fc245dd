//===- MaskBlocksTest.cpp - Tests of blocks by their elements -------------===//

#include "sattn/Reference/MaskBlocks.h"

#include <gtest/gtest.h>

using namespace sattn::reference;

namespace {
using Lists = std::vector<std::vector<int32_t>>;

/// Causal, of 5 queries and 4 keys in blocks of 2 x 3: rows of blocks 0 1, 2 3
/// and 4, columns 0 1 2 and 3. The second head sees nothing.
TEST(MaskBlocksTest, ListsOfACausalMask) {
  MaskSizes sizes;
  sizes.heads = 2;
  sizes.queries = 5;
  sizes.keys = 4;
  sizes.blockQueries = 2;
  sizes.blockKeys = 3;
  std::vector<BlockKind> kinds = classifyBlocks(
      [](int64_t, int64_t h, int64_t i, int64_t j) { return h == 0 && i >= j; },
      sizes);
  ASSERT_EQ(kinds.size(), 2u * 3 * 2);
  EXPECT_EQ(kinds[0], BlockKind::Partial);
  EXPECT_EQ(kinds[1], BlockKind::Empty);
  EXPECT_EQ(kinds[3], BlockKind::Partial);
  EXPECT_EQ(kinds[5], BlockKind::Full);
  MaskLists rows = listBlocks(kinds, sizes, /*isTransposed=*/false);
  EXPECT_EQ(rows.partial, (Lists{{0}, {1}, {}, {}, {}, {}}));
  EXPECT_EQ(rows.full, (Lists{{}, {0}, {0, 1}, {}, {}, {}}));
  MaskLists columns = listBlocks(kinds, sizes, /*isTransposed=*/true);
  EXPECT_EQ(columns.partial, (Lists{{0}, {1}, {}, {}}));
  EXPECT_EQ(columns.full, (Lists{{1, 2}, {2}, {}, {}}));
}
} // namespace
