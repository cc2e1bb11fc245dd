//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Space.h"
#include "sattn/Tuning/Ops.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace sattn::tuning;

namespace {

struct Case {
  std::string op;
  std::vector<NamedFact> facts;

  std::string describe() const {
    std::string text = op;
    for (const NamedFact &fact : facts)
      text += " " + fact.name.str() + "=" +
              (fact.text ? fact.text->str() : std::to_string(fact.number));
    return text;
  }
};

NamedFact number(llvm::StringRef name, double value) {
  return {name, std::nullopt, value};
}
NamedFact text(llvm::StringRef name, llvm::StringRef value) {
  return {name, value, 0};
}

/// Problems of every op: sizes of blocks and heads, element types, and what
/// changes a default.
std::vector<Case> listCases() {
  std::vector<Case> cases;
  for (llvm::StringRef dtype : {"bf16", "f32"}) {
    for (double block : {16, 32, 64, 128}) {
      std::vector<NamedFact> blocks = {number("block_rows", block),
                                       number("block_columns", block),
                                       text("dtype", dtype)};
      auto add = [&](llvm::StringRef op, std::vector<NamedFact> more) {
        more.insert(more.end(), blocks.begin(), blocks.end());
        cases.push_back({op.str(), std::move(more)});
      };
      add("bsr_addmm", {text("out_dtype", dtype)});
      for (double n : {1, 8, 32, 64, 100, 4096})
        add("bsr_addmm",
            {text("out_dtype", dtype), number("m", 4096), number("n", n),
             number("k", 4096), number("sparsity", 90)});
      add("bsr_addmm",
          {text("out_dtype", dtype), number("m", 4096), number("n", 4096),
           number("k", 4096), number("sparsity", 40)});
      add("bsr_addmm", {text("out_dtype", dtype), number("along_k", 1),
                        number("shares_columns", 1)});
      add("bsr_softmax", {});
      add("bsr_softmax_backward", {});
      add("sampled_addmm", {});
      add("sampled_addmm", {number("k", 64), number("can_be_run", 1)});
      add("sampled_addmm", {number("k", 4096)});
      add("scatter_mm", {});
      add("scatter_mm", {number("n", 64), number("sparsity", 90)});
      for (double columns : {16, 64, 128, 256})
        add("bsr_attention",
            {number("head_dim", columns), number("value_dim", columns)});
    }
    for (llvm::StringRef op :
         {"flex_attention", "flex_attention_dq", "flex_attention_dkdv",
          "flex_attention_dcapture"})
      for (double columns : {16, 40, 64, 80, 128, 192, 256}) {
        std::vector<NamedFact> heads = {number("head_dim", columns),
                                        number("value_dim", columns),
                                        text("dtype", dtype)};
        cases.push_back({op.str(), heads});
        heads.insert(heads.end(),
                     {number("block_queries", 128), number("block_keys", 128)});
        cases.push_back({op.str(), heads});
        heads.push_back(number("rows", 40));
        cases.push_back({op.str(), heads});
      }
  }
  return cases;
}

Space spaceOf(const Case &problem, const Target &target) {
  llvm::Expected<Space> space = getSpace(problem.op, problem.facts, target);
  if (space)
    return std::move(*space);
  ADD_FAILURE() << problem.describe() << ": "
                << llvm::toString(space.takeError());
  return {};
}

std::string problemOf(llvm::StringRef op, llvm::ArrayRef<NamedFact> facts,
                      llvm::StringRef target, llvm::StringRef changes) {
  Space space = spaceOf({op.str(), facts.vec()}, *findTarget(target));
  Parameters candidate = space.defaults;
  llvm::SmallVector<llvm::StringRef> entries;
  changes.split(entries, ',');
  for (llvm::StringRef entry : entries) {
    auto [name, value] = entry.split('=');
    int64_t size = 0;
    EXPECT_FALSE(value.getAsInteger(10, size));
    setParameter(candidate, name, size);
  }
  return space.problem(candidate);
}

std::string rowOf(const Space &space, const Parameters &candidate,
                  llvm::SmallVectorImpl<std::string> &row) {
  for (const TunedParameter &parameter : space.parameters)
    row.push_back((parameter.name + "=" +
                   llvm::Twine(getParameter(candidate, parameter.name)))
                      .str());
  return llvm::join(row, ",");
}

} // namespace

