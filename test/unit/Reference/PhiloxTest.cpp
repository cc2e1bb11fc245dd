//===- PhiloxTest.cpp - The generator's published answers -----------------===//

#include "sattn/Reference/Philox.h"

#include "gtest/gtest.h"

#include <limits>

using namespace sattn::reference;

namespace {
using Words = std::array<uint32_t, 4>;

/// Known answers of the authors' library (Random123, kat_vectors, 10 rounds).
TEST(PhiloxTest, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, KeepsAsManyAsItShould) {
  for (float probability : {0.1f, 0.5f, 0.9f}) {
    int kept = 0;
    for (int i = 0; i < 10000; ++i)
      kept += isKept(probability, 42, 0, 0, i / 100, i % 100);
    EXPECT_NEAR(kept, 10000 * (1 - probability), 200);
  }
}

TEST(PhiloxTest, ProbabilitiesBeyondTheEnds) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(isKept(-1, 42, 0, 0, 0, i));
    EXPECT_TRUE(isKept(0, 42, 0, 0, 0, i));
    EXPECT_TRUE(isKept(nan, 42, 0, 0, 0, i));
    EXPECT_FALSE(isKept(1, 42, 0, 0, 0, i));
    EXPECT_FALSE(isKept(2, 42, 0, 0, 0, i));
  }
}

/// Each number that names a place, and both halves of the seed, matter.
TEST(PhiloxTest, EachNumberCounts) {
  auto differs = [](int64_t seed, int64_t offset, int64_t batch, int64_t row) {
    int count = 0;
    for (int column = 0; column < 64; ++column)
      count += isKept(0.5f, 1, 2, 3, 4, column) !=
               isKept(0.5f, seed, offset, batch, row, column);
    return count > 8;
  };
  EXPECT_FALSE(differs(1, 2, 3, 4));
  EXPECT_TRUE(differs(2, 2, 3, 4));
  EXPECT_TRUE(differs(1 + (int64_t(1) << 32), 2, 3, 4));
  EXPECT_TRUE(differs(1, 3, 3, 4));
  EXPECT_TRUE(differs(1, 2, 4, 4));
  EXPECT_TRUE(differs(1, 2, 3, 5));
  EXPECT_FALSE(differs(1, 2 + (int64_t(1) << 32), 3, 4));
}
} // namespace
