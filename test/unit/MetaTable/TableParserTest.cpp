//===- TableParserTest.cpp - Files of tables ------------------------------===//

#include "TestTable.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/stat.h>

using namespace sattn::meta;

/// The error of a text that is no table.
static std::string errorOf(llvm::StringRef text) {
  std::vector<std::string> problems;
  llvm::Expected<Table> table =
      parseTable(text, "t.json", sattn::tuning::allSchemas(), problems);
  EXPECT_TRUE(problems.empty());
  if (!table)
    return llvm::toString(table.takeError());
  return "";
}

/// The problem of the only row of a table, which is left out.
static std::string problemOf(const SectionText &section) {
  std::vector<std::string> problems;
  llvm::Expected<Table> table =
      parseTable(tableText({section.str()}), "t.json",
                 sattn::tuning::allSchemas(), problems);
  if (!table)
    return "error: " + llvm::toString(table.takeError());
  EXPECT_EQ(problems.size(), table->sections[0].rows.empty() ? 1u : 0u);
  return problems.empty() ? "" : problems[0];
}

static const std::string kRow = row(256, "1, 4, 3, 4");

TEST(TableParserTest, ReadsRowsInTheOrderOfTheirKeys) {
  Table table =
      makeTable({SectionText{row(512, "2, 8, 3, 4") + "," + kRow}.str()});
  ASSERT_EQ(table.sections.size(), 1u);
  const Section &section = table.sections[0];
  EXPECT_EQ(section.device, kA100);
  EXPECT_EQ(section.dtype, "bf16");
  EXPECT_EQ(section.outDtype, "");
  EXPECT_EQ(section.sparsity, 50);
  ASSERT_EQ(section.rows.size(), 2u);
  EXPECT_EQ(section.rows[0].key[kKeyN], 256);
  EXPECT_EQ(section.get(section.rows[0], "SPLIT_N"), 4);
  EXPECT_EQ(section.get(section.rows[0], "stages"), std::nullopt);
}

TEST(TableParserTest, ResultOfTheOperandsTypeIsNoTypeOfItsOwn) {
  SectionText section{kRow};
  section.dtype = R"("bf16", "out_dtype": "bf16")";
  EXPECT_EQ(makeTable({section.str()}).sections[0].outDtype, "");
}

TEST(TableParserTest, ReadsRowsOfScatterMm) {
  Table table = makeTable(
      {R"({"op": "scatter_mm", "device": "d", "version": 0, "dtype": "f16",
           "sparsity": 0.5, "parameters": ["GROUP_SIZE", "SPLIT_N", "TILE_M",
           "TILE_N", "num_stages", "num_warps"],
           "rows": [[[256, 256, 512, 32, 32], [4, 2, 32, 64, 1, 4]]]})"});
  Query query;
  query.schema = table.sections[0].schema;
  query.device = "d";
  query.dtype = "f16";
  query.key = {256, 256, 1024, 32, 32};
  std::optional<Match> match = lookup(table, query);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->section->get(*match->row, "TILE_N"), 64);
}

TEST(TableParserTest, TextThatIsNoTable) {
  EXPECT_EQ(errorOf("[]"),
            "meta table 't.json': expected an object, but got an array");
  EXPECT_EQ(errorOf("{}"), "meta table 't.json': expected \"format\": "
                           "\"sattn-meta-table\", but got nothing");
  EXPECT_EQ(errorOf(R"({"format": "sattn-meta-table", "version": 2})"),
            "meta table 't.json': expected \"version\": 1 of the format, the "
            "only one that is known, but got 2");
  EXPECT_EQ(errorOf(R"({"format": "sattn-meta-table", "version": 1})"),
            "meta table 't.json': expected an array \"sections\", but got "
            "nothing");
}

TEST(TableParserTest, TruncatedAnywhere) {
  std::string text = tableText({SectionText{kRow}.str()});
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(errorOf(llvm::StringRef(text).take_front(size)), "") << size;
  EXPECT_EQ(errorOf(text), "");
  EXPECT_NE(errorOf(llvm::StringRef(text).take_front(40))
                .find("meta table 't.json': expected JSON, but got "),
            std::string::npos);
}

