//===- ExplainTest.cpp - What a call of a program would do ----------------===//

#include "BsrProgram.h"

#include "sattn/Runtime/Explain.h"

using namespace sattn::runtime;
using nlohmann::json;

namespace {

/// A kernel whose aligned specialization needs b and out to be TMA-compatible,
/// out to have whole chunks and right unit strides, as wgtile-version-kernels
/// asks for it.
json versionedManifest() {
  json manifest = bsrManifest();
  auto binary = [](const char *op, int a, int b) -> json {
    return {{"op", op}, {"operands", {a, b}}};
  };
  auto constant = [](int value) -> json {
    return {{"op", "constant"}, {"value", value}};
  };
  auto read = [](const char *op, int argument, int index) -> json {
    return {{"op", op}, {"argument", argument}, {"index", index}};
  };
  manifest["values"] = {
      constant(1),                                        // 0
      {{"op", "tma_compatible"}, {"argument", int(B)}},   // 1
      {{"op", "tma_compatible"}, {"argument", int(Out)}}, // 2
      binary("and", 1, 2),                                // 3
      read("dim", Out, 1),                                // 4
      constant(8),                                        // 5
      binary("floordiv", 4, 5),                           // 6
      binary("mul", 6, 5),                                // 7
      binary("eq", 7, 4),                                 // 8
      binary("and", 3, 8),                                // 9
      read("stride", Right, 0),                           // 10
      binary("eq", 10, 0),                                // 11
      read("dim", Right, 0),                              // 12
      constant(2),                                        // 13
      binary("lt", 12, 13),                               // 14
      binary("or", 11, 14),                               // 15
      binary("and", 9, 15),                               // 16
      constant(0),                                        // 17
      binary("eq", 16, 17),                               // 18
  };
  auto step = [](const char *kernel, json when, const char *version) -> json {
    return {{"launch", kernel},
            {"when", when},
            {"grid", {0, 0, 0}},
            {"block", 128},
            {"shared", 0},
            {"version", version},
            {"arguments", json::array()},
            {"tuning",
             {{"parameters", "tile = [64, 128, 64]"},
              {"origin", "the computed default"}}}};
  };
  manifest["steps"] = {step("f", 16, "aligned"),
                       step("f_generic", 18, "generic")};
  return manifest;
}

/// The only kernel of a call: its name and the reasons for it.
std::vector<std::string> explain(BsrArguments &arguments) {
  Manifest manifest = parseOrDie(versionedManifest());
  ErrorOr<std::vector<KernelChoice>> choices =
      explainCall(manifest, arguments.arguments);
  if (!choices)
    return {choices.error().message()};
  EXPECT_EQ(choices->size(), 1u);
  const KernelChoice &choice = choices->front();
  EXPECT_EQ(choice.parameters, "tile = [64, 128, 64]");
  EXPECT_EQ(choice.origin, "the computed default");
  std::vector<std::string> text = {choice.kernel + ": " + choice.version};
  text.insert(text.end(), choice.reasons.begin(), choice.reasons.end());
  return text;
}

using Texts = std::vector<std::string>;

/// Moves the elements of b away from all others, whatever its strides.
void moveB(BsrArguments &arguments, std::vector<int64_t> strides) {
  TensorView &b = arguments.tensor(B);
  b.data = static_cast<char *>(b.data) + (int64_t(1) << 30);
  b.strides = std::move(strides);
}

} // namespace

TEST(Explain, Aligned) {
  BsrArguments arguments;
  EXPECT_EQ(explain(arguments), Texts({"f: aligned"}));
}

TEST(Explain, RowsOfNoMultiple) {
  BsrArguments arguments;
  moveB(arguments, {2047, 1});
  EXPECT_EQ(explain(arguments),
            Texts({"f_generic: generic",
                   "`b` has rows of 4094 bytes; TMA needs a multiple of 16"}));
}

TEST(Explain, Address) {
  BsrArguments arguments;
  TensorView &b = arguments.tensor(B);
  b.data = static_cast<char *>(b.data) + 6;
  EXPECT_EQ(explain(arguments),
            Texts({"f_generic: generic", "`b` begins 6 bytes past a multiple "
                                         "of 16; TMA needs a multiple"}));
}

TEST(Explain, Transposed) {
  BsrArguments arguments;
  arguments.tensor(B).strides = {1, 96};
  EXPECT_EQ(explain(arguments),
            Texts({"f_generic: generic", "`b` has elements 96 apart in its "
                                         "rows; TMA needs a stride of 1"}));
}

