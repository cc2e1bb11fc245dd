//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include "sattn/MetaTable/TableFile.h"
#include "sattn/Tuning/Ops.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

using namespace sattn;
using namespace sattn::meta;
namespace fs = llvm::sys::fs;

static constexpr char kText[] =
    R"({"format": "sattn-meta-table", "version": 1, "sections": [
  {"op": "bsr_addmm", "device": "CPU \"x\"", "version": 0, "dtype": "bf16", "out_dtype": "f32", "sparsity": 0.50, "parameters": ["tile_n", "stages"], "rows": [
    [[64, 64, 32, 16, 16, true, false, true], [64, 3]],
    [[64, 64, 64, 16, 16, true, false, true], [128, 2]]
  ]},
  {"op": "bsr_addmm", "device": "NVIDIA A100", "version": 0, "dtype": "bf16", "sparsity": 0.56, "parameters": ["SPLIT_N"], "rows": [
    [[192, 192, 256, 64, 64, false, true, true], [4]]
  ]}
]}
)";

static Table parse(llvm::StringRef text) {
  std::vector<std::string> problems;
  llvm::Expected<Table> table =
      parseTable(text, "a table", tuning::allSchemas(), problems);
  EXPECT_TRUE(bool(table)) << llvm::toString(table.takeError());
  EXPECT_TRUE(problems.empty());
  return std::move(*table);
}

static constexpr char kTiles[] =
    R"({"format": "sattn-meta-table", "version": 1, "sections": [
  {"op": "bsr_addmm", "device": "NVIDIA H200", "version": 0, "dtype": "bf16", "sparsity": 0.90, "parameters": ["tile_m", "tile_n", "tile_k", "stages"], "rows": [
    [[64, 64, 64, 64, 64, true, false, true], [64, 128, 64, 3]]
  ]}
]}
)";

namespace {
class TableFileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("table", folder));
    path = (folder + "/sub/table.json").str();
  }
  void TearDown() override { fs::remove_directories(folder); }

  std::string contents() {
    auto file = llvm::MemoryBuffer::getFile(path);
    return file ? (*file)->getBuffer().str() : "";
  }
  llvm::Error merge(const Section &section) {
    return updateTable(path, tuning::allSchemas(), [&](Table &table) {
      return mergeSection(table, section);
    });
  }

  llvm::SmallString<128> folder;
  std::string path;
};
} // namespace

TEST_F(TableFileTest, PrintsWhatItReads) {
  EXPECT_EQ(printTable(parse(kText)), kText);
  EXPECT_EQ(printTable(Table()),
            "{\"format\": \"sattn-meta-table\", \"version\": 1, \"sections\": "
            "[\n]}\n");
  parse(printTable(Table()));
}

TEST_F(TableFileTest, MergesRowsInTheirPlaces) {
  Table table = parse(kText);
  Section section = table.sections[0];
  section.rows = {{{64, 64, 32, 16, 16, 1, 0, 1}, {32, 4}},
                  {{64, 64, 48, 16, 16, 1, 0, 1}, {16, 2}}};
  ASSERT_FALSE(bool(mergeSection(table, section)));
  ASSERT_EQ(table.sections[0].rows.size(), 3u);
  EXPECT_EQ(table.sections[0].rows[0].values[0], 32);
  EXPECT_EQ(table.sections[0].rows[1].key[2], 48);
  EXPECT_EQ(table.sections.size(), 2u);
}

TEST_F(TableFileTest, RowsOfOtherParametersAreAnError) {
  Table table = parse(kText);
  Section section = table.sections[1];
  section.parameters = {"tile_n"};
  EXPECT_EQ(llvm::toString(mergeSection(table, section)),
            "expected rows of SPLIT_N, which those of bsr_addmm, NVIDIA A100, "
            "bf16, sparsity 0.56 in a table have, but got rows of tile_n");
}

TEST_F(TableFileTest, RowsMayLackWhatIsLeftToThePasses) {
  // Rows of blocks of 64 have no number of warps, those of 16 have one.
  Table table = parse(kTiles);
  Section section = table.sections[0];
  section.parameters = {"warps", "tile_n", "tile_m", "tile_k"};
  section.rows = {{{64, 64, 32, 16, 16, 1, 0, 1}, {4, 32, 16, 16}}};
  ASSERT_FALSE(bool(mergeSection(table, section)));
  const Section &merged = table.sections[0];
  ASSERT_EQ(merged.parameters,
            (llvm::SmallVector<std::string, 6>{"tile_m", "tile_n", "tile_k",
                                               "stages", "warps"}));
  ASSERT_EQ(merged.rows.size(), 2u);
  EXPECT_EQ(merged.rows[0].values,
            (llvm::SmallVector<int64_t, 6>{16, 32, 16, 0, 4}));
  EXPECT_EQ(merged.rows[1].values,
            (llvm::SmallVector<int64_t, 6>{64, 128, 64, 3, 0}));
  EXPECT_EQ(printTable(parse(printTable(table))), printTable(table));
}

TEST_F(TableFileTest, MakesTheFileAndItsFolder) {
  Table table = parse(kText);
  for (const Section &section : table.sections)
    ASSERT_FALSE(bool(merge(section)));
  EXPECT_EQ(contents(), kText);
}

TEST_F(TableFileTest, LeavesAFileThatItDoesNotUnderstand) {
  ASSERT_FALSE(bool(merge(parse(kText).sections[0])));
  for (llvm::StringRef text :
       {"junk", "{\"format\": \"sattn-meta-table\", \"version\": 2}"}) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    EXPECT_TRUE(llvm::errorToBool(merge(parse(kText).sections[1])));
    EXPECT_EQ(contents(), text);
  }
}

TEST_F(TableFileTest, WritersWaitForEachOther) {
  std::vector<std::thread> writers;
  for (int64_t writer = 0; writer < 8; ++writer)
    writers.emplace_back([&, writer] {
      Section section = parse(kText).sections[0];
      for (int64_t i = 0; i < 5; ++i) {
        section.rows = {
            {{64, 64, 100 * writer + i + 1, 16, 16, 1, 0, 1}, {32, 4}}};
        EXPECT_FALSE(llvm::errorToBool(merge(section)));
      }
    });
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(parse(contents()).sections[0].rows.size(), 40u);
}