TEST(TableParserTest, DeepNestingIsRefusedBeforeItIsParsed) {
  EXPECT_EQ(errorOf(std::string(1 << 20, '[')),
            "meta table 't.json': expected at most 16 nested arrays and "
            "objects, but got 1048576");
  // Brackets in strings nest nothing.
  SectionText section{kRow};
  section.device = std::string(20, '[') + R"(\"[)";
  EXPECT_EQ(errorOf(tableText({section.str()})), "");
}

TEST(TableParserTest, SectionsThatAreIncomplete) {
  auto expectError = [](const SectionText &section, llvm::StringRef message) {
    EXPECT_EQ(errorOf(tableText({section.str()})),
              ("meta table 't.json': " + message).str());
  };
  SectionText section{kRow};
  section.device = "";
  expectError(section,
              "expected a string \"device\" in section 0, but got \"\"");
  section = {kRow};
  section.dtype = "16";
  expectError(section, "expected a string \"dtype\" in section 0, but got 16");
  section = {kRow};
  section.dtype = R"("bf16", "out_dtype": 1)";
  expectError(section,
              "expected a string \"out_dtype\" in section 0, but got 1");
  section = {kRow};
  section.version = "0.5";
  expectError(section,
              "expected an integer \"version\" in section 0, but got 0.5");
  for (const char *sparsity : {"-0.5", "1.5", "null"}) {
    section = {kRow};
    section.sparsity = sparsity;
    expectError(section, ("expected \"sparsity\" from 0 to 1 in section 0, but "
                          "got " +
                          llvm::Twine(sparsity))
                             .str());
  }
  EXPECT_EQ(errorOf(tableText({"7"})),
            "meta table 't.json': expected section 0 to be an object, but got "
            "7");
  std::string other = SectionText{kRow}.str();
  other.replace(other.find("bsr_addmm"), 9, "spmm");
  EXPECT_EQ(errorOf(tableText({other})),
            "meta table 't.json': expected \"op\" in section 0 to be one of "
            "bsr_addmm, bsr_attention, bsr_softmax, bsr_softmax_backward, "
            "flex_attention, flex_attention_dcapture, flex_attention_dkdv, "
            "flex_attention_dq, sampled_addmm, scatter_mm, but got \"spmm\"");
}

TEST(TableParserTest, ParametersOfASection) {
  auto error = [](llvm::StringRef parameters) {
    SectionText section;
    section.parameters = parameters.str();
    return errorOf(tableText({section.str()}));
  };
  EXPECT_EQ(error(R"("SPLIT_N")"),
            "meta table 't.json': expected an array \"parameters\" in section "
            "0, but got \"SPLIT_N\"");
  EXPECT_EQ(
      error(R"(["SPLIT_N", "SPLIT_M"])"),
      "meta table 't.json': section 0: expected parameters out of tile_m, "
      "tile_n, tile_k, stages, warps, raster_group, GROUP_SIZE_ROW, "
      "split_k, SPLIT_N, num_stages, num_warps, register_rows, "
      "register_vectors, threads, but got SPLIT_M");
  EXPECT_EQ(
      error(R"(["SPLIT_N", 3])"),
      "meta table 't.json': expected strings in \"parameters\" of section "
      "0, but got 3");
  EXPECT_EQ(
      error(R"(["SPLIT_N", "SPLIT_N"])"),
      "meta table 't.json': section 0: expected different parameters, but "
      "got SPLIT_N twice");
  EXPECT_EQ(error(R"(["SPLIT_N", "tile_n"])"),
            "meta table 't.json': section 0: expected SPLIT_N or tile_n among "
            "the parameters, but got both");
  EXPECT_EQ(error(R"(["num_warps"])"),
            "meta table 't.json': section 0: expected SPLIT_N or tile_n among "
            "the parameters, but got neither");
}

