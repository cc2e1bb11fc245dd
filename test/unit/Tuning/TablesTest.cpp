//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rows of tables of every op: the key that finds them, and what is made of
// them.

#include "sattn/Tuning/Ops.h"
#include "sattn/Tuning/Space.h"

#include "gtest/gtest.h"

using namespace sattn::meta;
using namespace sattn::tuning;

namespace {

constexpr char kDevice[] = "NVIDIA H200";

NamedFact number(llvm::StringRef name, double value) {
  return {name, std::nullopt, value};
}
NamedFact text(llvm::StringRef name, llvm::StringRef value) {
  return {name, value, 0};
}

Table makeTable(llvm::StringRef op, llvm::StringRef parameters,
                llvm::StringRef rows, llvm::StringRef dtype = "bf16") {
  std::string section =
      (R"({"format": "sattn-meta-table", "version": 1, "sections": [{"op": ")" +
       op + R"(", "device": ")" + kDevice + R"(", "version": 0, "dtype": ")" +
       dtype + R"(", "sparsity": 0.5, "parameters": [)" + parameters +
       R"(], "rows": [)" + rows + "]}]}")
          .str();
  std::vector<std::string> problems;
  llvm::Expected<Table> table =
      parseTable(section, "test", allSchemas(), problems);
  EXPECT_TRUE(problems.empty()) << problems.front();
  if (table)
    return std::move(*table);
  ADD_FAILURE() << llvm::toString(table.takeError());
  return Table();
}

Search searchOf(llvm::StringRef target = "sm_90a") {
  Search search{*findTarget(target)};
  search.device = kDevice;
  return search;
}

Choice choose(const Table &table, llvm::StringRef op,
              llvm::ArrayRef<NamedFact> facts,
              const Search &search = searchOf()) {
  llvm::Expected<Choice> choice =
      sattn::tuning::choose(op, table, facts, search);
  if (choice)
    return std::move(*choice);
  ADD_FAILURE() << llvm::toString(choice.takeError());
  return {};
}

std::vector<NamedFact> attentionFacts(double rows) {
  return {number("rows", rows), number("batches", 16), number("head_dim", 64),
          number("value_dim", 64), text("dtype", "bf16")};
}

constexpr char kTile[] = R"("tile_m", "tile_n", "tile_k", "stages")";

} // namespace

TEST(TablesTest, QueryHasTheFactsOfTheKey) {
  Search search = searchOf();
  auto query = getQuery("flex_attention", attentionFacts(512), search);
  ASSERT_TRUE(bool(query)) << llvm::toString(query.takeError());
  ASSERT_TRUE(query->has_value());
  EXPECT_EQ(
      (*query)->describe(),
      "flex_attention (64, 64, 0, 0, false, false, false, 16, 512), NVIDIA "
      "H200, bf16, sparsity 0.50");
  std::vector<NamedFact> facts = attentionFacts(512);
  facts.insert(facts.end(), {number("block_queries", 128),
                             number("block_keys", 64), number("is_causal", 1)});
  query = getQuery("flex_attention", facts, search);
  EXPECT_EQ(
      (*query)->describe(),
      "flex_attention (64, 64, 128, 64, false, true, false, 16, 512), NVIDIA "
      "H200, bf16, sparsity 0.50");
}

TEST(TablesTest, NoQueryWithoutANumberOfTheKey) {
  Search search = searchOf();
  std::vector<NamedFact> facts = attentionFacts(512);
  facts.erase(facts.begin());
  auto query = getQuery("flex_attention", facts, search);
  ASSERT_TRUE(bool(query)) << llvm::toString(query.takeError());
  EXPECT_FALSE(query->has_value());
  // The element type is part of what finds a row; its size is not enough.
  facts = attentionFacts(512);
  facts.back() = number("element_bytes", 2);
  query = getQuery("flex_attention", facts, search);
  ASSERT_TRUE(bool(query));
  EXPECT_FALSE(query->has_value());
  query = getQuery("flex_attention", {}, search);
  EXPECT_FALSE(bool(query));
  llvm::consumeError(query.takeError());
}

