//===- Lookup.cpp - Rules of look-up --------------------------------------===//
//
// From the exact row to one of another device, step by step.
//
//===----------------------------------------------------------------------===//

#include "sattn/MetaTable/Lookup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace sattn::meta;
using llvm::StringRef;

/// The devices of a table whose rows do for the query's, itself left out.
static llvm::SmallVector<StringRef> otherDevices(const Table &table,
                                                 const Query &query) {
  std::set<StringRef> names;
  for (const Section &section : table.sections)
    if (section.device != query.device && query.takesRowsOf &&
        query.takesRowsOf(query.device, section.device))
      names.insert(section.device);
  return llvm::SmallVector<StringRef>(names.begin(), names.end());
}

namespace {
/// Which sections a rule reads.
struct SectionRule {
  std::string outDtype;
  int64_t sparsity;
};
} // namespace

static constexpr int64_t kReferenceSparsity = 50;

static std::string differentOutDtype(const Query &query) {
  return query.outDtype == query.dtype ? "" : query.outDtype;
}

static const Section *findSection(const Table &table, const Query &query,
                                  StringRef device, const SectionRule &rule) {
  auto it = llvm::find_if(table.sections, [&](const Section &section) {
    return section.schema == query.schema && section.device == device &&
           section.version == query.version && section.dtype == query.dtype &&
           section.outDtype == rule.outDtype &&
           section.sparsity == rule.sparsity;
  });
  return it == table.sections.end() ? nullptr : &*it;
}

static const Row *findRow(const Section &section, llvm::ArrayRef<int64_t> key) {
  auto it = llvm::lower_bound(section.rows, key,
                              [](const Row &row, llvm::ArrayRef<int64_t> key) {
                                return llvm::ArrayRef<int64_t>(row.key) < key;
                              });
  if (it == section.rows.end() || llvm::ArrayRef<int64_t>(it->key) != key)
    return nullptr;
  return &*it;
}

/// The row of the largest size whose tiles divide the key's.
static const Row *findNarrowerRow(const Section &section,
                                  llvm::ArrayRef<int64_t> key) {
  const Row *best = nullptr;
  const OpSchema &schema = *section.schema;
  int64_t size = key[schema.tiledSize];
  for (const Row &row : section.rows) {
    llvm::SmallVector<int64_t, 8> sameSize(row.key);
    sameSize[schema.tiledSize] = size;
    if (llvm::ArrayRef<int64_t>(sameSize) == key &&
        row.key[schema.tiledSize] <= size &&
        size % schema.tileWidth(section, row) == 0)
      best = &row; // Rows are sorted: the last one is the widest.
  }
  return best;
}

static std::optional<Match>
lookupOnDevice(const Table &table, const Query &query, StringRef device) {
  std::string outDtype = differentOutDtype(query);
  llvm::SmallVector<SectionRule> rules = {{outDtype, query.sparsity}};
  if (!query.exact) {
    if (query.sparsity != kReferenceSparsity)
      rules.push_back({outDtype, kReferenceSparsity});
    if (!outDtype.empty())
      rules.push_back({"", kReferenceSparsity});
  }
  for (bool anySize : {false, true}) {
    for (const SectionRule &rule : rules) {
      const Section *section = findSection(table, query, device, rule);
      if (!section)
        continue;
      const Row *row = anySize ? findNarrowerRow(*section, query.key)
                               : findRow(*section, query.key);
      if (!row)
        continue;
      Match match;
      match.table = &table;
      match.section = section;
      match.row = row;
      match.otherSparsity = rule.sparsity != query.sparsity;
      match.otherOutDtype = rule.outDtype != outDtype;
      match.otherSize = anySize;
      match.otherDevice = device != query.device;
      return match;
    }
    if (query.exact)
      break;
  }
  return std::nullopt;
}

std::optional<Match> sattn::meta::lookup(const Table &table,
                                         const Query &query) {
  if (std::optional<Match> match = lookupOnDevice(table, query, query.device))
    return match;
  if (query.exact)
    return std::nullopt;
  for (StringRef device : otherDevices(table, query))
    if (std::optional<Match> match = lookupOnDevice(table, query, device))
      return match;
  return std::nullopt;
}

std::vector<Match>
sattn::meta::list(const Table &table, const Query &query,
                  llvm::ArrayRef<std::optional<int64_t>> pattern) {
  SectionRule own = {differentOutDtype(query), query.sparsity};
  const Section *section = findSection(table, query, query.device, own);
  if (!section && !query.exact)
    for (StringRef device : otherDevices(table, query))
      if ((section = findSection(table, query, device, own)))
        break;
  std::vector<Match> matches;
  if (!section)
    return matches;
  for (const Row &row : section->rows) {
    if (row.key.size() != pattern.size() ||
        llvm::any_of(llvm::zip(row.key, pattern), [](auto entry) {
          auto [value, wanted] = entry;
          return wanted && *wanted != value;
        }))
      continue;
    Match match;
    match.table = &table;
    match.section = section;
    match.row = &row;
    match.otherDevice = section->device != query.device;
    matches.push_back(match);
  }
  return matches;
}

std::string Match::describe() const {
  const OpSchema &schema = *section->schema;
  std::string smaller = ("of a smaller " + schema.keyNames[schema.tiledSize] +
                         " with the same tiles")
                            .str();
  llvm::SmallVector<StringRef> rules;
  if (otherSparsity)
    rules.push_back("of sparsity 0.5");
  if (otherOutDtype)
    rules.push_back("of the operands' type alone");
  if (otherSize)
    rules.push_back(smaller);
  if (otherDevice)
    rules.push_back("of the device's family");
  return "row " + describeKey(schema, row->key) + " of " + section->describe() +
         " in " + table->name + " (" +
         (rules.empty() ? "exact" : llvm::join(rules, ", ")) + ")";
}

std::string Query::describe() const {
  Section section;
  section.schema = schema;
  section.device = device;
  section.version = version;
  section.dtype = dtype;
  section.outDtype = differentOutDtype(*this);
  section.sparsity = sparsity;
  std::string text = section.describe();
  return text.insert(schema->op.size(), " " + describeKey(*schema, key));
}

llvm::Expected<Section>
sattn::meta::makeSection(const Query &query,
                         llvm::ArrayRef<std::string> parameters) {
  Section section;
  section.schema = query.schema;
  section.device = query.device;
  section.version = query.version;
  section.dtype = query.dtype;
  section.outDtype = differentOutDtype(query);
  section.sparsity = query.sparsity;
  Row row;
  row.key = query.key;
  for (StringRef parameter : parameters) {
    auto [key, text] = parameter.split('=');
    int64_t value;
    if (text.getAsInteger(10, value))
      return llvm::createStringError("expected NAME=NUMBER, but got '" +
                                     parameter + "'");
    section.parameters.push_back(key.str());
    row.values.push_back(value);
  }
  std::string problem = parametersProblem(section);
  if (problem.empty())
    problem = rowProblem(section, row);
  if (!problem.empty())
    return llvm::createStringError(problem);
  section.rows.push_back(std::move(row));
  return section;
}