TEST(TableParserTest, RowsOfTheWrongForm) {
  auto error = [](llvm::StringRef rows) {
    return errorOf(tableText({SectionText{rows.str()}.str()}));
  };
  std::string where = "a row of bsr_addmm, NVIDIA A100-SXM4-80GB, bf16, "
                      "sparsity 0.50";
  EXPECT_EQ(error("3"), "meta table 't.json': expected " + where +
                            " to be an array of a key and its parameters, but "
                            "got 3");
  EXPECT_EQ(error("[[512, 512, 256], [1, 4, 3, 4]]"),
            "meta table 't.json': expected 8 entries (M, K, N, BM, BK, "
            "beta==0, beta==1, alpha==1) in the key of " +
                where + ", but got 3");
  EXPECT_EQ(error(row(256, "1, 4, 3")),
            "meta table 't.json': expected 4 entries (GROUP_SIZE_ROW, SPLIT_N, "
            "num_stages, num_warps) in the parameters of " +
                where + ", but got 3");
  EXPECT_EQ(error(row(256, "1, 4, 3, \"4\"")),
            "meta table 't.json': expected an integer as num_warps in the "
            "parameters of " +
                where + ", but got \"4\"");
  EXPECT_EQ(error("[[512, 512, 256, 64, 64, 1, false, true], [1, 4, 3, 4]]"),
            "meta table 't.json': expected true or false as beta==0 in the key "
            "of " +
                where + ", but got 1");
}

TEST(TableParserTest, RepeatedRowsAndSections) {
  EXPECT_EQ(errorOf(tableText({SectionText{kRow + "," + kRow}.str()})),
            "meta table 't.json': expected one row (512, 512, 256, 64, 64, "
            "true, false, true) of bsr_addmm, NVIDIA A100-SXM4-80GB, bf16, "
            "sparsity 0.50, but got two");
  EXPECT_EQ(
      errorOf(tableText({SectionText{kRow}.str(), SectionText{""}.str()})),
      "meta table 't.json': expected one section of bsr_addmm, NVIDIA "
      "A100-SXM4-80GB, bf16, sparsity 0.50, but got two");
}

TEST(TableParserTest, ImpossibleRowsAreLeftOut) {
  auto problem = [](llvm::StringRef rows, llvm::StringRef parameters) {
    SectionText section{rows.str()};
    section.parameters = parameters.str();
    std::string text = problemOf(section);
    // The row's name ends before the second colon, and the end is always the
    // same.
    size_t begin = text.find("0.50: "),
           end = text.find("; the row is not used");
    if (begin == std::string::npos || end == std::string::npos)
      return text;
    return text.substr(begin + 6, end - begin - 6);
  };
  const char *ours = R"(["tile_m", "tile_n", "tile_k"])";
  EXPECT_EQ(problem(row(256, "1, 3, 3, 4"), kParameters),
            "expected SPLIT_N to divide N = 256, but got 3");
  EXPECT_EQ(problem(row(256, "1, 512, 3, 4"), kParameters),
            "expected SPLIT_N from 1 to 256, but got 512");
  EXPECT_EQ(problem(row(256, "1, 4, 3, 0"), kParameters),
            "expected num_warps from 1 to 65536, but got 0");
  EXPECT_EQ(problem(row(0, "1, 4, 3, 4"), kParameters),
            "expected N from 1 to 1099511627776, but got 0");
  EXPECT_EQ(
      problem(row(256, "96, 128, 64"), ours),
      "expected tile_m to be a multiple of BM = 64 or, as a multiple of 8, "
      "a divisor of it, but got 96");
  EXPECT_EQ(problem(row(256, "64, 100, 64"), ours),
            "expected tile_n to be a multiple of 8, but got 100");
  EXPECT_EQ(problem(row(256, "64, 128, 48"), ours),
            "expected tile_k to divide BK = 64, but got 48");
  EXPECT_EQ(problem("[[500, 512, 256, 64, 64, true, false, true], "
                    "[1, 4, 3, 4]]",
                    kParameters),
            "expected BM to divide M = 500, but got 64");
  EXPECT_EQ(problem("[[512, 500, 256, 64, 64, true, false, true], "
                    "[1, 4, 3, 4]]",
                    kParameters),
            "expected BK to divide K = 500, but got 64");
  EXPECT_EQ(problem("[[512, 512, 256, 64, 64, true, true, true], "
                    "[1, 4, 3, 4]]",
                    kParameters),
            "expected beta to be 0 or 1, but got both");
  EXPECT_EQ(problemOf({row(256, "1, 3, 3, 4")}),
            "meta table 't.json': row (512, 512, 256, 64, 64, true, false, "
            "true) of bsr_addmm, NVIDIA A100-SXM4-80GB, bf16, sparsity 0.50: "
            "expected SPLIT_N to divide N = 256, but got 3; the row is not "
            "used");
}

