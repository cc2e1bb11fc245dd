//===- ManifestParseTest.cpp - Manifests, valid and not -------------------===//

#include "BsrProgram.h"
#include "TestPaths.h"

using namespace sattn::runtime;
using nlohmann::json;

namespace {

/// A manifest with values, a check and a step that uses every parameter.
json fullManifest() {
  json manifest = bsrManifest();
  manifest["values"] = {{{"op", "constant"}, {"value", -7}},
                        {{"op", "dim"}, {"argument", Out}, {"index", 1}},
                        {{"op", "stride"}, {"argument", B}, {"index", 0}},
                        {{"op", "add"}, {"operands", {0, 1}}},
                        {{"op", "select"}, {"operands", {3, 0, 1}}}};
  manifest["checks"] = {{{"value", 1}, {"message", "expected columns"}}};
  manifest["steps"] = {
      {{"launch", "kernel"},
       {"when", 1},
       {"grid", {1, 2, 3}},
       {"block", 128},
       {"shared", 4096},
       {"arguments",
        {{{"memref", B}},
         {{"value", 3}, {"type", "i64"}},
         {{"value", 0}, {"type", "i32"}},
         {{"scalar", Alpha}},
         {{"tensor_map",
           {{"argument", B}, {"box", {96, 64}}, {"swizzle", 128}}}}}}}};
  return manifest;
}

/// The message for a manifest that was changed.
template <class Change> std::string messageAfter(Change change) {
  json manifest = fullManifest();
  change(manifest);
  return messageOf(parseManifest(manifest.dump()));
}

} // namespace

TEST(ManifestParse, ReadsEverything) {
  Manifest manifest = parseOrDie(fullManifest());
  EXPECT_EQ(manifest.name, "f");
  EXPECT_EQ(manifest.target, "sm_90a");
  ASSERT_EQ(manifest.arguments.size(), size_t(NumArguments));
  EXPECT_FALSE(manifest.arguments[Alpha].isTensor);
  EXPECT_EQ(manifest.arguments[Values].type, DType::BF16);
  EXPECT_EQ(manifest.arguments[Values].rank, 3);
  EXPECT_EQ(manifest.arguments[Out].access, Access::Write);
  EXPECT_EQ(manifest.describeArgument(B), "argument 'b'");
  EXPECT_EQ(manifest.describeArgument(Alpha), "argument 0");

  ASSERT_EQ(manifest.contracts.size(), 1u);
  const Contract &contract = manifest.contracts[0];
  EXPECT_EQ(contract.op, "bsr_addmm");
  EXPECT_EQ(contract.find("alpha")->argument, size_t(Alpha));
  EXPECT_FALSE(contract.find("alpha")->coreRank);
  EXPECT_EQ(contract.find("values")->argument, size_t(Values));
  EXPECT_EQ(contract.find("values")->coreRank, 3u);
  EXPECT_EQ(contract.find("gamma"), nullptr);
  EXPECT_EQ(contract.operands[*contract.batches].name, "out");
  EXPECT_FALSE(contract.fused);
  const auto &offsets = std::get<EqualCheck>(contract.checks[2]);
  EXPECT_EQ(offsets.extent.argument, size_t(Crow));
  EXPECT_EQ(offsets.expected.argument, size_t(Out));
  EXPECT_EQ(offsets.expected.number, 0);
  EXPECT_EQ(offsets.expected.divisor, 64);
  EXPECT_EQ(offsets.expected.plus, 1);
  EXPECT_EQ(manifest.indexArguments(), (std::set<size_t>{Crow, Col}));

  ASSERT_EQ(manifest.values.size(), 5u);
  EXPECT_EQ(manifest.values[0].number, -7);
  EXPECT_EQ(manifest.values[1].op, ValueOp::Dim);
  EXPECT_EQ(manifest.values[1].number, 1);
  EXPECT_EQ(manifest.values[4].operands, (std::vector<size_t>{3, 0, 1}));
  ASSERT_EQ(manifest.checks.size(), 1u);
  EXPECT_EQ(manifest.checks[0].message, "expected columns");

  ASSERT_EQ(manifest.steps.size(), 1u);
  const LaunchStep &step = manifest.steps[0];
  EXPECT_EQ(step.when, 1u);
  EXPECT_EQ(step.grid, (std::array<size_t, 3>{1, 2, 3}));
  EXPECT_EQ(step.shared, 4096);
  ASSERT_EQ(step.parameters.size(), 5u);
  EXPECT_EQ(std::get<MemrefParameter>(step.parameters[0]).argument, size_t(B));
  EXPECT_EQ(std::get<ValueParameter>(step.parameters[2]).type, DType::I32);
  const auto &map = std::get<TensorMapParameter>(step.parameters[4]);
  EXPECT_EQ(map.box, (std::vector<int64_t>{96, 64}));
  EXPECT_EQ(map.swizzle, 128);
}

