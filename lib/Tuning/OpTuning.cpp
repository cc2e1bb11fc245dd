//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTuning.h"

#include "llvm/ADT/STLExtras.h"

using namespace sattn::tuning;
using sattn::meta::OpSchema;
using sattn::meta::Query;
using sattn::meta::Row;
using sattn::meta::Section;

/// The sparsity that most rows are tuned for, if it is unknown.
static constexpr int64_t kUnknownSparsity = 50;

std::optional<Query> sattn::tuning::makeQuery(const OpSchema &schema,
                                              const TableKey &key,
                                              const Search &search,
                                              llvm::StringRef *missing) {
  assert(key.numbers.size() == schema.keyNames.size() && "a number for a name");
  Query query;
  for (auto [name, number] : llvm::zip(schema.keyNames, key.numbers)) {
    if (!number) {
      if (missing)
        *missing = name;
      return std::nullopt;
    }
    query.key.push_back(*number);
  }
  if (key.dtype.empty()) {
    if (missing)
      *missing = "the dtype";
    return std::nullopt;
  }
  query.schema = &schema;
  query.device = search.device;
  query.version = search.version;
  query.dtype = key.dtype;
  query.outDtype = key.outDtype;
  query.sparsity = key.sparsity.value_or(kUnknownSparsity);
  query.exact = search.exact;
  query.takesRowsOf = takesRowsOf;
  return query;
}

/// Our name of a parameter that a row has under PyTorch's.
static llvm::StringRef getOwnName(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
      kNames[] = {{"num_stages", "stages"},
                  {"num_warps", "warps"},
                  {"GROUP_SIZE", "raster_group"},
                  {"TILE_M", "tile_m"},
                  {"TILE_N", "tile_n"}};
  for (const auto &[other, own] : kNames)
    if (name == other)
      return own;
  return name;
}

/// The parameters of a table's row. The passes clamp its hints; its tile must
/// be possible.
static llvm::Expected<Parameters> fitTableRow(const Section &section,
                                              const Row &row,
                                              const TunedProblem &problem,
                                              const Target &target) {
  Search search{target};
  bool hasColumns = section.get(row, "tile_n") || section.get(row, "TILE_N");
  for (llvm::StringRef name : section.parameters) {
    // A hint that a row leaves to the passes is not the default's.
    int64_t value = section.get(row, name).value_or(0);
    llvm::StringRef own = getOwnName(name);
    if (name == "SPLIT_N") {
      if (hasColumns)
        continue;
      own = "tile_n";
      value = section.schema->tileWidth(section, row);
    }
    search.row.push_back((own + "=" + llvm::Twine(value)).str());
  }
  llvm::Expected<Choice> choice = problem.fitRow(search);
  if (!choice)
    return choice.takeError();
  const Parameters &fitted = choice->parameters;
  if (std::string reason = problem.findTileProblem(fitted, target);
      !reason.empty())
    return llvm::createStringError(reason);
  return checkRegisters(fitted, target);
}

llvm::Expected<Parameters>
sattn::tuning::checkRegisters(const Parameters &fitted, const Target &target) {
  if (std::string reason = findRegistersProblem(fitted, target);
      !reason.empty())
    return llvm::createStringError(reason);
  return fitted;
}

llvm::Expected<Choice> sattn::tuning::chooseByTables(
    llvm::ArrayRef<meta::Table> tables, const OpSchema &schema,
    const TunedProblem &problem, const Search &search) {
  if (!search.row.empty())
    return problem.fitRow(search);
  Choice choice;
  choice.origin = "the computed default";
  if (search.device.empty()) {
    choice.parameters = problem.getDefaults(search.target);
    return choice;
  }
  llvm::StringRef missing;
  std::optional<Query> query =
      makeQuery(schema, problem.getKey(), search, &missing);
  if (!query) {
    choice.parameters = problem.getDefaults(search.target);
    choice.origin +=
        (" (a row is found by " + missing + ", which is not known)").str();
    return choice;
  }
  return sattn::tuning::choose(
      tables, *query,
      [&](const Section &section, const Row &row) {
        return fitTableRow(section, row, problem, search.target);
      },
      [&] { return problem.getDefaults(search.target); },
      [&](const Parameters &parameters) -> std::optional<double> {
        if (auto found = problem.estimate(parameters, search.target))
          return found->cycles;
        return std::nullopt;
      });
}