TEST(TableParserTest, OtherRowsOfTheTableStay) {
  std::vector<std::string> problems;
  llvm::Expected<Table> table = parseTable(
      tableText({SectionText{kRow + "," + row(512, "1, 3, 3, 4")}.str()}), "t",
      sattn::tuning::allSchemas(), problems);
  ASSERT_TRUE(bool(table));
  EXPECT_EQ(problems.size(), 1u);
  EXPECT_TRUE(lookup(*table, makeQuery(256)));
}

TEST(TableParserTest, FileThatCannotBeRead) {
  std::vector<std::string> problems;
  llvm::Expected<Table> table = loadTable("/no/such/file.json", {}, problems);
  ASSERT_FALSE(bool(table));
  EXPECT_EQ(llvm::toString(table.takeError()),
            "meta table '/no/such/file.json': expected a file that can be "
            "read, but got: No such file or directory");
}

TEST(TableParserTest, FileThatMayHaveNoEnd) {
  llvm::SmallString<128> pipe;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("table", pipe));
  llvm::SmallString<128> folder = pipe;
  pipe += "/pipe.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (llvm::StringRef path :
       {llvm::StringRef("/dev/zero"), llvm::StringRef(pipe)}) {
    std::vector<std::string> problems;
    llvm::Expected<Table> table = loadTable(path, {}, problems);
    ASSERT_FALSE(bool(table));
    EXPECT_EQ(llvm::toString(table.takeError()),
              ("meta table '" + path +
               "': expected a file that can be read, but got: no regular file")
                  .str());
  }
  llvm::sys::fs::remove_directories(folder);
}

TEST(TableParserTest, FileThatIsTooLarge) {
  int descriptor;
  llvm::SmallString<128> path;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("table", "json", descriptor, path));
  // Without a byte on the disk.
  ASSERT_FALSE(llvm::sys::fs::resize_file(descriptor, (64 << 20) + 1));
  std::vector<std::string> problems;
  llvm::Expected<Table> table = loadTable(path, {}, problems);
  llvm::sys::fs::remove(path);
  ASSERT_FALSE(bool(table));
  EXPECT_TRUE(llvm::StringRef(llvm::toString(table.takeError()))
                  .ends_with("but got: more than 64 MiB"));
}

TEST(TableParserTest, MembersThatNobodyReads) {
  EXPECT_EQ(errorOf(R"({"format": "sattn-meta-table", "version": 1,
                        "sections": [], "section": []})"),
            "meta table 't.json': expected members out of format, version, "
            "sections in the table, but got \"section\"");
  SectionText section{kRow};
  section.version = R"(0, "out_type": "f32")";
  EXPECT_EQ(errorOf(tableText({section.str()})),
            "meta table 't.json': expected members out of op, device, version, "
            "dtype, out_dtype, sparsity, parameters, rows in section 0, but "
            "got \"out_type\"");
}

TEST(TableParserTest, KeysThatStandTwice) {
  SectionText section{kRow};
  section.version = R"(0, "versio\u006e": 1)";
  EXPECT_EQ(errorOf(tableText({section.str()})),
            "meta table 't.json': expected each key once in an object, but got "
            "\"version\" twice");
}

TEST(TableParserTest, AFewOfManyProblemsAreTold) {
  std::string rows;
  for (int i = 0; i < 100; ++i)
    rows += (i ? ", " : "") + row(256, "1, 3, 3, 4");
  std::vector<std::string> problems;
  llvm::Expected<Table> table =
      parseTable(tableText({SectionText{rows}.str()}), "t",
                 sattn::tuning::allSchemas(), problems);
  ASSERT_TRUE(bool(table));
  ASSERT_EQ(problems.size(), 21u);
  EXPECT_EQ(problems.back(), "meta table 't': 80 more rows are not used");
}
