//===- LookupTest.cpp - Every rule of look-up
//------------------------------===//

#include "TestTable.h"

using namespace sattn::meta;

/// GROUP_SIZE_ROW of the row that is found, by which the rows are told apart;
/// -1 where none is.
static int64_t found(const Table &table, const Query &query) {
  std::optional<Match> match = lookup(table, query);
  return match ? match->section->get(*match->row, "GROUP_SIZE_ROW").value()
               : -1;
}

static std::string how(const Table &table, const Query &query) {
  std::optional<Match> match = lookup(table, query);
  if (!match)
    return "";
  std::string text = match->describe();
  return text.substr(text.rfind('('));
}

TEST(LookupTest, ExactBeforeAllElse) {
  Table table = makeTable(
      {SectionText{row(256, "1, 4, 3, 4")}.str(),
       SectionText{row(512, "2, 4, 3, 4") + "," + row(256, "3, 4, 3, 4"), kA100,
                   R"("bf16")", "0.9"}
           .str()});
  Query query = makeQuery(256);
  query.sparsity = 90;
  EXPECT_EQ(found(table, query), 3);
  EXPECT_EQ(how(table, query), "(exact)");
}

TEST(LookupTest, EveryPartOfTheKeyCounts) {
  Table table = makeTable({SectionText{row(256, "1, 4, 3, 4")}.str()});
  for (size_t i = 0; i < 8; ++i) {
    Query query = makeQuery(256);
    // Another flag, or half the size; half of N has no smaller row either.
    query.key[i] = i < 5 ? query.key[i] / 2 : 1 - query.key[i];
    EXPECT_EQ(found(table, query), -1) << "part " << i;
  }
  Query query = makeQuery(256);
  EXPECT_EQ(found(table, query), 1);
  query.schema = sattn::tuning::allSchemas().back();
  EXPECT_EQ(found(table, query), -1);
  query = makeQuery(256);
  query.dtype = query.outDtype = "f16";
  EXPECT_EQ(found(table, query), -1);
}

TEST(LookupTest, SparsityOneHalf) {
  Table table = makeTable({SectionText{row(256, "1, 4, 3, 4")}.str()});
  Query query = makeQuery(256);
  query.sparsity = 80;
  EXPECT_EQ(found(table, query), 1);
  EXPECT_EQ(how(table, query), "(of sparsity 0.5)");
  query.exact = true;
  EXPECT_EQ(found(table, query), -1);
}

TEST(LookupTest, NoOtherSparsityThanOneHalf) {
  Table table = makeTable(
      {SectionText{row(256, "1, 4, 3, 4"), kA100, R"("bf16")", "0.56"}.str()});
  Query query = makeQuery(256);
  query.sparsity = 55;
  EXPECT_EQ(found(table, query), -1);
  query.sparsity = 56;
  EXPECT_EQ(found(table, query), 1);
}

TEST(LookupTest, DtypeAlone) {
  SectionText own{row(256, "2, 4, 3, 4")};
  own.dtype = R"("bf16", "out_dtype": "f32")";
  SectionText alone{row(256, "1, 4, 3, 4") + "," + row(512, "3, 8, 3, 4")};
  Table table = makeTable({alone.str(), own.str()});
  Query query = makeQuery(256);
  EXPECT_EQ(found(table, query), 1);
  query.outDtype = "f32";
  EXPECT_EQ(found(table, query), 2);
  query.key[kKeyN] = 512;
  EXPECT_EQ(found(table, query), 3);
  EXPECT_EQ(how(table, query), "(of the operands' type alone)");
  query.exact = true;
  EXPECT_EQ(found(table, query), -1);
}