TEST(ManifestParse, AbsentAndNullAreNothing) {
  json manifest = fullManifest();
  json &contract = manifest["contracts"][0];
  contract["operands"][1] = {{"name", "beta"}, {"constant", 0.5}};
  contract["batches"] = nullptr;
  contract["checks"] = nullptr;
  manifest["steps"][0]["when"] = nullptr;
  Manifest parsed = parseOrDie(manifest);
  EXPECT_FALSE(parsed.contracts[0].find("beta")->argument.has_value());
  EXPECT_EQ(parsed.contracts[0].find("beta")->constant, 0.5);
  EXPECT_FALSE(parsed.contracts[0].batches);
  EXPECT_TRUE(parsed.contracts[0].checks.empty());
  EXPECT_FALSE(parsed.steps[0].when.has_value());

  Manifest bare = parseOrDie({{"version", 3},
                              {"name", "f"},
                              {"target", "cpu"},
                              {"arguments", json::array()}});
  EXPECT_TRUE(bare.values.empty());
}

TEST(ManifestParse, TensorMapOfScratch) {
  json text = fullManifest();
  text["scratch"] = {{{"element", "bf16"}, {"sizes", {1, 2}}},
                     {{"element", "bf16"}, {"sizes", {1}}}};
  json &map = text["steps"][0]["arguments"][4]["tensor_map"];
  auto refusal = [&] { return messageOf(parseManifest(text.dump())); };
  map["scratch"] = 0;
  EXPECT_TRUE(contains(refusal(), "expected one of 'argument', which may have "
                                  "'replaced', and 'scratch'"));
  map.erase("argument");
  Manifest parsed = parseOrDie(text);
  EXPECT_EQ(std::get<TensorMapParameter>(parsed.steps[0].parameters[4]).scratch,
            0u);
  map["scratch"] = 1;
  EXPECT_TRUE(contains(refusal(), "expected a box"));
  map["scratch"] = 2;
  EXPECT_TRUE(contains(refusal(), "scratch arrays"));
  map["scratch"] = 0;
  map["replaced"] = {{"when", 4}, {"scratch", 0}};
  EXPECT_TRUE(contains(refusal(), "expected one of 'argument'"));
}

TEST(ManifestParse, ScratchThatIsLeftZero) {
  json text = fullManifest();
  json &scratch = text["scratch"];
  scratch = {{{"element", "i32"}, {"sizes", {1}}, {"zero", true}}};
  EXPECT_TRUE(parseOrDie(text).scratch[0].zero);
  EXPECT_FALSE(parseOrDie(text).scratch[0].leftZero);
  scratch[0]["left_zero"] = true;
  EXPECT_TRUE(parseOrDie(text).scratch[0].leftZero);
  for (bool zero : {true, false}) {
    scratch[0]["left_zero"] = !zero;
    scratch[0]["zero"] = zero;
    EXPECT_EQ(contains(messageOf(parseManifest(text.dump())),
                       "expected 'zero' with 'left_zero'"),
              !zero);
  }
}