TEST(SpaceTest, EveryDefaultIsPossible) {
  for (const Case &problem : listCases())
    for (llvm::StringRef name : targetNames()) {
      Space space = spaceOf(problem, *findTarget(name));
      EXPECT_EQ(space.problem(space.defaults), "")
          << problem.describe() << " on " << name.str();
    }
}

TEST(SpaceTest, ValuesAscendAndContainTheDefault) {
  for (const Case &problem : listCases())
    for (llvm::StringRef name : targetNames()) {
      Space space = spaceOf(problem, *findTarget(name));
      ASSERT_GE(space.parameters.size(), 3u);
      for (const TunedParameter &parameter : space.parameters) {
        EXPECT_TRUE(std::is_sorted(parameter.values.begin(),
                                   parameter.values.end(),
                                   std::less_equal<int64_t>()) ||
                    parameter.values.size() < 2);
        EXPECT_TRUE(llvm::is_contained(
            parameter.values, getParameter(space.defaults, parameter.name)));
        bool isHint = !parameter.name.starts_with("tile_");
        EXPECT_EQ(parameter.values.front() == 0, isHint)
            << problem.describe() << ", " << parameter.name.str();
        bool isOfCPU = llvm::is_contained(
            {"register_rows", "register_vectors", "threads"}, parameter.name);
        EXPECT_EQ(isOfCPU, isHint && name == "cpu") << problem.describe();
      }
    }
}

TEST(SpaceTest, CandidatesAreTheDefaultAndEachPossibleCombinationOnce) {
  Space space;
  space.parameters = {{"tile_m", {16, 32}}, {"stages", {0, 2, 3}}};
  space.defaults.rows = 32;
  space.defaults.columns = 8;
  space.problem = [](const Parameters &candidate) -> std::string {
    return candidate.rows == 16 && candidate.stages == 3 ? "too many" : "";
  };
  std::vector<std::string> listed;
  for (const Parameters &candidate : listCandidates(space)) {
    EXPECT_EQ(candidate.columns, 8);
    listed.push_back(std::to_string(candidate.rows) + "/" +
                     std::to_string(getParameter(candidate, "stages")));
  }
  EXPECT_EQ(listed,
            (std::vector<std::string>{"32/0", "16/0", "16/2", "32/2", "32/3"}));
}

TEST(SpaceTest, ParametersByName) {
  Parameters parameters;
  int64_t value = 1;
  for (llvm::StringRef name :
       {"tile_m", "tile_n", "tile_k", "stages", "warps", "raster_group",
        "split_k", "register_rows", "register_vectors", "threads"}) {
    EXPECT_EQ(getParameter(parameters, name), 0);
    setParameter(parameters, name, value);
    EXPECT_EQ(getParameter(parameters, name), value++);
  }
  EXPECT_EQ(parameters.rows, 1);
  EXPECT_EQ(parameters.columns, 2);
  EXPECT_EQ(parameters.depth, 3);
  EXPECT_EQ(parameters.splitK, 7);
  EXPECT_EQ(parameters.registerRows, 8);
  EXPECT_EQ(parameters.registerVectors, 9);
  EXPECT_EQ(parameters.threads, 10);
  setParameter(parameters, "stages", 0);
  EXPECT_EQ(parameters.stages, std::nullopt);
}

