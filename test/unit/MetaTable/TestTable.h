//===- TestTable.h - Small tables for tests ---------------------*- C++ -*-===//
//
// Tables of a few sections, written as they stand in a file.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TEST_METATABLE_TESTTABLE_H
#define SATTN_TEST_METATABLE_TESTTABLE_H

#include "sattn/MetaTable/Lookup.h"
#include "sattn/Tuning/BsrAddmm.h"
#include "sattn/Tuning/Ops.h"

#include "llvm/ADT/Twine.h"
#include "gtest/gtest.h"

namespace sattn::meta {

inline constexpr char kA100[] = "NVIDIA A100-SXM4-80GB";
inline constexpr char kParameters[] =
    R"(["GROUP_SIZE_ROW", "SPLIT_N", "num_stages", "num_warps"])";

/// Position of N in a key.
inline constexpr unsigned kKeyN = 2;

/// The parts of a section of bsr_addmm that tests vary.
struct SectionText {
  std::string rows;
  std::string device = kA100;
  std::string dtype = R"("bf16")";
  std::string sparsity = "0.5";
  std::string version = "0";
  std::string parameters = kParameters;

  std::string str() const {
    return R"({"op": "bsr_addmm", "device": ")" + device + R"(", "version": )" +
           version + R"(, "dtype": )" + dtype + R"(, "sparsity": )" + sparsity +
           R"(, "parameters": )" + parameters + R"(, "rows": [)" + rows + "]}";
  }
};

inline std::string tableText(llvm::ArrayRef<std::string> sections) {
  std::string text =
      R"({"format": "sattn-meta-table", "version": 1, "sections": [)";
  for (const std::string &section : sections)
    text += (text.back() == '[' ? "" : ", ") + section;
  return text + "]}";
}

/// A row of a product of 512 x 512 in blocks of 64 and N columns, beta = 0.
inline std::string row(int64_t n, llvm::StringRef parameters) {
  return ("[[512, 512, " + llvm::Twine(n) + ", 64, 64, true, false, true], [" +
          parameters + "]]")
      .str();
}

/// The table called "test", which must be valid and have no problem.
inline Table makeTable(llvm::ArrayRef<std::string> sections) {
  std::vector<std::string> problems;
  llvm::Expected<Table> table =
      parseTable(tableText(sections), "test", tuning::allSchemas(), problems);
  EXPECT_TRUE(problems.empty()) << problems.front();
  if (!table) {
    ADD_FAILURE() << llvm::toString(table.takeError());
    return Table();
  }
  return std::move(*table);
}

/// For the product of `row` at sparsity 0.5, in bf16.
inline Query makeQuery(int64_t n) {
  Query query;
  query.schema = &tuning::bsr_addmm::kSchema;
  query.device = kA100;
  query.dtype = query.outDtype = "bf16";
  query.key = {512, 512, n, 64, 64, 1, 0, 1};
  query.takesRowsOf = tuning::takesRowsOf;
  return query;
}

} // namespace sattn::meta

#endif // SATTN_TEST_METATABLE_TESTTABLE_H
