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

static constexpr int64_t kReferenceSparsity = 50;

namespace {
/// Which sections a rule reads.
struct SectionRule {
  std::string outDtype;
  int64_t sparsity;
};
} // namespace

static std::string differentOutDtype(const Query &query) {
  return query.outDtype == query.dtype ? "" : query.outDtype;
}

/// The sections that a rule may read, of any device that does: others are many,
/// and are looked at once.
static llvm::SmallVector<const Section *> findSections(const Table &table,
                                                       const Query &query) {
  llvm::SmallVector<const Section *> sections;
  for (const Section &section : table.sections)
    if (section.schema == query.schema && section.version == query.version &&
        (section.sparsity == query.sparsity ||
         section.sparsity == kReferenceSparsity) &&
        section.dtype == query.dtype)
      sections.push_back(&section);
  return sections;
}

static const Section *findSection(llvm::ArrayRef<const Section *> sections,
                                  StringRef device, const SectionRule &rule) {
  const auto *it = llvm::find_if(sections, [&](const Section *section) {
    return section->sparsity == rule.sparsity &&
           section->outDtype == rule.outDtype && section->device == device;
  });
  return it == sections.end() ? nullptr : *it;
}

/// The devices whose rows do for the query's, itself left out.
static std::set<StringRef>
findOtherDevices(llvm::ArrayRef<const Section *> sections, const Query &query) {
  std::set<StringRef> names;
  for (const Section *section : sections)
    if (section->device != query.device && query.takesRowsOf &&
        query.takesRowsOf(query.device, section->device))
      names.insert(section->device);
  return names;
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

/// The row of the largest smaller size, whose tiles divide the key's where it
/// has tiles of that size. Rows are sorted, so that those with the same numbers
/// before the size are neighbors.
static const Row *findSmallerRow(const Section &section,
                                 llvm::ArrayRef<int64_t> key) {
  const OpSchema &schema = *section.schema;
  if (!schema.nearSize)
    return nullptr;
  size_t position = *schema.nearSize;
  auto first = key.take_front(position), last = key.drop_front(position + 1);
  auto numbersOf = [](const Row &row) {
    return llvm::ArrayRef<int64_t>(row.key);
  };
  auto row =
      llvm::upper_bound(section.rows, key.take_front(position + 1),
                        [&](llvm::ArrayRef<int64_t> size, const Row &row) {
                          return size < numbersOf(row).take_front(position + 1);
                        });
  while (row != section.rows.begin()) {
    --row;
    if (numbersOf(*row).take_front(position) != first)
      break;
    if (numbersOf(*row).drop_front(position + 1) == last &&
        (!schema.tileWidth ||
         key[position] % schema.tileWidth(section, *row) == 0))
      return &*row;
  }
  return nullptr;
}

static std::optional<Match>
lookupOnDevice(const Table &table, llvm::ArrayRef<const Section *> sections,
               const Query &query, StringRef device) {
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
      const Section *section = findSection(sections, device, rule);
      if (!section)
        continue;
      const Row *row = anySize ? findSmallerRow(*section, query.key)
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
  llvm::SmallVector<const Section *> sections = findSections(table, query);
  if (std::optional<Match> match =
          lookupOnDevice(table, sections, query, query.device))
    return match;
  if (query.exact)
    return std::nullopt;
  for (StringRef device : findOtherDevices(sections, query))
    if (std::optional<Match> match =
            lookupOnDevice(table, sections, query, device))
      return match;
  return std::nullopt;
}

std::vector<Match>
sattn::meta::list(const Table &table, const Query &query,
                  llvm::ArrayRef<std::optional<int64_t>> pattern) {
  SectionRule own = {differentOutDtype(query), query.sparsity};
  llvm::SmallVector<const Section *> sections = findSections(table, query);
  const Section *section = findSection(sections, query.device, own);
  if (!section && !query.exact)
    for (StringRef device : findOtherDevices(sections, query))
      if ((section = findSection(sections, device, own)))
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
  std::string smaller;
  if (schema.nearSize)
    smaller = ("of a smaller " + schema.keyNames[*schema.nearSize] +
               (schema.tileWidth ? " with the same tiles" : ""))
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
