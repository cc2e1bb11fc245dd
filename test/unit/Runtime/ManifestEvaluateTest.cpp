//===- ManifestEvaluateTest.cpp - The integers of a manifest --------------===//

#include "BsrProgram.h"

#include <limits>

using namespace sattn::runtime;
using nlohmann::json;

namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min();
constexpr int64_t greatest = std::numeric_limits<int64_t>::max();

/// The result of one operation on two constants.
ErrorOr<int64_t> binary(const char *op, int64_t a, int64_t b) {
  Manifest manifest = parseOrDie({{"version", 3},
                                  {"name", "f"},
                                  {"target", "cpu"},
                                  {"arguments", json::array()},
                                  {"values",
                                   {{{"op", "constant"}, {"value", a}},
                                    {{"op", "constant"}, {"value", b}},
                                    {{"op", op}, {"operands", {0, 1}}}}}});
  ErrorOr<std::vector<int64_t>> values = evaluate(manifest, {});
  if (!values)
    return values.takeError();
  return values->back();
}

int64_t result(const char *op, int64_t a, int64_t b) {
  ErrorOr<int64_t> value = binary(op, a, b);
  EXPECT_TRUE(bool(value)) << op << " " << a << " " << b << messageOf(value);
  return value ? *value : -999;
}

} // namespace

TEST(ManifestEvaluate, Arithmetic) {
  EXPECT_EQ(result("add", 3, -5), -2);
  EXPECT_EQ(result("sub", 3, -5), 8);
  EXPECT_EQ(result("mul", 3, -5), -15);
  EXPECT_EQ(result("min", 3, -5), -5);
  EXPECT_EQ(result("max", 3, -5), 3);
  EXPECT_EQ(result("and", 6, 3), 2);
  EXPECT_EQ(result("or", 6, 3), 7);
}

TEST(ManifestEvaluate, DivisionAgreesWithItsDefinition) {
  // Searched for, rather than divided: the quotient q of a by b is the greatest
  // with q * b <= a (b > 0), or q * b >= a (b < 0).
  for (int64_t a = -20; a <= 20; ++a)
    for (int64_t b = -6; b <= 6; ++b) {
      if (b == 0)
        continue;
      int64_t floor = -100;
      while (b > 0 ? (floor + 1) * b <= a : (floor + 1) * b >= a)
        ++floor;
      int64_t ceil = floor * b == a ? floor : floor + 1;
      EXPECT_EQ(result("floordiv", a, b), floor) << a << " " << b;
      EXPECT_EQ(result("ceildiv", a, b), ceil) << a << " " << b;
      EXPECT_EQ(result("mod", a, b), a - b * floor) << a << " " << b;
    }
  EXPECT_EQ(result("mod", least, -1), 0);
  EXPECT_EQ(result("floordiv", least, 1), least);
  EXPECT_EQ(result("ceildiv", greatest, 2), greatest / 2 + 1);
}

TEST(ManifestEvaluate, Comparisons) {
  for (auto [a, b] : {std::pair(-1, 2), std::pair(2, -1), std::pair(2, 2)}) {
    EXPECT_EQ(result("eq", a, b), a == b);
    EXPECT_EQ(result("ne", a, b), a != b);
    EXPECT_EQ(result("lt", a, b), a < b);
    EXPECT_EQ(result("le", a, b), a <= b);
    EXPECT_EQ(result("gt", a, b), a > b);
    EXPECT_EQ(result("ge", a, b), a >= b);
  }
}

TEST(ManifestEvaluate, OverflowIsAnError) {
  for (auto [op, a, b] : {std::tuple("add", greatest, int64_t(1)),
                          std::tuple("add", least, int64_t(-1)),
                          std::tuple("sub", least, int64_t(1)),
                          std::tuple("mul", greatest, int64_t(2)),
                          std::tuple("mul", least, int64_t(-1)),
                          std::tuple("floordiv", least, int64_t(-1)),
                          std::tuple("ceildiv", least, int64_t(-1))})
    EXPECT_TRUE(contains(messageOf(binary(op, a, b)),
                         "program 'f': values[2]: the result does not fit in "
                         "64 bits"))
        << op;
}

TEST(ManifestEvaluate, DivisionByZeroIsAnError) {
  for (const char *op : {"floordiv", "ceildiv", "mod"})
    EXPECT_TRUE(contains(messageOf(binary(op, 7, 0)),
                         "values[2]: division of 7 by zero"))
        << op;
}