TEST(LookupTest, AnyNTakesTheLargestThatDivides) {
  // Widths of tiles: 64, 128, 96, 64.
  Table table = makeTable(
      {SectionText{row(128, "1, 2, 3, 4") + "," + row(256, "2, 2, 3, 4") + "," +
                   row(288, "3, 3, 3, 4") + "," + row(1024, "4, 16, 3, 4")}
           .str()});
  EXPECT_EQ(found(table, makeQuery(512)), 2); // 96 does not divide 512.
  EXPECT_EQ(how(table, makeQuery(512)), "(of a smaller N with the same tiles)");
  EXPECT_EQ(found(table, makeQuery(576)), 3);  // 6 tiles of 96.
  EXPECT_EQ(found(table, makeQuery(320)), 1);  // 5 tiles of 64.
  EXPECT_EQ(found(table, makeQuery(2048)), 4); // 32 tiles of 64.
  EXPECT_EQ(found(table, makeQuery(64)), -1);  // No smaller row.
  EXPECT_EQ(found(table, makeQuery(1000)), -1);
  Query query = makeQuery(512);
  query.exact = true;
  EXPECT_EQ(found(table, query), -1);
}

TEST(LookupTest, AnyNOfOurOwnTiles) {
  SectionText section{row(256, "64, 128, 64")};
  section.parameters = R"(["tile_m", "tile_n", "tile_k"])";
  Table table = makeTable({section.str()});
  EXPECT_TRUE(lookup(table, makeQuery(384)));
  EXPECT_FALSE(lookup(table, makeQuery(320)));
}

namespace {
/// Rows of an op whose nearest shorter length does, told apart by `tile`.
constexpr llvm::StringLiteral kKey[] = {"L", "D", "B", "causal==1"};
constexpr llvm::StringLiteral kNames[] = {"tile", "hint"};
constexpr llvm::StringLiteral kZeroNames[] = {"B", "hint"};
constexpr OpSchema kLengths = {"lengths", kKey,    kNames,  0,         nullptr,
                               nullptr,   nullptr, nullptr, kZeroNames};
/// The same without such a size.
constexpr OpSchema kFixed = {"fixed", kKey, kNames};
constexpr const OpSchema *kSchemas[] = {&kLengths, &kFixed};

Table makeOwnTable(llvm::StringRef op, llvm::StringRef rows,
                   std::vector<std::string> &problems) {
  std::string section = (R"({"op": ")" + op + R"(", "device": ")" + kA100 +
                         R"(", "version": 0, "dtype": "bf16", "sparsity": 0.5,
        "parameters": ["tile", "hint"], "rows": [)" +
                         rows + "]}")
                            .str();
  llvm::Expected<Table> table =
      parseTable(tableText({section}), "test", kSchemas, problems);
  if (table)
    return std::move(*table);
  ADD_FAILURE() << llvm::toString(table.takeError());
  return Table();
}

/// `tile` of the row for a key; -1 where none is found.
int64_t foundTile(const Table &table, const OpSchema &schema,
                  std::initializer_list<int64_t> key, bool exact = false) {
  Query query;
  query.schema = &schema;
  query.device = kA100;
  query.dtype = "bf16";
  query.key = key;
  query.exact = exact;
  std::optional<Match> match = lookup(table, query);
  return match ? match->section->get(*match->row, "tile").value() : -1;
}
} // namespace

TEST(LookupTest, NearestShorterLengthWhereTilesNeedNotDivideIt) {
  std::vector<std::string> problems;
  Table table = makeOwnTable("lengths", R"([[512, 64, 0, false], [1, 2]],
      [[1024, 64, 0, false], [2, 2]], [[4096, 64, 0, false], [3, 2]],
      [[1024, 128, 0, false], [4, 2]], [[1024, 64, 0, true], [5, 2]],
      [[1024, 64, 128, false], [6, 2]])",
                             problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(foundTile(table, kLengths, {1024, 64, 0, 0}), 2);
  EXPECT_EQ(foundTile(table, kLengths, {1025, 64, 0, 0}), 2);
  EXPECT_EQ(foundTile(table, kLengths, {4095, 64, 0, 0}), 2);
  EXPECT_EQ(foundTile(table, kLengths, {100000, 64, 0, 0}), 3);
  EXPECT_EQ(foundTile(table, kLengths, {511, 64, 0, 0}), -1);
  // All else stays the same.
  EXPECT_EQ(foundTile(table, kLengths, {2000, 128, 0, 0}), 4);
  EXPECT_EQ(foundTile(table, kLengths, {2000, 64, 0, 1}), 5);
  EXPECT_EQ(foundTile(table, kLengths, {2000, 64, 128, 0}), 6);
  EXPECT_EQ(foundTile(table, kLengths, {2000, 96, 0, 0}), -1);
  EXPECT_EQ(foundTile(table, kLengths, {2000, 64, 0, 0}, /*exact=*/true), -1);
}

