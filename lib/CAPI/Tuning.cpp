//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn-c/Tuning.h"

#include "Session.h"

#include "sattn/MetaTable/Lookup.h"
#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/Ops.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace sattn;
using llvm::StringRef;

struct sattn_tables {
  std::vector<meta::Table> tables;
};

static StringRef orEmpty(const char *text) { return text ? text : ""; }

/// Sets `messages` to a line for each text, or to null without texts. A null
/// `messages` is left alone.
static void giveWarnings(char **messages,
                         llvm::ArrayRef<std::string> warnings) {
  std::string lines;
  for (const std::string &warning : warnings)
    lines += "warning: " + warning + "\n";
  if (!lines.empty())
    capi::giveText(messages, lines);
  else if (messages)
    *messages = nullptr;
}

sattn_tables *sattn_tables_read(const char *path, char **messages) {
  std::vector<std::string> problems;
  auto *read = new sattn_tables{tuning::loadTables(orEmpty(path), problems)};
  giveWarnings(messages, problems);
  return read;
}

void sattn_tables_free(sattn_tables *tables) { delete tables; }

int sattn_tables_add(sattn_tables *tables, const char *text, const char *name,
                     char **messages) {
  if (!text) {
    capi::giveError(messages, "expected a table, but got null");
    return 0;
  }
  std::vector<std::string> problems;
  llvm::Expected<meta::Table> table =
      meta::parseTable(text, orEmpty(name), tuning::allSchemas(), problems);
  if (!table) {
    capi::giveError(messages, llvm::toString(table.takeError()));
    return 0;
  }
  if (tables)
    tables->tables.insert(tables->tables.begin(), std::move(*table));
  giveWarnings(messages, problems);
  return 1;
}

/// A key as a table's file has it.
static llvm::json::Array writeKey(const meta::OpSchema &schema,
                                  llvm::ArrayRef<int64_t> key) {
  llvm::json::Array written;
  for (auto [name, value] : llvm::zip(schema.keyNames, key))
    written.push_back(meta::OpSchema::isFlag(name)
                          ? llvm::json::Value(value != 0)
                          : llvm::json::Value(value));
  return written;
}

static llvm::json::Array listRows(llvm::ArrayRef<meta::Table> tables,
                                  const meta::Query &query,
                                  llvm::ArrayRef<std::optional<int64_t>> key) {
  llvm::json::Array found;
  for (const meta::Table &table : tables) {
    llvm::json::Array rows;
    const meta::Section *section = nullptr;
    for (const meta::Match &match : meta::list(table, query, key)) {
      section = match.section;
      rows.push_back(llvm::json::Array{writeKey(*query.schema, match.row->key),
                                       llvm::json::Array(match.row->values)});
    }
    if (section)
      found.push_back(llvm::json::Object{
          {"parameters", llvm::json::Array(section->parameters)},
          {"rows", std::move(rows)}});
  }
  return found;
}

static llvm::Expected<meta::Query> queryOf(const sattn_pattern &pattern) {
  meta::Query query;
  for (const meta::OpSchema *schema : tuning::allSchemas())
    if (schema->op == orEmpty(pattern.op))
      query.schema = schema;
  if (!query.schema)
    return llvm::createStringError("expected an op that tables have rows of, "
                                   "but got '" +
                                   orEmpty(pattern.op) + "'");
  if (pattern.count != query.schema->keyNames.size() || !pattern.key)
    return llvm::createStringError(
        "expected a key (" + llvm::join(query.schema->keyNames, ", ") +
        "), but got " + llvm::Twine(pattern.key ? pattern.count : 0) +
        " numbers");
  query.device = orEmpty(pattern.device).str();
  query.version = pattern.version;
  query.dtype = orEmpty(pattern.dtype).str();
  query.outDtype = orEmpty(pattern.out_dtype).str();
  query.sparsity = pattern.sparsity;
  query.exact = pattern.exact != 0;
  query.takesRowsOf = tuning::takesRowsOf;
  return query;
}

