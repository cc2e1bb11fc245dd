//===- MaskBlocksTest.cpp - Blocks of known masks -------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskCase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace sattn;

namespace {
constexpr const char *kWindow = R"(
  %size = arith.constant 20 : i32
  %d = arith.subi %q, %k : i32
  %near = arith.cmpi slt, %d, %size : i32
  %past = arith.cmpi sge, %q, %k : i32
  %band = arith.andi %near, %past : i1
)";
constexpr const char *kSinks = R"(
  %four = arith.constant 4 : i32
  %sink = arith.cmpi slt, %k, %four : i32
  %r = arith.ori %band, %sink : i1
)";
constexpr const char *kDilated = R"(
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %rest = arith.remsi %d, %three : i32
  %hit = arith.cmpi eq, %rest, %zero : i32
  %r = arith.andi %band, %hit : i1
)";
constexpr const char *kChunks = R"(
  %size = arith.constant 12 : i32
  %x = arith.divsi %q, %size : i32
  %y = arith.divsi %k, %size : i32
  %same = arith.cmpi eq, %x, %y : i32
  %past = arith.cmpi sge, %q, %k : i32
  %r = arith.andi %same, %past : i1
)";
constexpr const char *kOverflow = R"(
  %large = arith.constant 1000000000 : i32
  %p = arith.muli %q, %large : i32
  %r = arith.cmpi sge, %p, %k : i32
)";
constexpr const char *kDocuments = R"(
  %i = arith.index_cast %q : i32 to index
  %j = arith.index_cast %k : i32 to index
  %x = tensor.extract %doc[%i] : tensor<?xi32>
  %y = tensor.extract %doc[%j] : tensor<?xi32>
  %same = arith.cmpi eq, %x, %y : i32
  %past = arith.cmpi sge, %q, %k : i32
  %r = arith.andi %same, %past : i1
)";
/// The documents begin at 10, 17 and 40.
constexpr const char *kOffsets = R"(
  %a = arith.constant 10 : i32
  %b1 = arith.constant 17 : i32
  %c = arith.constant 40 : i32
  %q0 = arith.cmpi sge, %q, %a : i32
  %q1 = arith.cmpi sge, %q, %b1 : i32
  %q2 = arith.cmpi sge, %q, %c : i32
  %k0 = arith.cmpi sge, %k, %a : i32
  %k1 = arith.cmpi sge, %k, %b1 : i32
  %k2 = arith.cmpi sge, %k, %c : i32
  %x0 = arith.extui %q0 : i1 to i32
  %x1 = arith.extui %q1 : i1 to i32
  %x2 = arith.extui %q2 : i1 to i32
  %y0 = arith.extui %k0 : i1 to i32
  %y1 = arith.extui %k1 : i1 to i32
  %y2 = arith.extui %k2 : i1 to i32
  %x01 = arith.addi %x0, %x1 : i32
  %x = arith.addi %x01, %x2 : i32
  %y01 = arith.addi %y0, %y1 : i32
  %y = arith.addi %y01, %y2 : i32
  %same = arith.cmpi eq, %x, %y : i32
  %past = arith.cmpi sge, %q, %k : i32
  %r = arith.andi %same, %past : i1
)";

class MaskBlocksTest : public testing::Test {
protected:
  MaskBlocksTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect, tensor::TensorDialect>();
    sizes.queries = 77;
    sizes.keys = 69;
    sizes.blockQueries = 16;
    sizes.blockKeys = 8;
    for (int i = 0; i < 77; ++i)
      documents.push_back(i < 5 ? 0 : i < 40 ? 3 : i < 41 ? 4 : 9);
  }

  void expectExact(const std::string &body) {
    MaskCounts counts =
        MaskCase(context, body).count(sizes, {documents, documents});
    EXPECT_EQ(counts.blocks, 5 * 9);
    EXPECT_EQ(counts.wrong, 0) << body;
    EXPECT_EQ(counts.needless, 0) << body;
  }

  MLIRContext context;
  reference::MaskSizes sizes;
  std::vector<int32_t> documents;
};

TEST_F(MaskBlocksTest, Causal) {
  expectExact("%r = arith.cmpi sge, %q, %k : i32");
}
TEST_F(MaskBlocksTest, Sinks) { expectExact(std::string(kWindow) + kSinks); }
TEST_F(MaskBlocksTest, Dilated) {
  expectExact(std::string(kWindow) + kDilated);
}
TEST_F(MaskBlocksTest, Chunks) { expectExact(kChunks); }
TEST_F(MaskBlocksTest, Documents) { expectExact(kDocuments); }
TEST_F(MaskBlocksTest, Offsets) { expectExact(kOffsets); }

TEST_F(MaskBlocksTest, ProductsThatOverflowAreMixed) {
  MaskCounts counts =
      MaskCase(context, kOverflow).count(sizes, {documents, documents});
  EXPECT_EQ(counts.wrong, 0);
}

TEST_F(MaskBlocksTest, RangesCoverTheMask) {
  for (const std::string &body :
       {std::string("%r = arith.cmpi sge, %q, %k : i32"),
        std::string(kWindow) + kSinks, std::string(kWindow) + kDilated,
        std::string(kChunks)})
    for (bool isNegated : {false, true})
      for (mask::Axis along : {mask::Axis::Query, mask::Axis::Key}) {
        std::optional<RangeCounts> counts =
            MaskCase(context, body)
                .countRanges(sizes, {documents, documents}, along, isNegated,
                             4);
        ASSERT_TRUE(counts) << body;
        EXPECT_EQ(counts->missing, 0) << body;
      }
}

/// Ranges of queries differ from ranges of keys: a key is seen from itself on.
TEST_F(MaskBlocksTest, RangesOfBandsAreExact) {
  for (const std::string &body :
       {std::string("%r = arith.cmpi sge, %q, %k : i32"),
        std::string(kWindow) + "%r = arith.andi %band, %past : i1"})
    for (mask::Axis along : {mask::Axis::Query, mask::Axis::Key}) {
      std::optional<RangeCounts> counts =
          MaskCase(context, body)
              .countRanges(sizes, {documents, documents}, along,
                           /*isNegated=*/false, 4);
      ASSERT_TRUE(counts) << body;
      EXPECT_EQ(counts->missing, 0) << body;
      EXPECT_EQ(counts->needless, 0) << body;
    }
}

TEST_F(MaskBlocksTest, RangesAreFewOrNone) {
  MaskCase sinks(context, std::string(kWindow) + kSinks);
  for (mask::Axis along : {mask::Axis::Query, mask::Axis::Key})
    for (unsigned most : {1, 2})
      EXPECT_EQ(sinks
                    .countRanges(sizes, {documents, documents}, along,
                                 /*isNegated=*/false, most)
                    .has_value(),
                most == 2);
}
} // namespace