TEST(LookupTest, DescribesAShorterLength) {
  std::vector<std::string> problems;
  Table table =
      makeOwnTable("lengths", "[[512, 64, 0, false], [1, 2]]", problems);
  Query query;
  query.schema = &kLengths;
  query.device = kA100;
  query.dtype = "bf16";
  query.key = {600, 64, 0, 0};
  EXPECT_EQ(how(table, query), "(of a smaller L)");
}

TEST(LookupTest, WithoutANearSizeKeysAreEqual) {
  std::vector<std::string> problems;
  Table table =
      makeOwnTable("fixed", "[[512, 64, 1, false], [1, 2]]", problems);
  EXPECT_EQ(foundTile(table, kFixed, {512, 64, 1, 0}), 1);
  EXPECT_EQ(foundTile(table, kFixed, {1024, 64, 1, 0}), -1);
  EXPECT_EQ(foundTile(table, kLengths, {512, 64, 1, 0}), -1);
}

TEST(LookupTest, NumbersThatMayBeZero) {
  std::vector<std::string> problems;
  Table table = makeOwnTable("lengths", R"([[512, 64, 0, false], [1, 0]],
      [[512, 0, 0, false], [2, 0]], [[512, 32, 0, false], [0, 1]])",
                             problems);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_NE(problems[0].find("expected D from 1 to"), std::string::npos);
  EXPECT_NE(problems[1].find("expected tile from 1 to 65536, but got 0"),
            std::string::npos);
  const Section &section = table.sections.front();
  ASSERT_EQ(section.rows.size(), 1u);
  EXPECT_EQ(section.get(section.rows.front(), "tile"), 1);
  // A row leaves the hint to the passes.
  EXPECT_EQ(section.get(section.rows.front(), "hint"), std::nullopt);
}

TEST(LookupTest, SameNOfSparsityOneHalfBeforeAnotherN) {
  SectionText sparse{row(256, "1, 4, 3, 4")};
  sparse.sparsity = "0.9";
  Table table =
      makeTable({sparse.str(), SectionText{row(512, "2, 8, 3, 4")}.str()});
  Query query = makeQuery(512);
  query.sparsity = 90;
  EXPECT_EQ(found(table, query), 2);
  query.key[kKeyN] = 384;
  EXPECT_EQ(found(table, query), 1);
}

TEST(LookupTest, A100sTakeTheRowsOfTheSXM4) {
  Table table = makeTable({SectionText{row(256, "1, 4, 3, 4")}.str()});
  for (const char *device :
       {"NVIDIA A100-PCIE-40GB", "NVIDIA A100", "NVIDIA A100 80GB PCIe"}) {
    Query query = makeQuery(256);
    query.device = device;
    EXPECT_EQ(found(table, query), 1) << device;
    EXPECT_EQ(how(table, query), "(of the device's family)");
    query.exact = true;
    EXPECT_EQ(found(table, query), -1) << device;
  }
  for (const char *device : {"NVIDIA A1000", "NVIDIA H200", "NVIDIA A10"}) {
    Query query = makeQuery(256);
    query.device = device;
    EXPECT_EQ(found(table, query), -1) << device;
  }
}

TEST(LookupTest, AnotherA100HasNoRowsForTheFamily) {
  SectionText section{row(256, "1, 4, 3, 4")};
  section.device = "NVIDIA A100-PCIE-40GB";
  Table table = makeTable({section.str()});
  EXPECT_EQ(found(table, makeQuery(256)), -1);
}