char *sattn_tables_list(const sattn_tables *tables,
                        const sattn_pattern *pattern, char **messages) {
  if (!tables || !pattern) {
    capi::giveError(messages, "expected tables and a pattern, but got null");
    return nullptr;
  }
  llvm::Expected<meta::Query> query = queryOf(*pattern);
  if (!query) {
    capi::giveError(messages, llvm::toString(query.takeError()));
    return nullptr;
  }
  llvm::SmallVector<std::optional<int64_t>> key;
  for (int64_t number : llvm::ArrayRef(pattern->key, pattern->count))
    key.push_back(number == SATTN_ANY ? std::nullopt : std::optional(number));
  if (messages)
    *messages = nullptr;
  return capi::copyText(llvm::formatv("{0}", llvm::json::Value(listRows(
                                                 tables->tables, *query, key)))
                            .str());
}

const char *sattn_host_device(void) {
  static const std::string name = tuning::getHostDevice();
  return name.c_str();
}

/// The error in the arguments of sattn_choose beside their facts; empty if
/// there is none.
static std::string check(const char *op, const sattn_fact *facts, size_t count,
                         const sattn_search *search,
                         const sattn_parameters *parameters) {
  if (!op)
    return "expected an op, but got null";
  if (!facts && count != 0)
    return "expected facts, but got null";
  for (size_t i = 0; i < count; ++i)
    if (!facts[i].name)
      return "expected the name of a fact, but got null";
  if (!search)
    return "expected a search, but got null";
  if (!parameters)
    return "expected a place for parameters, but got null";
  return {};
}

static llvm::Expected<tuning::Search> searchOf(const sattn_search &search) {
  StringRef name = orEmpty(search.target);
  std::optional<tuning::Target> target = tuning::findTarget(name);
  if (!target)
    return llvm::createStringError("expected a target out of " +
                                   llvm::join(tuning::targetNames(), ", ") +
                                   ", but got '" + name + "'");
  if (target->kind != tuning::TargetKind::CPU && search.shared_bytes < 1)
    return llvm::createStringError(
        "expected shared_bytes of at least 1, but got " +
        llvm::Twine(search.shared_bytes));
  if (target->kind == tuning::TargetKind::CPU)
    target = tuning::findHostTarget();
  else
    target->sharedBytes = search.shared_bytes;
  tuning::Search where{*target};
  where.device = orEmpty(search.device).str();
  llvm::SmallVector<StringRef> row;
  orEmpty(search.row).split(row, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  where.row.assign(row.begin(), row.end());
  return where;
}

static llvm::Expected<tuning::Choice> choose(const sattn_tables *tables,
                                             StringRef op,
                                             llvm::ArrayRef<sattn_fact> facts,
                                             const sattn_search &search) {
  llvm::Expected<tuning::Search> where = searchOf(search);
  if (!where)
    return where.takeError();
  llvm::SmallVector<tuning::NamedFact> named;
  for (const sattn_fact &fact : facts)
    named.push_back(
        {fact.name,
         fact.text ? std::optional<StringRef>(fact.text) : std::nullopt,
         fact.number});
  llvm::ArrayRef<meta::Table> searched;
  if (tables)
    searched = tables->tables;
  return tuning::choose(op, searched, named, *where);
}

int sattn_choose(const sattn_tables *tables, const char *op,
                 const sattn_fact *facts, size_t count,
                 const sattn_search *search, sattn_parameters *parameters,
                 char **messages) {
  if (std::string reason = check(op, facts, count, search, parameters);
      !reason.empty()) {
    capi::giveError(messages, reason);
    return 0;
  }
  llvm::Expected<tuning::Choice> choice =
      choose(tables, op, {facts, count}, *search);
  if (!choice) {
    capi::giveError(messages, llvm::toString(choice.takeError()));
    return 0;
  }
  const tuning::Parameters &chosen = choice->parameters;
  tuning::Estimate estimate = choice->estimate.value_or(tuning::Estimate());
  *parameters = {chosen.rows,
                 chosen.columns,
                 chosen.depth,
                 chosen.stages.value_or(0),
                 chosen.warps.value_or(0),
                 chosen.rasterGroup.value_or(0),
                 chosen.splitK.value_or(0),
                 chosen.registerRows.value_or(0),
                 chosen.registerVectors.value_or(0),
                 chosen.threads.value_or(0),
                 choice->isOfTable,
                 estimate.isDenseFaster(),
                 estimate.cycles,
                 estimate.denseRatio};
  giveWarnings(messages, choice->problems);
  return 1;
}
