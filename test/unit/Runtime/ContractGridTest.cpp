//===- ContractGridTest.cpp - Offsets of matrices in a grid ---------------===//

#include "TestUtils.h"
#include "sattn/Runtime/Contract.h"

#include <nlohmann/json.hpp>

using namespace sattn::runtime;
using nlohmann::json;

namespace {

enum { Places, Grid };

class ContractGrid : public ::testing::Test {
protected:
  /// 2 x 3 matrices of 4 x 5: a matrix of 8 x 15.
  std::vector<int64_t> places = {0, 10, 65}, shape = {2, 3, 4, 5};
  std::vector<float> grid = std::vector<float>(120);
  json check = {{"check", "in_grid"}, {"argument", Places}, {"grid", Grid}};

  std::string message(ContentCheck contents = ContentCheck::On) {
    auto tensor = [](const char *name, const char *element, int64_t rank) {
      return json{{"kind", "tensor"},
                  {"element", element},
                  {"rank", rank},
                  {"name", name},
                  {"access", "read"}};
    };
    int64_t rank = int64_t(shape.size());
    json text = {{"version", 3},
                 {"name", "f"},
                 {"target", "cpu"},
                 {"arguments",
                  {tensor("places", "i64", 1), tensor("grid", "f32", rank)}},
                 {"contracts",
                  {{{"op", "places"},
                    {"operands",
                     {{{"name", "places"}, {"argument", Places}, {"rank", 1}},
                      {{"name", "grid"}, {"argument", Grid}, {"rank", rank}}}},
                    {"checks", {check}}}}}};
    ErrorOr<Manifest> manifest = parseManifest(text.dump());
    if (!manifest)
      return messageOf(manifest);
    std::vector<Argument> arguments = {
        rowMajorView(places.data(), DType::I64, {int64_t(places.size())}),
        rowMajorView(grid.data(), DType::F32, shape)};
    return messageOf(checkContracts(*manifest, arguments, contents));
  }
};

} // namespace

TEST_F(ContractGrid, OffsetsOfMatrices) {
  EXPECT_EQ(message(), "<success>");
  places = {65, 0, 0};
  EXPECT_EQ(message(), "<success>");
  places = {};
  EXPECT_EQ(message(), "<success>");
}

TEST_F(ContractGrid, OtherOffsets) {
  // In a matrix: at its second column, or its second row; and beyond the end.
  for (int64_t wrong : {1, 15, 120, 60 + 15, -60, -1}) {
    places[1] = wrong;
    EXPECT_EQ(message(), "argument 'places': expected offsets of matrices of 4 "
                         "x 5 in a grid of 2 x 3 such matrices, but got " +
                             std::to_string(wrong) + " at [1]");
  }
  EXPECT_EQ(message(ContentCheck::Off), "<success>");
}

TEST_F(ContractGrid, DistinctOffsets) {
  check["distinct"] = true;
  EXPECT_EQ(message(), "<success>");
  places = {60, 5, 60};
  EXPECT_EQ(message(), "argument 'places': expected offsets that differ, but "
                       "got 60 at [0] and at [2]");
}

TEST_F(ContractGrid, GridsWithoutMatrices) {
  places = {0};
  for (size_t dim = 0; dim < 4; ++dim) {
    shape = {2, 3, 4, 5};
    shape[dim] = 0;
    EXPECT_TRUE(contains(message(), "but got 0 at [0]"));
  }
}

TEST_F(ContractGrid, ManifestsThatAreNone) {
  check["grid"] = 2;
  EXPECT_TRUE(contains(message(), "grid"));
  check["grid"] = Grid;
  shape = {3, 4, 5};
  EXPECT_TRUE(contains(message(), "expected 'grid' to have rank 4 or more"));
}