TEST(LookupTest, HoppersAreOneFamily) {
  SectionText section{row(256, "1, 4, 3, 4")}, second{row(256, "2, 4, 3, 4")};
  section.device = "NVIDIA H200";
  second.device = "NVIDIA H100 80GB HBM3";
  Table table = makeTable({section.str(), second.str()});
  Query query = makeQuery(256);
  query.device = "NVIDIA H200";
  EXPECT_EQ(found(table, query), 1);
  query.device = "NVIDIA GH200 480GB"; // The first by name.
  EXPECT_EQ(found(table, query), 2);
  query.device = "NVIDIA H100 PCIe";
  EXPECT_EQ(found(table, query), 2);
  query.device = "NVIDIA H20";
  EXPECT_EQ(found(table, query), -1);
}

TEST(LookupTest, OwnDeviceByAnyRuleBeforeTheFamily) {
  SectionText own{row(128, "1, 2, 3, 4")};
  own.device = "NVIDIA A100-PCIE-40GB";
  Table table =
      makeTable({own.str(), SectionText{row(256, "2, 4, 3, 4")}.str()});
  Query query = makeQuery(256);
  query.device = own.device;
  EXPECT_EQ(found(table, query), 1);
  query.key[kKeyN] = 64 * 3;
  EXPECT_EQ(found(table, query), 1);
}

TEST(LookupTest, AnotherVersionIsNotSeen) {
  Table table = makeTable({SectionText{row(256, "1, 4, 3, 4")}.str()});
  Query query = makeQuery(256);
  query.version = 1;
  EXPECT_EQ(found(table, query), -1);
}

TEST(LookupTest, ListTakesAnyNumberInTheOpenPositions) {
  Table table = makeTable(
      {SectionText{row(512, "2, 4, 3, 4") + "," + row(256, "1, 4, 3, 4")}
           .str()});
  std::vector<std::optional<int64_t>> pattern(8);
  pattern[0] = 512;
  std::vector<Match> matches = list(table, makeQuery(0), pattern);
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches[0].row->key[kKeyN], 256);
  EXPECT_EQ(matches[1].row->key[kKeyN], 512);
  pattern[kKeyN] = 512;
  matches = list(table, makeQuery(0), pattern);
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].row->key[kKeyN], 512);
  pattern[0] = 256;
  EXPECT_TRUE(list(table, makeQuery(0), pattern).empty());
}

TEST(LookupTest, ListTakesTheFamilyButNoOtherSparsity) {
  Table table = makeTable({SectionText{row(256, "1, 4, 3, 4")}.str()});
  std::vector<std::optional<int64_t>> pattern(8);
  Query query = makeQuery(0);
  query.device = "NVIDIA A100-PCIE-40GB";
  EXPECT_EQ(list(table, query, pattern).size(), 1u);
  query.exact = true;
  EXPECT_TRUE(list(table, query, pattern).empty());
  query = makeQuery(0);
  query.sparsity = 80;
  EXPECT_TRUE(list(table, query, pattern).empty());
}

TEST(LookupTest, DescribesRowAndQuery) {
  SectionText section{row(256, "1, 4, 3, 4")};
  section.version = "2";
  Table table = makeTable({section.str()});
  Query query = makeQuery(512);
  query.device = "NVIDIA A100-PCIE-40GB";
  query.version = 2;
  query.outDtype = "f32";
  query.sparsity = 5;
  std::optional<Match> match = lookup(table, query);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->describe(),
            "row (512, 512, 256, 64, 64, true, false, true) of bsr_addmm, "
            "NVIDIA A100-SXM4-80GB, bf16, sparsity 0.50, version 2 in test (of "
            "sparsity 0.5, of the operands' type alone, of a smaller N with "
            "the same tiles, of the device's family)");
  EXPECT_EQ(query.describe(),
            "bsr_addmm (512, 512, 512, 64, 64, true, false, true), NVIDIA "
            "A100-PCIE-40GB, bf16 to f32, sparsity 0.05, version 2");
}