TEST(ManifestParse, ScratchThatReplacesAnArgument) {
  json text = fullManifest();
  text["scratch"] = {
      {{"element", "bf16"}, {"sizes", {1, 2}}, {"strides", {3, 2}}},
      {{"element", "bf16"}, {"sizes", {1}}},
      {{"element", "f32"}, {"sizes", {1, 2}}}};
  json &memref = text["steps"][0]["arguments"][0];
  json &map = text["steps"][0]["arguments"][4]["tensor_map"];
  memref["replaced"] = map["replaced"] = {{"when", 4}, {"scratch", 0}};
  Manifest parsed = parseOrDie(text);
  EXPECT_EQ(parsed.scratch[0].strides, (std::vector<size_t>{3, 2}));
  EXPECT_TRUE(parsed.scratch[1].strides.empty());
  const auto &first = std::get<MemrefParameter>(parsed.steps[0].parameters[0]);
  EXPECT_EQ(first.replaced->when, 4u);
  EXPECT_EQ(first.replaced->scratch, 0u);
  EXPECT_TRUE(std::get<TensorMapParameter>(parsed.steps[0].parameters[4])
                  .replaced.has_value());

  for (int scratch : {1, 2}) {
    memref["replaced"]["scratch"] = scratch;
    EXPECT_TRUE(contains(messageOf(parseManifest(text.dump())),
                         "expected a scratch array of bf16 and rank 2, as "
                         "argument 'b'"));
  }
  memref["replaced"] = {{"when", 4}};
  EXPECT_TRUE(contains(messageOf(parseManifest(text.dump())), "'scratch'"));
  memref["replaced"] = {{"when", 99}, {"scratch", 0}};
  EXPECT_TRUE(contains(messageOf(parseManifest(text.dump())), "when"));
  memref = {{"scratch", 0}, {"replaced", map["replaced"]}};
  EXPECT_TRUE(contains(messageOf(parseManifest(text.dump())),
                       "'memref', which may have 'replaced'"));
  memref = {{"memref", B}};
  text["scratch"][0]["strides"] = {3};
  EXPECT_TRUE(contains(messageOf(parseManifest(text.dump())),
                       "expected a stride for each of the 2 sizes, but got 1"));
}

TEST(ManifestParse, TheExampleOfTheDocumentationIsValid) {
  std::string page =
      readFile(std::string(kSourceDirectory) + "/docs/Manifest.md");
  const std::string fence = "```json\n";
  size_t begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  begin += fence.size();
  ErrorOr<Manifest> manifest =
      parseManifest(page.substr(begin, page.find("```", begin) - begin));
  ASSERT_TRUE(bool(manifest)) << messageOf(manifest);
  EXPECT_EQ(manifest->steps.size(), 1u);
}

TEST(ManifestParse, NotAManifest) {
  EXPECT_TRUE(contains(messageOf(parseManifest("")), "expected JSON"));
  EXPECT_TRUE(
      contains(messageOf(parseManifest("{\"version\": 3,")), "expected JSON"));
  EXPECT_TRUE(contains(messageOf(parseManifest("[1]")), "expected an object"));
  EXPECT_TRUE(contains(messageOf(parseManifest(std::string(100000, '['))),
                       "expected JSON"));
  EXPECT_TRUE(contains(messageOf(parseManifest("{\"version\": 1, \"x\": 0}")),
                       "root: expected version 3, but got 1"));
  EXPECT_TRUE(contains(messageOf(parseManifest("{\"version\": \"1\"}")),
                       "root.version: expected an integer"));
}

TEST(ManifestParse, EveryPrefixIsRefused) {
  std::string text = fullManifest().dump();
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(bool(parseManifest(text.substr(0, length)))) << length;
}

TEST(ManifestParse, EveryMemberMayBeOfAnotherKind) {
  // Whatever stands anywhere, parsing ends in a manifest or an error.
  json manifest = fullManifest().flatten();
  for (auto item = manifest.begin(); item != manifest.end(); ++item)
    for (json other :
         {json(nullptr), json(true), json(-1), json(1.5), json("x"), json(""),
          json(uint64_t(1) << 63), json(1000000), json("a\0b")}) {
      json changed = manifest;
      changed[item.key()] = other;
      ErrorOr<Manifest> parsed = parseManifest(changed.unflatten().dump());
      if (!parsed)
        EXPECT_EQ(messageOf(parsed).find("manifest: "), 0u) << item.key();
    }
}