TEST(SpaceTest, RegisterTilesOfTheCPU) {
  NamedFact facts[] = {{"block_rows", std::nullopt, 64},
                       {"block_columns", std::nullopt, 64},
                       {"dtype", "f32"},
                       {"out_dtype", "f32"}};
  Target target = *findTarget("cpu");
  auto problemOf = [&](int64_t vectorBits, int64_t rows, int64_t vectors,
                       int64_t threads = 0) {
    target.vectorBits = vectorBits;
    llvm::Expected<Space> space = getSpace("bsr_addmm", facts, target);
    EXPECT_TRUE(bool(space));
    Parameters candidate = space->defaults;
    setParameter(candidate, "register_rows", rows);
    setParameter(candidate, "register_vectors", vectors);
    setParameter(candidate, "threads", threads);
    return space->problem(candidate);
  };
  EXPECT_EQ(problemOf(256, 6, 2, 2), "");
  EXPECT_EQ(problemOf(256, 0, 4), "");
  EXPECT_EQ(problemOf(512, 6, 4), "");
  EXPECT_EQ(problemOf(256, 6, 4),
            "expected a register tile that takes at most 16 registers of 256 "
            "bits, but got 6 x 4 vectors, which take 29");
  EXPECT_EQ(problemOf(256, 8, 0),
            "expected a register tile that takes at most 16 registers of 256 "
            "bits, but got 8 x 2 vectors, which take 19");
  EXPECT_EQ(problemOf(512, 4, 3),
            "expected register_vectors to be a power of two, but got 3");
  EXPECT_EQ(problemOf(512, 33, 1),
            "expected register_rows from 0 to 32, but got 33");
  EXPECT_EQ(problemOf(512, 0, 0, 2000),
            "expected threads from 1 to 1024, but got 2000");
}

TEST(SpaceTest, ThreadsOfTheCPU) {
  NamedFact facts[] = {{"block_rows", std::nullopt, 64},
                       {"block_columns", std::nullopt, 64},
                       {"dtype", "f32"}};
  Target target = *findTarget("cpu");
  target.threads = 6;
  llvm::Expected<Space> space = getSpace("bsr_softmax", facts, target);
  ASSERT_TRUE(bool(space));
  const TunedParameter &last = space->parameters.back();
  EXPECT_EQ(last.name, "threads");
  EXPECT_EQ(last.values, (llvm::SmallVector<int64_t>{0, 1, 2, 4}));
}

TEST(SpaceTest, ARowTakesWhatASpaceCallsPossible) {
  std::mt19937 random(0);
  for (const Case &problem : listCases())
    for (llvm::StringRef name : {"cpu", "sm_80", "sm_90a"}) {
      Target target = *findTarget(name);
      Space space = spaceOf(problem, target);
      std::vector<Parameters> all = listCandidates(space);
      std::shuffle(all.begin() + 1, all.end(), random);
      all.resize(std::min<size_t>(all.size(), 20));
      // A row of a product needs known sizes.
      if (problem.op == "bsr_addmm" &&
          llvm::none_of(problem.facts,
                        [](const NamedFact &fact) { return fact.name == "m"; }))
        continue;
      for (const Parameters &candidate : all) {
        Search search{target};
        std::string row = rowOf(space, candidate, search.row);
        llvm::Expected<Choice> choice =
            choose(problem.op, {}, problem.facts, search);
        ASSERT_TRUE(bool(choice))
            << problem.describe() << " on " << name.str() << ", " << row << ": "
            << llvm::toString(choice.takeError());
        // Columns of few are rounded up where a row is made to fit, and hints
        // that are left out of a softmax are those of its tile.
        for (const TunedParameter &parameter : space.parameters)
          if (!(problem.op == "bsr_addmm" && parameter.name != "tile_k") &&
              !(llvm::StringRef(problem.op).starts_with("bsr_softmax") &&
                getParameter(candidate, parameter.name) == 0))
            EXPECT_EQ(getParameter(choice->parameters, parameter.name),
                      getParameter(candidate, parameter.name))
                << problem.describe() << " on " << name.str() << ", " << row;
      }
    }
}

