//===- Lookup.cpp - Rules of look-up --------------------------------------===//
//
// From the exact row to one of another device, step by step.
//
//===----------------------------------------------------------------------===//

#include "sattn/MetaTable/Lookup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <set>

using namespace sattn::meta;
using llvm::StringRef;

int64_t sattn::meta::sparsityInHundredths(int64_t nnz, int64_t blockRows,
                                          int64_t blockColumns, int64_t m,
                                          int64_t k) {
  if (m == 0 || k == 0)
    return 0;
  double stored = double(nnz) * double(blockRows) * double(blockColumns) /
                  (double(m) * double(k));
  return std::lround(std::max(0., 1 - stored) * 100);
}

int64_t sattn::meta::tileWidth(const Section &section, const Row &row) {
  if (std::optional<int64_t> tile = section.get(row, "tile_n"))
    return *tile;
  return row.key[kKeyN] / section.get(row, "SPLIT_N").value();
}

/// The device's name without what tells apart cards of one chip: "NVIDIA A100"
/// of "NVIDIA A100-PCIE-40GB". A digit that follows makes it another chip.
static bool isChip(StringRef device, StringRef chip) {
  return device.consume_front(chip) &&
         (device.empty() || !llvm::isDigit(device.front()));
}

static bool isHopper(StringRef device) {
  return isChip(device, "NVIDIA H100") || isChip(device, "NVIDIA H200") ||
         isChip(device, "NVIDIA GH200");
}

/// The devices of a table whose rows do for `device`, itself left out.
static llvm::SmallVector<StringRef> familyDevices(const Table &table,
                                                  StringRef device) {
  std::set<StringRef> names;
  for (const Section &section : table.sections) {
    StringRef name = section.device;
    bool isFamily = isChip(device, "NVIDIA A100")
                        ? name == "NVIDIA A100-SXM4-80GB"
                        : isHopper(device) && isHopper(name);
    if (isFamily && name != device)
      names.insert(name);
  }
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
    return section.op == query.op && section.device == device &&
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

/// The row of the largest n <= N whose tiles divide N.
static const Row *findNarrowerRow(const Section &section,
                                  llvm::ArrayRef<int64_t> key) {
  const Row *best = nullptr;
  int64_t n = key[kKeyN];
  for (const Row &row : section.rows) {
    llvm::SmallVector<int64_t, 8> sameN(row.key);
    sameN[kKeyN] = n;
    if (llvm::ArrayRef<int64_t>(sameN) == key && row.key[kKeyN] <= n &&
        n % tileWidth(section, row) == 0)
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
  for (bool anyN : {false, true}) {
    for (const SectionRule &rule : rules) {
      const Section *section = findSection(table, query, device, rule);
      if (!section)
        continue;
      const Row *row = anyN ? findNarrowerRow(*section, query.key)
                            : findRow(*section, query.key);
      if (!row)
        continue;
      Match match;
      match.table = &table;
      match.section = section;
      match.row = row;
      match.otherSparsity = rule.sparsity != query.sparsity;
      match.otherOutDtype = rule.outDtype != outDtype;
      match.otherN = anyN;
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
  for (StringRef device : familyDevices(table, query.device))
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
    for (StringRef device : familyDevices(table, query.device))
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
  llvm::SmallVector<StringRef> rules;
  if (otherSparsity)
    rules.push_back("of sparsity 0.5");
  if (otherOutDtype)
    rules.push_back("of the operands' type alone");
  if (otherN)
    rules.push_back("of a smaller N with the same tiles");
  if (otherDevice)
    rules.push_back("of the device's family");
  return "row " + describeKey(*findSchema(section->op), row->key) + " of " +
         section->describe() + " in " + table->name + " (" +
         (rules.empty() ? "exact" : llvm::join(rules, ", ")) + ")";
}

std::string Query::describe() const {
  Section section;
  section.op = op + " " + describeKey(*findSchema(op), key);
  section.device = device;
  section.version = version;
  section.dtype = dtype;
  section.outDtype = differentOutDtype(*this);
  section.sparsity = sparsity;
  return section.describe();
}

llvm::Expected<Section>
sattn::meta::makeSection(const Query &query,
                         llvm::ArrayRef<std::string> parameters) {
  Section section;
  section.op = query.op;
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
