//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// docs/MetaTable.md says what the library declares: facts, keys and spaces.

#include "TestPaths.h"

#include "sattn/Tuning/Ops.h"
#include "sattn/Tuning/Space.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <set>

using namespace sattn::tuning;
using sattn::meta::OpSchema;

namespace {

using Names = std::set<std::string>;

/// The cells of the row of an op in the table that begins with `header`.
std::vector<std::string> cellsOf(llvm::StringRef header, llvm::StringRef op) {
  auto file = llvm::MemoryBuffer::getFile(kDocsDirectory +
                                          llvm::Twine("/MetaTable.md"));
  if (!file) {
    ADD_FAILURE() << "no page";
    return {};
  }
  llvm::StringRef text = (*file)->getBuffer();
  size_t start = text.find(header);
  EXPECT_NE(start, llvm::StringRef::npos) << header.str();
  text = text.substr(start);
  llvm::SmallVector<llvm::StringRef> lines;
  text.take_front(text.find("\n\n")).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef> cells;
    line.trim("| ").split(cells, " | ");
    if (!cells.front().contains(("`" + op + "`").str()))
      continue;
    return {cells.begin(), cells.end()};
  }
  ADD_FAILURE() << "no row of " << op.str();
  return {"", "", "", ""};
}

/// The words in backticks.
Names namesIn(llvm::StringRef cell) {
  Names names;
  llvm::SmallVector<llvm::StringRef> parts;
  cell.split(parts, '`');
  for (size_t i = 1; i < parts.size(); i += 2)
    names.insert(parts[i].str());
  return names;
}

/// A problem of any op: blocks of 32, heads of 64.
Space spaceOf(llvm::StringRef op, llvm::StringRef target) {
  std::vector<NamedFact> facts = {{"dtype", llvm::StringRef("bf16")}};
  std::vector<std::string> known = getFactNames(op);
  auto add = [&](llvm::StringRef name, double number) {
    if (llvm::is_contained(known, name.str()))
      facts.push_back({name, std::nullopt, number});
  };
  add("block_rows", 32);
  add("block_columns", 32);
  add("head_dim", 64);
  add("value_dim", 64);
  if (llvm::is_contained(known, "out_dtype"))
    facts.push_back({"out_dtype", llvm::StringRef("bf16")});
  llvm::Expected<Space> space = getSpace(op, facts, *findTarget(target));
  if (space)
    return std::move(*space);
  ADD_FAILURE() << llvm::toString(space.takeError());
  return {};
}

Names parametersOf(llvm::StringRef op, llvm::StringRef target) {
  Names names;
  for (const TunedParameter &parameter : spaceOf(op, target).parameters)
    names.insert(parameter.name.str());
  return names;
}

} // namespace

TEST(DocumentationTest, FactsOfEachOp) {
  for (const OpSchema *schema : allSchemas()) {
    std::vector<std::string> facts = getFactNames(schema->op);
    EXPECT_EQ(namesIn(cellsOf("| op | facts |", schema->op)[1]),
              Names(facts.begin(), facts.end()))
        << schema->op.str();
  }
}

TEST(DocumentationTest, KeysOfEachOp) {
  for (const OpSchema *schema : allSchemas()) {
    std::vector<std::string> cells = cellsOf("| op | key | near |", schema->op);
    std::string key = cells[1];
    llvm::erase(key, ' ');
    EXPECT_EQ(key, llvm::join(schema->keyNames, ",")) << schema->op.str();
    std::string near;
    if (schema->nearSize)
      near = schema->keyNames[*schema->nearSize].str();
    EXPECT_EQ(cells.size() > 2 ? cells[2] : "", near) << schema->op.str();
  }
}

TEST(DocumentationTest, SpacesOfEachOp) {
  for (const OpSchema *schema : allSchemas()) {
    std::vector<std::string> cells =
        cellsOf("| op | CPU | GPU | beside them |", schema->op);
    EXPECT_EQ(namesIn(cells[1]), parametersOf(schema->op, "cpu"))
        << schema->op.str();
    Names some = namesIn(cells[2]), all = some;
    if (cells.size() > 3)
      for (llvm::StringRef name : {"warps", "split_k"})
        if (namesIn(cells[3]).count(name.str()))
          all.insert(name.str());
    EXPECT_EQ(parametersOf(schema->op, "sm_90a"), all) << schema->op.str();
    all.erase("split_k");
    EXPECT_EQ(parametersOf(schema->op, "sm_80"), all) << schema->op.str();
  }
}