TEST(TablesTest, EveryOpTakesItsRows) {
  struct Case {
    const char *op, *key;
    std::vector<NamedFact> facts;
    /// Parameters of a row, in the order of kTile.
    int64_t m, n, k, stages;
  };
  std::vector<NamedFact> blocks = {number("block_rows", 64),
                                   number("block_columns", 64),
                                   text("dtype", "bf16")};
  auto with = [](std::vector<NamedFact> facts, std::vector<NamedFact> more) {
    facts.insert(facts.end(), more.begin(), more.end());
    return facts;
  };
  const Case cases[] = {
      {"bsr_addmm", "512, 512, 512, 64, 64, false, true, true",
       with(blocks, {number("m", 512), number("n", 512), number("k", 512),
                     text("out_dtype", "bf16"), number("sparsity", 50)}),
       32, 128, 32, 3},
      {"bsr_attention", "64, 64, 64, 64, false, false, 16, 512",
       with(attentionFacts(512),
            {number("block_rows", 64), number("block_columns", 64)}),
       32, 64, 32, 3},
      {"bsr_softmax", "64, 64", blocks, 1, 32, 1024, 2},
      {"bsr_softmax_backward", "64, 64", blocks, 1, 32, 1024, 2},
      {"flex_attention", "64, 64, 0, 0, false, false, false, 16, 512",
       attentionFacts(512), 64, 64, 48, 3},
      {"flex_attention_dq", "64, 64, 0, 0, false, false, false, 16, 512",
       attentionFacts(512), 64, 64, 32, 3},
      {"flex_attention_dkdv",
       "64, 64, 0, 0, false, false, false, false, 64, 16, 512",
       attentionFacts(512), 32, 64, 64, 3},
      {"flex_attention_dcapture", "64, 64, 0, 0, false, false, false, 16, 512",
       attentionFacts(512), 64, 64, 32, 3},
      {"sampled_addmm", "64, 64, false, 512", with(blocks, {number("k", 512)}),
       32, 32, 32, 3},
      {"scatter_mm", "512, 512, 512, 64, 64",
       with(blocks, {number("m", 512), number("n", 512), number("k", 512),
                     number("sparsity", 50)}),
       32, 64, 32, 3},
  };
  ASSERT_EQ(std::size(cases), allSchemas().size());
  for (const Case &one : cases) {
    std::string row = "[[" + std::string(one.key) + "], [" +
                      std::to_string(one.m) + ", " + std::to_string(one.n) +
                      ", " + std::to_string(one.k) + ", " +
                      std::to_string(one.stages) + "]]";
    Table table = makeTable(one.op, kTile, row);
    Choice choice = choose(table, one.op, one.facts);
    EXPECT_EQ(choice.origin, "row (" + std::string(one.key) + ") of " + one.op +
                                 ", NVIDIA H200, bf16, sparsity 0.50 in test "
                                 "(exact)");
    EXPECT_TRUE(choice.problems.empty()) << choice.problems.front();
    const Parameters &chosen = choice.parameters;
    EXPECT_EQ(chosen.rows, one.m) << one.op;
    EXPECT_EQ(chosen.columns, one.n) << one.op;
    EXPECT_EQ(chosen.depth, one.k) << one.op;
    EXPECT_EQ(chosen.stages, one.stages) << one.op;
    // The facts of softmaxes have no sizes.
    EXPECT_EQ(choice.estimate.has_value(),
              !llvm::StringRef(one.op).contains("softmax"))
        << one.op;
    // No row is found for another type, or without a device.
    Search nowhere = searchOf();
    nowhere.device = "";
    EXPECT_EQ(choose(table, one.op, one.facts, nowhere).origin,
              "the computed default");
    Table other = makeTable(one.op, kTile, row, "f16");
    EXPECT_EQ(choose(other, one.op, one.facts).origin.substr(0, 45),
              "the computed default (no table has a row that");
  }
}

TEST(TablesTest, AShorterLengthDoes) {
  Table table = makeTable("flex_attention", kTile,
                          "[[64, 64, 0, 0, false, false, false, 16, 512], "
                          "[128, 64, 128, 3]]");
  Choice choice = choose(table, "flex_attention", attentionFacts(700));
  EXPECT_EQ(choice.parameters.stages, 3);
  EXPECT_NE(choice.origin.find("(of a smaller L)"), std::string::npos);
  choice = choose(table, "flex_attention", attentionFacts(500));
  EXPECT_EQ(choice.parameters.stages, 2);
}