TEST(ManifestParse, Root) {
  EXPECT_TRUE(contains(messageAfter([](json &m) { m.erase("name"); }),
                       "root: expected the key 'name'"));
  EXPECT_TRUE(contains(messageAfter([](json &m) { m["extra"] = 1; }),
                       "root: unknown key 'extra'"));
  for (const char *target :
       {"gpu", "sm_", "sm_9", "sm_9x", "sm_90b", "sm_9000"})
    EXPECT_TRUE(
        contains(messageAfter([&](json &m) { m["target"] = target; }),
                 "expected target 'cpu' or one like 'sm_90a', but got"));
}

TEST(ManifestParse, Arguments) {
  auto after = [](const char *key, json value) {
    return messageAfter([&](json &m) { m["arguments"][Values][key] = value; });
  };
  EXPECT_TRUE(contains(after("kind", "array"),
                       "root.arguments[4]: expected kind 'tensor' or "
                       "'scalar', but got 'array'"));
  EXPECT_TRUE(contains(after("element", "f8"), "unknown type 'f8'"));
  EXPECT_TRUE(contains(after("rank", -1), "root.arguments[4].rank: expected"));
  EXPECT_TRUE(contains(after("name", ""), "expected a string that is not"));
  EXPECT_TRUE(contains(after("access", "rw"), "expected access 'read'"));
  EXPECT_TRUE(contains(after("type", "f32"), "unknown key 'type'"));
  EXPECT_TRUE(contains(
      messageAfter([](json &m) { m["arguments"][Alpha]["type"] = "f16"; }),
      "expected a scalar of type f32 or f64, but got f16"));
}

TEST(ManifestParse, ContractOperands) {
  auto after = [](int operand, const char *key, json value) {
    return messageAfter(
        [&](json &m) { m["contracts"][0]["operands"][operand][key] = value; });
  };
  const int alpha = 0, crow = 2;
  EXPECT_TRUE(contains(after(crow, "argument", 10),
                       "root.contracts[0].operands[2].argument: expected an "
                       "index of one of 10 arguments, but got 10"));
  EXPECT_TRUE(contains(after(crow, "argument", Alpha),
                       "expected 'argument' to be a tensor, but got scalar"));
  EXPECT_TRUE(contains(after(alpha, "argument", B),
                       "expected 'argument' to be a scalar, but got tensor "
                       "argument 'b'"));
  EXPECT_TRUE(contains(after(alpha, "constant", 1),
                       "expected either 'argument' or 'constant' for 'alpha'"));
  EXPECT_TRUE(contains(after(alpha, "argument", nullptr),
                       "expected either 'argument' or 'constant' for 'alpha'"));
  EXPECT_TRUE(contains(after(crow, "name", "alpha"),
                       "expected different names, but got 'alpha' twice"));
  EXPECT_TRUE(contains(after(crow, "types", {"i32", "u8"}),
                       "operands[2].types[1]: unknown type 'u8'"));
  EXPECT_TRUE(contains(after(crow, "rank", -1), "operands[2].rank: expected"));
  EXPECT_TRUE(contains(after(crow, "type_of", "gamma"),
                       "expected 'type_of' to be a tensor operand, but got "
                       "'gamma'"));
  auto ofContract = [](const char *key, json value) {
    return messageAfter([&](json &m) { m["contracts"][0][key] = value; });
  };
  EXPECT_TRUE(contains(ofContract("fused", 1), "expected true or false"));
  EXPECT_TRUE(contains(ofContract("block", 1), "unknown key 'block'"));
  EXPECT_TRUE(contains(ofContract("batches", "alpha"),
                       "expected 'batches' to be a tensor operand"));
}

