//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableCommands.h"

#include "TorchTable.h"

#include "sattn/MetaTable/TableFile.h"
#include "sattn/Support/RegularFile.h"
#include "sattn/Tuning/Ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace sattn;
using namespace sattn::tune;
using llvm::StringRef;

/// A table whose every row is usable.
static llvm::Expected<meta::Table> load(const std::string &path) {
  std::vector<std::string> problems;
  llvm::Expected<meta::Table> table =
      meta::loadTable(path, tuning::allSchemas(), problems);
  if (table)
    for (const std::string &problem : problems)
      llvm::errs() << "sparse-tune: warning: " << problem << "\n";
  return table;
}

/// Each row by a text of its own: its section and key, and its parameters.
static std::map<std::string, std::string> listRows(const meta::Table &table,
                                                   StringRef op) {
  std::map<std::string, std::string> rows;
  for (const meta::Section &section : table.sections) {
    if (!op.empty() && op != section.schema->op)
      continue;
    for (const meta::Row &row : section.rows) {
      std::string parameters;
      for (auto [name, value] : llvm::zip(section.parameters, row.values))
        if (value)
          parameters += " " + name + "=" + std::to_string(value);
      rows[section.describe() + " " +
           meta::describeKey(*section.schema, row.key)] += parameters;
    }
  }
  return rows;
}

llvm::Error sattn::tune::showTable(const std::string &path,
                                   const std::string &op) {
  llvm::Expected<meta::Table> table = load(path);
  if (!table)
    return table.takeError();
  for (const auto &[row, parameters] : listRows(*table, op))
    llvm::outs() << row << ":" << parameters << "\n";
  return llvm::Error::success();
}

llvm::Expected<bool> sattn::tune::diffTables(const std::string &first,
                                             const std::string &second) {
  llvm::Expected<meta::Table> one = load(first);
  if (!one)
    return one.takeError();
  llvm::Expected<meta::Table> other = load(second);
  if (!other)
    return other.takeError();
  std::map<std::string, std::string> before = listRows(*one, ""),
                                     after = listRows(*other, "");
  // All rows, in one order.
  std::map<std::string, std::string> all = before;
  all.insert(after.begin(), after.end());
  bool differ = false;
  for (const auto &entry : all) {
    const std::string &row = entry.first;
    auto old = before.find(row), now = after.find(row);
    if (old != before.end() && now != after.end() && old->second == now->second)
      continue;
    differ = true;
    if (old != before.end())
      llvm::outs() << "- " << row << ":" << old->second << "\n";
    if (now != after.end())
      llvm::outs() << "+ " << row << ":" << now->second << "\n";
  }
  return differ;
}

llvm::Error sattn::tune::mergeTables(const std::string &into,
                                     const std::vector<std::string> &from) {
  std::vector<meta::Table> tables;
  for (const std::string &path : from) {
    llvm::Expected<meta::Table> table = load(path);
    if (!table)
      return table.takeError();
    tables.push_back(std::move(*table));
  }
  return meta::updateTable(
      into, tuning::allSchemas(), [&](meta::Table &all) -> llvm::Error {
        for (const meta::Table &table : tables)
          for (const meta::Section &section : table.sections)
            if (llvm::Error error = meta::mergeSection(all, section))
              return error;
        return llvm::Error::success();
      });
}

llvm::Error sattn::tune::importTable(const std::string &file,
                                     const std::string &into) {
  auto text = readRegularFile(file);
  if (!text)
    return llvm::createStringError(
        "'" + file + "': expected a file that can be read, but got: " +
        llvm::toString(text.takeError()));
  std::vector<meta::Section> sections =
      readTorchTable((*text)->getBuffer(), tuning::allSchemas());
  if (sections.empty())
    return llvm::createStringError(
        "'" + file +
        "': expected rows in the form of PyTorch's "
        "torch/sparse/_triton_ops_meta.py, but got none");
  return meta::updateTable(
      into, tuning::allSchemas(), [&](meta::Table &all) -> llvm::Error {
        for (const meta::Section &section : sections)
          if (llvm::Error error = meta::mergeSection(all, section))
            return error;
        return llvm::Error::success();
      });
}