TEST(ManifestEvaluate, DimensionsAndSelect) {
  json json = bsrManifest();
  json["values"] = {{{"op", "dim"}, {"argument", Values}, {"index", 2}},
                    {{"op", "stride"}, {"argument", Values}, {"index", 0}},
                    {{"op", "constant"}, {"value", 0}},
                    {{"op", "select"}, {"operands", {0, 1, 2}}},
                    {{"op", "select"}, {"operands", {2, 1, 0}}}};
  Manifest manifest = parseOrDie(json);
  BsrArguments arguments;
  ErrorOr<std::vector<int64_t>> values =
      evaluate(manifest, arguments.arguments);
  ASSERT_TRUE(bool(values)) << messageOf(values);
  EXPECT_EQ(*values, (std::vector<int64_t>{32, 2048, 0, 2048, 32}));

  // Arguments that were not checked are errors too.
  EXPECT_TRUE(contains(messageOf(evaluate(manifest, {})),
                       "argument 'values': expected a tensor"));
  arguments.make(Values, DType::BF16, {3});
  EXPECT_TRUE(contains(messageOf(evaluate(manifest, arguments.arguments)),
                       "argument 'values': expected rank 3, but got 1"));
}

TEST(ManifestEvaluate, TheFirstFailingCheckSpeaks) {
  json json = bsrManifest();
  json["values"] = {{{"op", "constant"}, {"value", 5}},
                    {{"op", "constant"}, {"value", 0}}};
  json["checks"] = {{{"value", 0}, {"message", "holds"}},
                    {{"value", 1}, {"message", "argument 'b': no"}},
                    {{"value", 1}, {"message", "second"}}};
  Manifest manifest = parseOrDie(json);
  EXPECT_EQ(messageOf(runChecks(manifest, {5, 0})), "argument 'b': no");
  EXPECT_FALSE(bool(runChecks(manifest, {5, -1})));
}

TEST(ManifestEvaluate, MessagesHaveNumbers) {
  Manifest manifest;
  auto say = [&](std::string message) {
    manifest.checks = {{1, std::move(message)}};
    return messageOf(runChecks(manifest, {-5, 0, 12}));
  };
  EXPECT_EQ(say("expected {2}, but got {0}"), "expected 12, but got -5");
  EXPECT_EQ(say("{2}{2}"), "1212");
  // Braces that hold no position of a value stay.
  EXPECT_EQ(say("{3} {} {2 {x} {"), "{3} {} {2 {x} {");
}

TEST(ManifestTarget, Parses) {
  auto target = parseGpuTarget("sm_90a");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->major, 9);
  EXPECT_EQ(target->minor, 0);
  EXPECT_EQ(target->suffix, 'a');
  target = parseGpuTarget("sm_103");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->major, 10);
  EXPECT_EQ(target->minor, 3);
  EXPECT_EQ(target->suffix, 0);
  EXPECT_FALSE(parseGpuTarget("cpu").has_value());
}

TEST(ManifestEvaluate, TmaCompatibleSaysWhetherATensorMapCanBeMade) {
  Manifest manifest =
      parseOrDie({{"version", 3},
                  {"name", "f"},
                  {"target", "cpu"},
                  {"arguments",
                   {{{"kind", "tensor"},
                     {"element", "bf16"},
                     {"rank", 2},
                     {"name", "b"},
                     {"access", "read"}}}},
                  {"values", {{{"op", "tma_compatible"}, {"argument", 0}}}}});
  auto compatible = [&](uintptr_t address, std::vector<int64_t> shape,
                        std::vector<int64_t> strides) {
    TensorView tensor{reinterpret_cast<void *>(address), DType::BF16,
                      std::move(shape), std::move(strides)};
    ErrorOr<std::vector<int64_t>> values = evaluate(manifest, {tensor});
    EXPECT_TRUE(bool(values)) << messageOf(values);
    return values ? values->front() : -1;
  };
  EXPECT_EQ(compatible(0x1000, {4, 40}, {40, 1}), 1);
  EXPECT_EQ(compatible(0x1000, {4, 40}, {0, 1}), 1);
  // A row of its own may have any stride.
  EXPECT_EQ(compatible(0x1000, {1, 36}, {36, 1}), 1);
  EXPECT_EQ(compatible(0x1000, {0, 40}, {40, 1}), 1);
  EXPECT_EQ(compatible(0x1008, {4, 40}, {40, 1}), 0);
  EXPECT_EQ(compatible(0x1000, {4, 36}, {36, 1}), 0);
  EXPECT_EQ(compatible(0x1000, {40, 4}, {1, 40}), 0);
  EXPECT_EQ(compatible(0x1000, {4, 40}, {-40, 1}), 0);
}
