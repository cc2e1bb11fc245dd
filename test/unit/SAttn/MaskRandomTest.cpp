//===- MaskRandomTest.cpp - Random masks by brute force -------------------===//
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

#include <algorithm>
#include <random>

using namespace mlir;
using namespace sattn;

namespace {
/// Writes random masks.
class Writer {
public:
  explicit Writer(unsigned seed) : engine(seed) {}

  int64_t draw(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(engine);
  }

  enum Family {
    /// Causal, windows, prefixes, with and, or and not.
    Bands,
    /// These and documents, with and and or.
    Documents,
    /// Anything.
    All
  };

  std::string write(Family family) {
    text.clear();
    std::string value = writeFormula(family, draw(0, 3));
    return text + "%r = arith.andi " + value + ", " + value + " : i1";
  }

private:
  std::string add(const std::string &op) {
    std::string name = "%v" + std::to_string(next++);
    text += name + " = " + op + "\n";
    return name;
  }
  std::string number(int64_t value) {
    return add("arith.constant " + std::to_string(value) + " : i32");
  }
  std::string binary(const char *op, const std::string &x, const std::string &y,
                     const char *type = "i32") {
    return add(std::string("arith.") + op + " " + x + ", " + y + " : " + type);
  }
  std::string compare(const char *predicate, const std::string &x,
                      const std::string &y) {
    return add(std::string("arith.cmpi ") + predicate + ", " + x + ", " + y +
               " : i32");
  }
  std::string invert(const std::string &x) {
    return binary("xori", x, add("arith.constant true"), "i1");
  }
  std::string element(const char *vector, const char *index) {
    std::string at =
        add(std::string("arith.index_cast ") + index + " : i32 to index");
    return add(std::string("tensor.extract ") + vector + "[" + at +
               "] : tensor<?xi32>");
  }
  std::string difference() { return binary("subi", "%q", "%k"); }
  /// As Python's, of a positive modulus.
  std::string mod(const std::string &x, int64_t modulus) {
    std::string by = number(modulus), rest = binary("remsi", x, by);
    std::string isNegative = compare("slt", rest, number(0));
    std::string more = binary("addi", rest, by);
    return add("arith.select " + isNegative + ", " + more + ", " + rest +
               " : i32");
  }

  std::string writeBand() {
    switch (draw(0, 4)) {
    case 0:
      return compare("sge", "%q", "%k");
    case 1:
      return compare(draw(0, 1) ? "sge" : "sgt",
                     binary("addi", "%q", number(draw(-20, 20))), "%k");
    case 2:
      return binary("andi", compare("slt", difference(), number(draw(0, 40))),
                    compare("sge", "%q", "%k"), "i1");
    case 3:
      return compare("sle", difference(), number(draw(-10, 40)));
    default:
      return compare("slt", "%k", number(draw(0, 50)));
    }
  }

  std::string writeDocuments() {
    return compare("eq", element("%doc", "%q"), element("%doc", "%k"));
  }

  std::string writeOther() {
    switch (draw(0, 18)) {
    case 0:
      return compare("eq", mod(difference(), draw(1, 5)), number(0));
    case 1: {
      int64_t modulus = draw(2, 9);
      return compare("eq", mod("%k", modulus), number(draw(0, modulus)));
    }
    case 2: {
      std::string size = number(draw(1, 30));
      return compare("eq", binary("divsi", "%q", size),
                     binary("divsi", "%k", size));
    }
    case 3: {
      std::string size = number(draw(2, 16));
      std::string rows = binary("subi", binary("divsi", "%q", size),
                                binary("divsi", "%k", size));
      return compare("sle", add("math.absi " + rows + " : i32"),
                     number(draw(0, 2)));
    }
    case 4:
      return compare("sle", add("math.absi " + difference() + " : i32"),
                     number(draw(0, 30)));
    case 5:
      return compare("slt", binary("maxsi", "%q", "%k"), number(draw(0, 50)));
    case 6:
      return compare("sgt", binary("minsi", "%q", number(draw(0, 50))), "%k");
    case 7: {
      std::string isOdd =
          compare("eq", binary("andi", "%h", number(1)), number(0));
      return add("arith.select " + isOdd + ", " + writeBand() + ", " +
                 writeBand() + " : i1");
    }
    case 8:
      return compare("slt", element("%noise", "%k"), number(draw(-20, 20)));
    case 9:
      return compare("sge", element("%noise", "%q"), number(draw(-20, 20)));
    case 10:
      return compare("slt", binary("addi", "%q", "%k"), number(draw(0, 100)));
    case 11:
      return compare("eq", mod(binary("addi", "%q", "%k"), draw(2, 4)),
                     number(0));
    case 12:
      return compare("sge", binary("muli", "%q", number(draw(2, 3))), "%k");
    case 13: {
      std::string by = number(draw(1, 5));
      return compare("eq", binary("shrsi", "%q", by),
                     binary("shrsi", "%k", by));
    }
    case 14:
      return compare("sle", element("%doc", "%k"), element("%doc", "%q"));
    case 15: { // Wraps.
      std::string hash = binary("muli", difference(), number(1103515245));
      return compare("slt", binary("xori", hash, "%k"), number(0));
    }
    case 16: {
      std::string size =
          binary("addi", binary("muli", "%h", number(8)), number(draw(1, 9)));
      return compare("ult", difference(), size);
    }
    case 17: // The numbers may be negative.
      return compare("sge",
                     binary("floordivsi", difference(), number(draw(2, 9))),
                     number(draw(-4, 4)));
    default: {
      std::string after =
          add("arith.extui " + compare("sge", "%q", number(draw(0, 50))) +
              " : i1 to i32");
      std::string before =
          add("arith.extui " + compare("sge", "%k", number(draw(0, 50))) +
              " : i1 to i32");
      return compare("eq", after, before);
    }
    }
  }