TEST(Explain, Reversed) {
  BsrArguments arguments;
  moveB(arguments, {-40, 1});
  EXPECT_EQ(explain(arguments),
            Texts({"f_generic: generic",
                   "`b` has rows of -40 elements; TMA needs a positive "
                   "stride"}));
}

TEST(Explain, EveryReason) {
  BsrArguments arguments;
  for (BsrArgument index : {B, Input, Out}) {
    TensorView &tensor = arguments.tensor(index);
    tensor.shape[1] = 37;
    tensor.strides[0] = 37;
  }
  arguments.tensor(Right).shape[0] = 37;
  arguments.tensor(Right).strides[0] = 3;
  EXPECT_EQ(
      explain(arguments),
      Texts({"f_generic: generic",
             "`b` has rows of 74 bytes; TMA needs a multiple of 16",
             "`out` has rows of 74 bytes; TMA needs a multiple of 16",
             "`out` has rows of 37 elements, 74 bytes; TMA stores a multiple "
             "of 16",
             "`right` has elements 3 apart in its rows; vectors of them need "
             "a stride of 1"}));
}

/// As wgtile-version-kernels asks for a padded copy of b, of which the program
/// makes one of at most 100 elements.
TEST(Explain, CopiesThatAreTooLarge) {
  json text = versionedManifest();
  text["values"].push_back({{"op", "dim"}, {"argument", B}, {"index", 0}});
  text["values"].push_back({{"op", "constant"}, {"value", 100}});
  text["values"].push_back({{"op", "le"}, {"operands", {19, 20}}});
  text["values"].push_back({{"op", "or"}, {"operands", {1, 21}}});
  text["values"].push_back({{"op", "eq"}, {"operands", {22, 17}}});
  text["steps"].erase(0);
  text["steps"][0]["when"] = 23;
  BsrArguments arguments;
  moveB(arguments, {2047, 1});
  auto reasons = [&] {
    auto choices = explainCall(parseOrDie(text), arguments.arguments);
    return choices && !choices->empty() ? choices->at(0).reasons : Texts();
  };
  // A matrix of 96 rows.
  EXPECT_EQ(reasons(), Texts());
  text["values"][20]["value"] = 95;
  EXPECT_EQ(reasons(),
            Texts({"`b` has rows of 4094 bytes; TMA needs a multiple of 16",
                   "a copy of `b` that TMA takes would have more than 190 "
                   "bytes"}));
}

/// Memory of the program's own, which has rows as long as b has.
TEST(Explain, SizesOfScratch) {
  json text = versionedManifest();
  text["values"][4] = {{"op", "dim"}, {"argument", B}, {"index", 0}};
  text["values"][5]["value"] = 64;
  BsrArguments arguments;
  auto reasons = [&] {
    auto choices = explainCall(parseOrDie(text), arguments.arguments);
    return choices && !choices->empty() ? choices->at(0).reasons : Texts();
  };
  EXPECT_EQ(reasons(),
            Texts({"`b` has 96 elements along dimension 0, of which memory of "
                   "the program's own has rows; TMA takes a multiple of 16 "
                   "bytes"}));
  text["values"][8] = {{"op", "le"}, {"operands", {4, 5}}};
  EXPECT_EQ(reasons(), Texts({"`b` has an extent of 96; TMA takes memory of at "
                              "most 64"}));
}

TEST(Explain, ReasonOfTheCompiler) {
  json text = versionedManifest();
  text["steps"].erase(0);
  text["steps"][0]["when"] = nullptr;
  text["steps"][0]["reason"] = "it is so";
  BsrArguments arguments;
  auto choices = explainCall(parseOrDie(text), arguments.arguments);
  ASSERT_TRUE(bool(choices));
  EXPECT_EQ(choices->at(0).reasons, Texts({"it is so"}));
}

TEST(Explain, ArgumentsThatDoNotFit) {
  BsrArguments arguments;
  arguments.tensor(B).shape[1] = 41;
  EXPECT_TRUE(contains(explain(arguments)[0], "argument 'b'"));
}

TEST(Explain, UnknownKeyOfTuning) {
  json text = versionedManifest();
  text["steps"][0]["tuning"]["rows"] = 3;
  EXPECT_TRUE(contains(messageOf(parseManifest(text.dump())), "rows"));
}