TEST(ManifestParse, ContractChecks) {
  auto after = [](json check) {
    return messageAfter(
        [&](json &m) { m["contracts"][0]["checks"] = json::array({check}); });
  };
  EXPECT_TRUE(contains(after({{"check", "prime"}}),
                       "root.contracts[0].checks[0]: unknown check 'prime'"));
  EXPECT_TRUE(contains(
      after(extentCheck("equal", B, 2, "N", {{"to", extentOf(Out, -1)}})),
      "extent.dimension: expected an integer in [-2, 1]"));
  EXPECT_TRUE(contains(
      after(extentCheck("equal", Alpha, 0, "N", {{"to", extentOf(Out, -1)}})),
      "expected 'argument' to be a tensor"));
  EXPECT_TRUE(contains(
      after(extentCheck("equal", B, 1, "N", {{"to", {{"constant", 8}}}})),
      "expected the key 'reason' with a constant"));
  EXPECT_TRUE(contains(
      after(extentCheck("equal", B, 1, "N", {{"to", {{"constant", -1}}}})),
      "to.constant: expected"));
  EXPECT_TRUE(contains(
      after(extentCheck("multiple", B, 1, "N", {{"of", 0}, {"reason", "it"}})),
      "checks[0].of: expected"));
  json divided = {{"check", "at_least"},
                  {"what", "offset"},
                  {"least", 1},
                  {"extent", extentOf(Crow, 0)}};
  divided["extent"]["divided_by"] = 2;
  EXPECT_TRUE(contains(after(divided),
                       "expected 'extent' to be the dimension of an argument"));
  EXPECT_TRUE(contains(after({{"check", "offsets"},
                              {"argument", Values},
                              {"into", Col},
                              {"equally_many", json::array()}}),
                       "expected 'argument' to be an operand with elements of "
                       "i32 or i64, but got argument 'values'"));
  EXPECT_TRUE(contains(after({{"check", "read_only"}, {"arguments", {Alpha}}}),
                       "arguments[0]: expected a tensor, but got scalar"));
}

/// Indices must be operands: nothing else tells that their batches fit.
TEST(ManifestParse, IndicesAreOperands) {
  EXPECT_TRUE(contains(
      messageAfter([](json &m) { m["contracts"][0]["operands"].erase(3); }),
      "expected 'into' to be an operand with elements of i32 or i64, but got "
      "argument 'col'"));
}

TEST(ManifestParse, ReadsFusedContracts) {
  json manifest = fullManifest();
  manifest["contracts"][0]["fused"] = true;
  EXPECT_TRUE(parseOrDie(manifest).contracts[0].fused);
}

TEST(ManifestParse, TypesAndRanksWithoutBatches) {
  auto after = [](int operand, int argument) {
    return messageAfter([&](json &m) {
      m["contracts"] = json::array({storageContract()});
      m["contracts"][0]["operands"][operand]["argument"] = argument;
      m["contracts"][0]["checks"] = nullptr;
    });
  };
  EXPECT_TRUE(contains(after(2, Values),
                       "expected 'crow' to be of i32 or i64, but argument "
                       "'values' is of bf16"));
  EXPECT_TRUE(contains(after(0, B),
                       "expected 'values' to have rank 3 or more, but argument "
                       "'b' has rank 2"));
}

TEST(ManifestParse, ContractTypesAndRanks) {
  auto after = [](int argument, const char *key, json value) {
    return messageAfter(
        [&](json &m) { m["arguments"][argument][key] = value; });
  };
  EXPECT_TRUE(contains(after(Crow, "element", "f32"),
                       "expected 'crow' to be of i32 or i64, but argument "
                       "'crow' is of f32"));
  EXPECT_TRUE(contains(after(Col, "element", "i8"), "expected 'col' to be"));
  EXPECT_TRUE(
      contains(after(Values, "element", "i8"), "expected 'values' to be"));
  EXPECT_TRUE(contains(after(B, "element", "f16"),
                       "expected 'b' to be of the same type as 'values'"));
  EXPECT_TRUE(contains(after(Input, "element", "f32"), "'input'"));
  EXPECT_TRUE(contains(after(Left, "element", "f16"),
                       "expected 'left' to be of f32 or the same type"));
  EXPECT_TRUE(contains(after(Right, "element", "f64"), "'right'"));
  EXPECT_TRUE(contains(after(Out, "element", "f64"), "'out'"));
  EXPECT_TRUE(contains(after(Out, "rank", 1),
                       "expected 'out' to have rank 2 and at most 0 batch"));
  EXPECT_TRUE(contains(after(Values, "rank", 4), "'values' to have rank 3"));
  EXPECT_TRUE(contains(after(Left, "rank", 0), "'left' to have rank 1"));
  EXPECT_TRUE(contains(after(Out, "access", "read"),
                       "expected 'out' to be written, but argument 'out'"));
}