  std::string writeFormula(Family family, int depth) {
    if (depth == 0) {
      if (family == Documents && draw(0, 2) == 0)
        return writeDocuments();
      if (family == All && draw(0, 2) != 0)
        return draw(0, 6) == 0 ? writeDocuments() : writeOther();
      return writeBand();
    }
    if (family != Documents && draw(0, 4) == 0)
      return invert(writeFormula(family, depth - 1));
    std::string x = writeFormula(family, depth - 1),
                y = writeFormula(family, draw(0, depth - 1));
    return binary(draw(0, 1) ? "andi" : "ori", x, y, "i1");
  }

  std::mt19937 engine;
  std::string text;
  unsigned next = 0;
};

/// A random mask and its operands.
struct Drawn {
  reference::MaskSizes sizes;
  std::vector<std::vector<int32_t>> vectors;
  std::string body;

  Drawn(Writer::Family family, unsigned seed) {
    Writer writer(seed);
    sizes.heads = writer.draw(1, 2);
    sizes.queries = writer.draw(1, 50);
    sizes.keys = writer.draw(0, 2) ? sizes.queries : writer.draw(1, 50);
    sizes.blockQueries = writer.draw(1, 2) * 8;
    sizes.blockKeys = writer.draw(1, 2) * 8;
    vectors.assign(2,
                   std::vector<int32_t>(std::max(sizes.queries, sizes.keys)));
    int64_t document = 0;
    for (int32_t &number : vectors[0])
      number = document += writer.draw(0, 7) == 0;
    for (int32_t &number : vectors[1])
      number = writer.draw(-20, 20);
    body = writer.write(family);
  }
};

class MaskRandomTest : public testing::Test {
protected:
  MaskRandomTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect, tensor::TensorDialect>();
  }

  MaskCounts count(Writer::Family family, unsigned masks) {
    MaskCounts all;
    for (unsigned seed = 0; seed < masks; ++seed) {
      Drawn drawn(family, seed);
      MaskCounts counts =
          MaskCase(context, drawn.body).count(drawn.sizes, drawn.vectors);
      EXPECT_EQ(counts.wrong, 0) << "seed " << seed << "\n" << drawn.body;
      if (family == Writer::Bands && counts.needless != 0)
        ADD_FAILURE() << "seed " << seed << ": " << counts.needless
                      << " blocks are needlessly mixed\n"
                      << drawn.body;
      all.blocks += counts.blocks;
      all.needless += counts.needless;
    }
    RecordProperty("needless", all.needless);
    RecordProperty("blocks", all.blocks);
    return all;
  }

  /// How many of the masks have ranges, which miss nothing that is needed.
  unsigned countWithRanges(Writer::Family family, unsigned masks,
                           mask::Axis along) {
    unsigned known = 0;
    for (unsigned seed = 0; seed < masks; ++seed)
      for (bool isNegated : {false, true}) {
        Drawn drawn(family, seed);
        std::optional<RangeCounts> counts =
            MaskCase(context, drawn.body)
                .countRanges(drawn.sizes, drawn.vectors, along, isNegated,
                             kMostRanges);
        if (!counts)
          continue;
        ++known;
        EXPECT_EQ(counts->missing, 0)
            << "seed " << seed << ", negated " << isNegated << "\n"
            << drawn.body;
      }
    RecordProperty("known", known);
    return known;
  }

  static constexpr unsigned kMostRanges = 8;
  MLIRContext context;
};

TEST_F(MaskRandomTest, BandsAreExact) {
  EXPECT_EQ(count(Writer::Bands, 3000).needless, 0);
}

/// The part of a prefix or a band that a document excludes may be smaller than
/// a block, and is then not visible in least and greatest elements.
TEST_F(MaskRandomTest, DocumentsAreNearlyExact) {
  MaskCounts counts = count(Writer::Documents, 3000);
  EXPECT_LE(counts.needless * 100, counts.blocks)
      << counts.needless << " of " << counts.blocks;
}

TEST_F(MaskRandomTest, OthersAreMostlyExact) {
  MaskCounts counts = count(Writer::All, 4000);
  EXPECT_LE(counts.needless * 20, counts.blocks)
      << counts.needless << " of " << counts.blocks;
}

/// Ranges of keys for blocks of queries, and of queries for blocks of keys.
TEST_F(MaskRandomTest, RangesMissNothing) {
  for (mask::Axis along : {mask::Axis::Query, mask::Axis::Key})
    for (Writer::Family family :
         {Writer::Bands, Writer::Documents, Writer::All})
      EXPECT_GE(countWithRanges(family, 1000, along), 1000u)
          << "of 2000, family " << family;
}
} // namespace