/// Facts of a product of 4096 x 4096, in blocks of 64, with N columns.
static std::vector<NamedFact> productFacts(double n, double sparsity = 90) {
  return {number("m", 4096),           number("n", n),
          number("k", 4096),           number("block_rows", 64),
          number("block_columns", 64), text("dtype", "bf16"),
          text("out_dtype", "bf16"),   number("sparsity", sparsity)};
}

static Table productTable(llvm::StringRef n, llvm::StringRef tile,
                          llvm::StringRef name = "test") {
  Table table = makeTable(
      "bsr_addmm", kTile,
      ("[[4096, 4096, " + n + ", 64, 64, false, true, true], [" + tile + "]]")
          .str());
  table.name = name.str();
  return table;
}

TEST(TablesTest, ANearRowIsTakenWhereItIsNotSlower) {
  // Tiles of 64 columns load a row of blocks four times.
  Table narrow = productTable("256", "64, 64, 64, 3");
  Choice choice = choose(narrow, "bsr_addmm", productFacts(8192));
  EXPECT_FALSE(choice.isOfTable);
  EXPECT_EQ(choice.parameters.columns, 256);
  EXPECT_EQ(choice.origin.substr(0, 98),
            "the computed default (row (4096, 4096, 256, 64, 64, false, true, "
            "true) of bsr_addmm, NVIDIA H200, ");
  EXPECT_NE(choice.origin.find("is estimated to take 1."), std::string::npos)
      << choice.origin;
  EXPECT_TRUE(choice.problems.empty());
  // The default's tile with other stages takes as long by the model.
  Table same = productTable("256", "64, 256, 64, 3");
  choice = choose(same, "bsr_addmm", productFacts(8192));
  EXPECT_TRUE(choice.isOfTable);
  EXPECT_EQ(choice.parameters.stages, 3);
  // The row's own problem takes it whatever the model says, another sparsity
  // does not.
  EXPECT_TRUE(choose(narrow, "bsr_addmm", productFacts(256, 50)).isOfTable);
  Table large = productTable("8192", "64, 64, 64, 3");
  EXPECT_TRUE(choose(large, "bsr_addmm", productFacts(8192, 50)).isOfTable);
  EXPECT_FALSE(choose(large, "bsr_addmm", productFacts(8192, 90)).isOfTable);
}

TEST(TablesTest, EstimatesOfAttentionFollowItsWork) {
  auto cycles = [](llvm::StringRef op, std::vector<NamedFact> more,
                   double rows = 4096) {
    std::vector<NamedFact> facts = attentionFacts(rows);
    facts.insert(facts.end(), more.begin(), more.end());
    return choose({}, op, facts).estimate->cycles;
  };
  std::vector<NamedFact> lists = {number("block_queries", 128),
                                  number("block_keys", 128)};
  auto seen = [&](double blocks) {
    std::vector<NamedFact> facts = lists;
    facts.push_back(number("seen_blocks", blocks));
    return facts;
  };
  double all = 16 * 32 * 32;
  for (llvm::StringRef op :
       {"flex_attention", "flex_attention_dq", "flex_attention_dkdv",
        "flex_attention_dcapture"}) {
    double dense = cycles(op, {});
    EXPECT_GT(dense, 3 * cycles(op, {}, 2048)) << op.str();
    // The gradient of a captured number is bound by memory.
    EXPECT_LT(cycles(op, {number("is_causal", 1)}), dense) << op.str();
    EXPECT_LT(cycles(op, seen(all / 4)), 0.5 * cycles(op, seen(all)))
        << op.str();
    EXPECT_EQ(cycles(op, lists), cycles(op, seen(all / 2))) << op.str();
  }
  // Gradients multiply more, those of keys and values the most.
  EXPECT_GT(cycles("flex_attention_dq", {}), cycles("flex_attention", {}));
  EXPECT_GT(cycles("flex_attention_dkdv", {}), cycles("flex_attention_dq", {}));
}

