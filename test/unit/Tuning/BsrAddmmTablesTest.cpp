//===- BsrAddmmTablesTest.cpp - Search order, shipped table, default ------===//

#include "TestTable.h"

#include "sattn/Tuning/BsrAddmm.h"
#include "sattn/Tuning/Ops.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace sattn::meta;
using namespace sattn::tuning;
using sattn::tuning::bsr_addmm::Problem;

namespace {
/// A folder that is the user's own, so that no table of the machine is read.
class BsrAddmmTablesTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("sattn-meta", folder));
    setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
    unsetenv("SATTN_META_TABLE");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  /// Writes a table whose only row has a GROUP_SIZE_ROW of `group`.
  std::string write(llvm::StringRef name, int64_t group) {
    return writeText(
        name,
        tableText({SectionText{row(256, std::to_string(group) + ", 4, 3, 4")}
                       .str()}));
  }
  std::string writeText(llvm::StringRef name, llvm::StringRef text) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    EXPECT_FALSE(error) << error.message();
    os << text;
    return std::string(path);
  }

  llvm::SmallString<128> folder;
};
} // namespace

static Target hopper() {
  Target target = *findTarget("sm_90a");
  target.sharedBytes = 227 * 1024;
  return target;
}

static Problem problem(int64_t block = 64) {
  Problem result;
  result.m = 512;
  result.n = 256;
  result.blockRows = result.blockColumns = block;
  return result;
}

static Choice choose(llvm::ArrayRef<Table> tables, const Query &query,
                     const Problem &problem, const Target &target) {
  return sattn::tuning::choose(
      tables, query,
      [&](const Section &section, const Row &row) {
        return bsr_addmm::fitRow(section, row, problem, target);
      },
      [&] { return bsr_addmm::defaultParameters(problem, target); },
      [&](const Parameters &parameters) {
        return bsr_addmm::estimateCycles(problem, parameters, target);
      });
}

/// The group that the tables give, which tells them apart; 0 for the default,
/// which asks for no stages.
static int64_t group(llvm::ArrayRef<Table> tables) {
  Parameters chosen =
      choose(tables, makeQuery(256), problem(), hopper()).parameters;
  return chosen.stages ? chosen.rasterGroup.value_or(0) : 0;
}

TEST_F(BsrAddmmTablesTest, ArgumentThenEnvironmentThenUserThenShipped) {
  std::vector<std::string> problems;
  EXPECT_EQ(group(sattn::tuning::loadTables("", problems)), 0);
  write("sattn/meta-table.json", 1);
  EXPECT_EQ(group(sattn::tuning::loadTables("", problems)), 1);
  setenv("SATTN_META_TABLE", write("named.json", 2).c_str(), 1);
  EXPECT_EQ(group(sattn::tuning::loadTables("", problems)), 2);
  EXPECT_EQ(
      group(sattn::tuning::loadTables(write("argument.json", 3), problems)), 3);
  EXPECT_EQ(sattn::tuning::loadTables("", problems).back().name,
            "the shipped table");
  EXPECT_TRUE(problems.empty());
}

TEST_F(BsrAddmmTablesTest, UsersTableOfTheHomeFolder) {
  unsetenv("XDG_CONFIG_HOME");
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(userTablePath(), "/home/someone/.config/sattn/meta-table.json");
  unsetenv("HOME");
  EXPECT_EQ(userTablePath(), "");
}

TEST_F(BsrAddmmTablesTest, TablesThatCannotBeUsedAreReportedAndLeftOut) {
  setenv("SATTN_META_TABLE", writeText("broken.json", "{\"format\": 1").c_str(),
         1);
  writeText("sattn/meta-table.json",
            R"({"format": "sattn-meta-table", "version": 9, "sections": []})");
  std::vector<std::string> problems;
  std::vector<Table> tables =
      sattn::tuning::loadTables("/no/such/table.json", problems);
  EXPECT_EQ(tables.size(), 1u);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_NE(problems[0].find("/no/such/table.json"), std::string::npos);
  EXPECT_NE(problems[1].find("broken.json': expected JSON"), std::string::npos);
  EXPECT_NE(problems[2].find("but got 9"), std::string::npos);
}

TEST_F(BsrAddmmTablesTest, ShippedTableIsValid) {
  std::vector<std::string> problems;
  llvm::Expected<Table> table =
      parseTable(shippedTableText(), "shipped", allSchemas(), problems);
  ASSERT_TRUE(bool(table)) << llvm::toString(table.takeError());
  EXPECT_TRUE(problems.empty()) << problems.front();
  size_t rows = 0;
  for (const Section &section : table->sections)
    rows += section.rows.size();
  EXPECT_EQ(table->sections.size(), 11u);
  EXPECT_EQ(rows, 39u);
}

TEST_F(BsrAddmmTablesTest, RowOfTheShippedTable) {
  std::vector<std::string> problems;
  std::vector<Table> tables = sattn::tuning::loadTables("", problems);
  Query query = makeQuery(512);
  query.key[0] = query.key[1] = 192;
  query.sparsity = 56;
  Target target = *findTarget("sm_80");
  target.sharedBytes = 163 * 1024;
  Problem small = problem();
  small.m = 192;
  small.n = 512;
  Choice choice = choose(tables, query, small, target);
  EXPECT_EQ(choice.origin,
            "row (192, 192, 512, 64, 64, true, false, true) of bsr_addmm, "
            "NVIDIA A100-SXM4-80GB, bf16, sparsity 0.56 in the shipped table "
            "(exact)");
  EXPECT_EQ(choice.parameters.columns, 64);
  EXPECT_EQ(choice.parameters.stages, 3);
  EXPECT_EQ(choice.parameters.warps, 4);
  EXPECT_EQ(choice.parameters.rasterGroup, 2);
}

TEST_F(BsrAddmmTablesTest, MissIsNamed) {
  Choice choice = choose({}, makeQuery(256), problem(), hopper());
  EXPECT_EQ(choice.origin,
            "the computed default (no table has a row that does for bsr_addmm "
            "(512, 512, 256, 64, 64, true, false, true), NVIDIA "
            "A100-SXM4-80GB, bf16, sparsity 0.50)");
  EXPECT_TRUE(choice.problems.empty());
  EXPECT_GT(choice.parameters.columns, 0);
}

TEST_F(BsrAddmmTablesTest, RowThatFitsNothingIsNamedAndTheNextTableIsSearched) {
  SectionText large{row(256, "1024, 256, 64")}, other{row(256, "64, 128, 64")};
  large.parameters = other.parameters = R"(["tile_m", "tile_n", "tile_k"])";
  Table first = makeTable({large.str()}), second = makeTable({other.str()});
  std::string problem0 =
      "row (512, 512, 256, 64, 64, true, false, true) of bsr_addmm, NVIDIA "
      "A100-SXM4-80GB, bf16, sparsity 0.50 in test (exact) fits no tile: "
      "expected a tile of at most 512 rows on sm_90a, but got 1024";
  Choice choice = choose({first, second}, makeQuery(256), problem(), hopper());
  EXPECT_EQ(choice.problems, std::vector<std::string>{problem0});
  EXPECT_EQ(choice.parameters.rows, 64);
  EXPECT_EQ(choice.parameters.columns, 128);
  choice = choose({first}, makeQuery(256), problem(), hopper());
  EXPECT_EQ(choice.problems, std::vector<std::string>{problem0});
  EXPECT_EQ(choice.origin.substr(0, 20), "the computed default");
}