TEST(SpaceTest, ImpossibleCandidatesAreNamed) {
  std::vector<NamedFact> product = {
      number("block_rows", 64), number("block_columns", 64),
      text("dtype", "bf16"), text("out_dtype", "bf16")};
  EXPECT_EQ(problemOf("bsr_addmm", product, "cpu", "tile_m=32"),
            "expected tile_m of one block row, 64, but got 32");
  EXPECT_EQ(problemOf("bsr_addmm", product, "sm_90a", "tile_m=256"),
            "expected tile_m to be a multiple of 8 that divides the block's "
            "64, or a multiple of them up to 128, but got 256");
  EXPECT_EQ(problemOf("bsr_addmm", product, "sm_80", "tile_k=48"),
            "expected tile_k to divide the block's 64, but got 48");
  EXPECT_EQ(problemOf("bsr_addmm", product, "sm_80", "tile_n=320"),
            "expected tile_n of at most 256 on sm_80, but got 320");
  EXPECT_EQ(problemOf("bsr_addmm", product, "sm_90a", "stages=8"),
            "expected bytes of 8 stages of at most 231424 on sm_90a, but got "
            "393216");
  EXPECT_EQ(problemOf("bsr_addmm", product, "sm_90a", "split_k=16"),
            "expected split_k from 1 to 8, but got 16");
  EXPECT_EQ(problemOf("bsr_addmm", product, "cpu", "stages=2"),
            "expected no stages on cpu, but got 2");
  std::vector<NamedFact> attention = {
      number("head_dim", 128), number("value_dim", 128), text("dtype", "bf16"),
      number("block_queries", 128), number("block_keys", 64)};
  EXPECT_EQ(problemOf("flex_attention", attention, "sm_90a", "tile_k=48"),
            "expected tile_k to divide the block's 64, but got 48");
  attention.resize(3);
  EXPECT_EQ(
      problemOf("flex_attention", attention, "sm_90a", "tile_m=192,tile_k=256"),
      "expected a tile whose sums and scores take registers of at most "
      "160 on sm_90a, but got 256");
  EXPECT_EQ(
      problemOf("flex_attention", attention, "sm_89", "tile_m=192,tile_k=128"),
      "expected bytes of operands of a step of at most 100352 on sm_89, "
      "but got 114688");
  EXPECT_EQ(problemOf("flex_attention_dcapture", attention, "cpu", "tile_n=64"),
            "expected tile_n of at least 128, all columns, but got 64");
  std::vector<NamedFact> blocks = {number("block_rows", 64),
                                   number("block_columns", 64),
                                   text("dtype", "bf16")};
  EXPECT_EQ(problemOf("bsr_softmax", blocks, "sm_90a", "tile_m=2"),
            "expected a tile of 1 x 64 x 1024, as sm_90a takes, but got 2 x 64 "
            "x 1024");
  EXPECT_EQ(problemOf("sampled_addmm", blocks, "sm_80", "tile_n=128"),
            "expected tile_n to divide the block's 64, but got 128");
  EXPECT_EQ(problemOf("scatter_mm", blocks, "cpu", "tile_m=24"),
            "expected tile_m to divide the block's 64, but got 24");
}

TEST(SpaceTest, UnknownOpsAndFactsAreErrors) {
  Target target = *findTarget("cpu");
  auto errorOf = [&](llvm::StringRef op, llvm::ArrayRef<NamedFact> facts) {
    llvm::Expected<Space> space = getSpace(op, facts, target);
    return space ? "" : llvm::toString(space.takeError());
  };
  EXPECT_NE(errorOf("spmm", {}).find("expected an op out of bsr_addmm"),
            std::string::npos);
  EXPECT_EQ(errorOf("bsr_softmax",
                    {number("block_rows", 8), number("block_columns", 8)}),
            "expected the fact 'dtype' or 'element_bytes'");
  EXPECT_EQ(errorOf("bsr_softmax",
                    {number("block_rows", 8), number("block_columns", 8),
                     text("dtype", "f16"), number("element_bytes", 4)}),
            "fact 'element_bytes': expected 2 of f16, but got 4");
}