TEST(ManifestParse, Values) {
  auto after = [](int index, const char *key, json value) {
    return messageAfter([&](json &m) { m["values"][index][key] = value; });
  };
  EXPECT_TRUE(
      contains(after(3, "op", "pow"), "root.values[3]: unknown op 'pow'"));
  EXPECT_TRUE(contains(after(3, "operands", {0, 3}),
                       "root.values[3].operands[1]: expected an index of one "
                       "of 3 earlier values, but got 3"));
  EXPECT_TRUE(contains(after(3, "operands", {0, -1}), "but got -1"));
  EXPECT_TRUE(
      contains(after(3, "operands", {0}), "expected 2 operands, but got 1"));
  EXPECT_TRUE(
      contains(after(4, "operands", {0, 1}), "expected 3 operands, but got 2"));
  EXPECT_TRUE(contains(after(1, "index", 2),
                       "expected an index of one of 2 dimensions, but got 2"));
  EXPECT_TRUE(contains(after(1, "argument", Beta), "to be a tensor"));
  EXPECT_TRUE(contains(after(0, "value", 1.5), "expected an integer"));
  EXPECT_TRUE(contains(after(0, "value", uint64_t(1) << 63),
                       "but got 9223372036854775808"));
  EXPECT_TRUE(
      contains(after(0, "operands", json::array()), "unknown key 'operands'"));
}

TEST(ManifestParse, ChecksAndSteps) {
  EXPECT_TRUE(
      contains(messageAfter([](json &m) { m["checks"][0]["value"] = 5; }),
               "root.checks[0].value: expected an index of one of 5 values"));
  auto after = [](const char *key, json value) {
    return messageAfter([&](json &m) { m["steps"][0][key] = value; });
  };
  EXPECT_TRUE(contains(after("launch", ""), "root.steps[0].launch"));
  EXPECT_TRUE(
      contains(after("launch", std::string("a\0b", 3)), "no null characters"));
  EXPECT_TRUE(contains(after("when", 5), "root.steps[0].when: expected"));
  EXPECT_TRUE(contains(after("grid", {1, 2}), "expected a grid of 3 values"));
  EXPECT_TRUE(contains(after("grid", {1, 2, 5}), "root.steps[0].grid[2]"));
  EXPECT_TRUE(contains(after("block", 1025),
                       "expected an integer in [1, 1024], but got 1025"));
  EXPECT_TRUE(contains(after("shared", -1), "root.steps[0].shared"));
}

TEST(ManifestParse, Parameters) {
  auto after = [](json parameter) {
    return messageAfter([&](json &m) {
      m["steps"][0]["arguments"] = json::array({parameter});
    });
  };
  EXPECT_TRUE(contains(after(json::object()),
                       "root.steps[0].arguments[0]: expected one of"));
  EXPECT_TRUE(
      contains(after({{"memref", B}, {"scalar", Alpha}}), "expected one of"));
  EXPECT_TRUE(contains(after({{"value", 1}}), "expected one of"));
  EXPECT_TRUE(contains(after({{"memref", Alpha}}), "to be a tensor"));
  EXPECT_TRUE(contains(after({{"scalar", B}}), "to be a scalar"));
  EXPECT_TRUE(
      contains(after({{"value", 5}, {"type", "i64"}}), "one of 5 values"));
  EXPECT_TRUE(contains(after({{"value", 1}, {"type", "f32"}}),
                       "expected a value of type i32 or i64, but got f32"));
  auto map = [&](json box, int swizzle) {
    return after({{"tensor_map",
                   {{"argument", B}, {"box", box}, {"swizzle", swizzle}}}});
  };
  EXPECT_TRUE(contains(map({64}, 128),
                       "arguments[0].tensor_map: expected a box of 2 extents, "
                       "but got [64]"));
  EXPECT_TRUE(contains(map({257, 64}, 128), "box[0]: expected an integer in"));
  EXPECT_TRUE(contains(map({64, 128}, 128),
                       "rows are at most the swizzle's 128 bytes, but got "
                       "256"));
  EXPECT_TRUE(contains(map({64, 64}, 100), "expected swizzle 0, 32, 64 or"));
}
