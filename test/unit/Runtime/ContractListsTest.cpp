//===- ContractListsTest.cpp - What lists of blocks and numbers hold ------===//

#include "TestUtils.h"
#include "sattn/Runtime/Contract.h"

#include <nlohmann/json.hpp>

using namespace sattn::runtime;
using nlohmann::json;

namespace {

enum { Lengths, Counts, Lists, Keys };

/// Lengths within the rows of keys, and lists of blocks of 16 of these.
json listsManifest() {
  json arguments = json::array(), operands = json::array();
  auto add = [&](const char *name, int rank) {
    int index = int(arguments.size());
    arguments.push_back({{"kind", "tensor"},
                         {"element", "i32"},
                         {"rank", rank},
                         {"name", name},
                         {"access", "read"}});
    operands.push_back({{"name", name}, {"argument", index}, {"rank", rank}});
  };
  add("lengths", 1);
  add("counts", 2);
  add("lists", 3);
  add("keys", 1);
  json keys = {{"argument", Keys}, {"dimension", 0}};
  json blocks = keys;
  blocks["divided_by"] = 16;
  blocks["rounded_up"] = true;
  return {{"version", 3},
          {"name", "f"},
          {"target", "cpu"},
          {"arguments", arguments},
          {"contracts",
           {{{"op", "lists"},
             {"operands", operands},
             {"checks",
              {{{"check", "within"},
                {"argument", Lengths},
                {"what", "key lengths"},
                {"most", keys}},
               {{"check", "listed"},
                {"argument", Lists},
                {"counts", Counts},
                {"what", "blocks of keys"},
                {"below", blocks}}}}}}}};
}

class ContractLists : public ::testing::Test {
protected:
  /// 40 keys, which are three blocks; two heads of two lists of at most two.
  std::vector<int32_t> lengths = {0, 40}, counts = {0, 2, 1, 2},
                       lists = {9, 9, 2, 0, 1, -9, 2, 2},
                       keys = std::vector<int32_t>(40);
  std::vector<int64_t> countShape = {2, 2}, listShape = {2, 2, 2};
  json text = listsManifest();

  std::string message(ContentCheck contents = ContentCheck::On) {
    ErrorOr<Manifest> manifest = parseManifest(text.dump());
    if (!manifest)
      return messageOf(manifest);
    auto view = [](std::vector<int32_t> &data, std::vector<int64_t> shape) {
      return rowMajorView(data.data(), DType::I32, std::move(shape));
    };
    std::vector<Argument> arguments = {
        view(lengths, {int64_t(lengths.size())}), view(counts, countShape),
        view(lists, listShape), view(keys, {int64_t(keys.size())})};
    return messageOf(checkContracts(*manifest, arguments, contents));
  }
};

} // namespace

TEST_F(ContractLists, EntriesAfterTheCountAreNotRead) {
  EXPECT_EQ(message(), "<success>");
}

TEST_F(ContractLists, LengthsOutOfRange) {
  lengths[1] = 41;
  EXPECT_EQ(message(), "argument 'lengths': expected key lengths in [0, 40], "
                       "but got 41 at [1]");
  EXPECT_EQ(message(ContentCheck::Off), "<success>");
  lengths[1] = -1;
  EXPECT_EQ(message(), "argument 'lengths': expected key lengths in [0, 40], "
                       "but got -1 at [1]");
}

TEST_F(ContractLists, CountsOutOfRange) {
  counts[3] = 3;
  EXPECT_EQ(message(), "argument 'counts': expected counts in [0, 2], the "
                       "length of a list of argument 'lists', but got 3 at "
                       "[1, 1]");
  counts[3] = -1;
  EXPECT_TRUE(contains(message(), "but got -1 at [1, 1]"));
}

TEST_F(ContractLists, EntriesOutOfRange) {
  lists[6] = 3;
  EXPECT_EQ(message(), "argument 'lists': expected blocks of keys in [0, 3), "
                       "but got 3 at [1, 1, 0]");
  lists[6] = -2;
  EXPECT_TRUE(contains(message(), "but got -2 at [1, 1, 0]"));
}

TEST_F(ContractLists, WholeBlocks) {
  text["contracts"][0]["checks"][1]["below"].erase("rounded_up");
  EXPECT_TRUE(contains(message(), "in [0, 2), but got 2 at [0, 1, 0]"));
}

TEST_F(ContractLists, TheLastEntryMayBeGreater) {
  json &check = text["contracts"][0]["checks"][1];
  check["last_below"] = check["below"];
  check["below"].erase("rounded_up");
  EXPECT_TRUE(contains(message(), "in [0, 2), but got 2 at [0, 1, 0]"));
  std::swap(lists[2], lists[3]);
  EXPECT_TRUE(contains(message(), "in [0, 2), but got 2 at [1, 1, 0]"));
  lists[6] = 0;
  EXPECT_EQ(message(), "<success>");
  lists[7] = 3;
  EXPECT_TRUE(contains(message(), "in [0, 3), but got 3 at [1, 1, 1]"));
}

TEST_F(ContractLists, DimensionsOfOneBroadcast) {
  countShape = {1, 2};
  counts = {0, 2};
  lists[5] = 0;
  EXPECT_TRUE(contains(message(), "<success>"));
  lists[7] = 5;
  EXPECT_TRUE(contains(message(), "but got 5 at [1, 1, 1]"));
  listShape = {1, 2, 2};
  EXPECT_EQ(message(), "<success>");
}

TEST_F(ContractLists, OneListForAll) {
  listShape = {1, 1, 2};
  lists = {1, 4};
  counts = {0, 1, 1, 2};
  EXPECT_TRUE(contains(message(), "but got 4 at [0, 0, 1]"));
}

TEST_F(ContractLists, ShapesThatDoNotFit) {
  listShape = {2, 1, 2};
  countShape = {4, 1};
  EXPECT_EQ(message(), "argument 'lists': expected lists of shape [4, 1], one "
                       "for each count, but got [2, 1]");
}

TEST_F(ContractLists, NoLists) {
  countShape = {0, 2};
  listShape = {0, 2, 2};
  EXPECT_EQ(message(), "<success>");
}

TEST_F(ContractLists, FaultsOfTheManifest) {
  json &checks = text["contracts"][0]["checks"];
  json former = checks;
  checks[1]["counts"] = int(Lengths);
  EXPECT_TRUE(contains(message(), "expected 'counts' to have rank 2, one for "
                                  "each list, but got argument 'lengths'"));
  checks = former;
  checks[0]["least"] = 1;
  EXPECT_TRUE(contains(message(), "unknown key 'least'"));
  checks = former;
  checks[1].erase("below");
  EXPECT_TRUE(contains(message(), "expected the key 'below'"));
  checks = former;
  checks[0]["most"]["rounded_up"] = 1;
  EXPECT_TRUE(contains(message(), "expected true or false, but got 1"));
}