TEST(TablesTest, ASlowerNearRowLeavesTheNextTable) {
  Table tables[] = {productTable("256", "64, 64, 64, 3"),
                    productTable("2048", "64, 256, 64, 4", "second")};
  llvm::Expected<Choice> choice = sattn::tuning::choose(
      "bsr_addmm", tables, productFacts(8192), searchOf());
  ASSERT_TRUE(bool(choice)) << llvm::toString(choice.takeError());
  EXPECT_EQ(choice->parameters.stages, 4);
  EXPECT_NE(choice->origin.find("in second (of sparsity 0.5, of a smaller N"),
            std::string::npos)
      << choice->origin;
}

TEST(TablesTest, ANearRowWithoutAnEstimateIsTaken) {
  // The CPU has no model.
  Table table = makeTable("bsr_addmm", R"("tile_m", "tile_n", "tile_k")",
                          "[[4096, 4096, 256, 64, 64, false, true, true], "
                          "[64, 8, 64]]");
  Choice choice =
      choose(table, "bsr_addmm", productFacts(8192), searchOf("cpu"));
  EXPECT_TRUE(choice.isOfTable);
  EXPECT_EQ(choice.parameters.columns, 8);
}

TEST(TablesTest, WhatIsMissingIsNamed) {
  std::vector<NamedFact> facts = attentionFacts(512);
  facts.erase(facts.begin());
  EXPECT_EQ(choose({}, "flex_attention", facts).origin,
            "the computed default (a row is found by L, which is not known)");
}

TEST(TablesTest, ARowThatFitsNoTileIsNamed) {
  Table table = makeTable("flex_attention", kTile,
                          "[[64, 64, 0, 0, false, false, false, 16, 512], "
                          "[512, 64, 128, 3]]");
  Choice choice = choose(table, "flex_attention", attentionFacts(512));
  ASSERT_EQ(choice.problems.size(), 1u);
  EXPECT_NE(choice.problems.front().find("fits no tile: expected tile_m of at "
                                         "most 256 on sm_90a, but got 512"),
            std::string::npos)
      << choice.problems.front();
  EXPECT_EQ(choice.parameters.rows, 128);
}

TEST(TablesTest, AHintOfZeroIsLeftToThePasses) {
  Table table = makeTable("flex_attention", kTile,
                          "[[64, 64, 0, 0, false, false, false, 16, 512], "
                          "[64, 64, 48, 0]]");
  Choice choice = choose(table, "flex_attention", attentionFacts(512));
  EXPECT_EQ(choice.parameters.depth, 48);
  EXPECT_EQ(choice.parameters.stages, std::nullopt);
  // The computed default asks for two; a hint that no row has is the default's.
  EXPECT_EQ(choice.parameters.rasterGroup, 8);
  EXPECT_EQ(choose({}, "flex_attention", attentionFacts(512)).parameters.stages,
            2);
}

TEST(TablesTest, RowsOfPyTorchsScatterMm) {
  std::vector<NamedFact> facts = {
      number("block_rows", 64), number("block_columns", 64),
      text("dtype", "f16"),     number("m", 1024),
      number("k", 512),         number("whole_n", 2048),
      number("n", 256)};
  Table table = makeTable(
      "scatter_mm",
      R"("GROUP_SIZE", "SPLIT_N", "TILE_M", "TILE_N", "num_stages", "num_warps")",
      "[[1024, 512, 2048, 64, 64], [2, 8, 32, 64, 3, 4]]", "f16");
  Parameters chosen = choose(table, "scatter_mm", facts).parameters;
  EXPECT_EQ(chosen.rows, 32);
  EXPECT_EQ(chosen.columns, 64);
  EXPECT_EQ(chosen.stages, 3);
  EXPECT_EQ(chosen.warps, 4);
  EXPECT_EQ(chosen.rasterGroup, 2);
  // Without TILE_N a tile has N / SPLIT_N columns.
  table = makeTable("scatter_mm", R"("SPLIT_N")",
                    "[[1024, 512, 2048, 64, 64], [16]]", "f16");
  EXPECT_EQ(choose(table, "scatter_mm", facts).parameters.columns, 128);
  // A larger N that the columns divide.
  facts[5] = number("whole_n", 4096);
  EXPECT_EQ(choose(table, "scatter_mm", facts).parameters.columns, 128);
}
