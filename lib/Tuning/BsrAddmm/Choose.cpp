//===- Choose.cpp - Parameters of bsr_addmm -------------------------------===//
//
// From what is known of one bsr_addmm to its key, its limits and its choice.
//
//===----------------------------------------------------------------------===//

#include "Declaration.h"

#include <algorithm>
#include <cmath>

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;
using sattn::meta::Query;
using sattn::meta::Section;
using sattn::meta::Table;

int64_t sattn::tuning::bsr_addmm::sparsityInHundredths(int64_t nnz,
                                                       int64_t blockRows,
                                                       int64_t blockColumns,
                                                       int64_t m, int64_t k) {
  if (m == 0 || k == 0)
    return 0;
  double stored = double(nnz) * double(blockRows) * double(blockColumns) /
                  (double(m) * double(k));
  return std::lround(std::max(0., 1 - stored) * 100);
}

static std::optional<int64_t> sparsityOf(const Facts &facts) {
  if (facts.sparsity || !facts.nnz || !facts.m || !facts.k)
    return facts.sparsity;
  return sparsityInHundredths(*facts.nnz, facts.blockRows, facts.blockColumns,
                              *facts.m, *facts.k);
}

/// Bytes of an element of that type: "bf16", "f8E4M3FN".
static int64_t bytesOf(llvm::StringRef dtype) {
  int64_t bits = 0;
  llvm::StringRef digits = dtype.ltrim("bfi");
  return digits.consumeInteger(10, bits) ? 2 : bits / 8;
}

/// The density by `nnz`, which hundredths round.
static std::optional<double> densityOf(const Facts &facts) {
  if (!facts.nnz || !facts.m || !facts.k || *facts.m == 0 || *facts.k == 0)
    return std::nullopt;
  double stored = static_cast<double>(*facts.nnz) *
                  static_cast<double>(facts.blockRows) *
                  static_cast<double>(facts.blockColumns);
  return std::min(1.0, stored / (static_cast<double>(*facts.m) *
                                 static_cast<double>(*facts.k)));
}

Problem sattn::tuning::bsr_addmm::makeProblem(const Facts &facts) {
  Problem problem;
  problem.m = facts.m;
  problem.n = facts.n;
  problem.k = facts.k;
  problem.blockRows = facts.blockRows;
  problem.blockColumns = facts.blockColumns;
  problem.batches = facts.batches;
  problem.elementBytes = bytesOf(facts.dtype);
  problem.sparsity = sparsityOf(facts);
  if (!facts.sparsity)
    problem.density = densityOf(facts);
  problem.longestRow = facts.longestRow;
  problem.alongK = facts.alongK;
  problem.takesRowBlockGroups = facts.takesRowBlockGroups;
  return problem;
}

TableKey sattn::tuning::bsr_addmm::getKey(const Facts &facts) {
  TableKey key;
  key.dtype = facts.dtype;
  key.outDtype = facts.outDtype;
  key.sparsity = sparsityOf(facts);
  key.numbers = {facts.m,
                 facts.k,
                 facts.n,
                 facts.blockRows,
                 facts.blockColumns,
                 facts.beta == 0,
                 facts.beta == 1,
                 facts.alpha == 1};
  return key;
}

static Query queryOf(const Facts &facts, const Search &search) {
  return *makeQuery(kSchema, getKey(facts), search);
}

static llvm::Expected<Choice>
chooseRow(const Facts &facts, const Problem &problem, const Search &search) {
  if (!facts.m || !facts.n || !facts.k)
    return llvm::createStringError("expected known M, N and K");
  llvm::Expected<Section> section =
      sattn::meta::makeSection(queryOf(facts, search), search.row);
  if (!section)
    return section.takeError();
  llvm::Expected<Parameters> fitted =
      fitRow(*section, section->rows.front(), problem, search.target);
  if (!fitted)
    return fitted.takeError();
  Choice choice;
  choice.parameters = *fitted;
  choice.origin = "the option 'row'";
  return choice;
}

static Choice chooseDefault(const Problem &problem, const Target &target,
                            llvm::StringRef reason) {
  Choice choice;
  choice.parameters = defaultParameters(problem, target);
  choice.origin = ("the computed default" + reason).str();
  return choice;
}

static llvm::Expected<Choice> chooseAny(llvm::ArrayRef<Table> tables,
                                        const Facts &facts,
                                        const Search &search) {
  Problem problem = makeProblem(facts);
  if (!search.row.empty())
    return chooseRow(facts, problem, search);
  if (search.device.empty())
    return chooseDefault(problem, search.target, "");
  if (facts.m && facts.n && facts.k)
    return sattn::tuning::choose(
        tables, queryOf(facts, search),
        [&](const Section &section, const sattn::meta::Row &row) {
          return fitRow(section, row, problem, search.target);
        },
        [&] { return defaultParameters(problem, search.target); },
        [&](const Parameters &parameters) {
          return estimateCycles(problem, parameters, search.target);
        });
  llvm::StringRef missing = !facts.m ? "M" : !facts.n ? "N" : "K";
  return chooseDefault(
      problem, search.target,
      (" (a row is found by M, N and K, and " + missing + " is not known)")
          .str());
}

llvm::Expected<Choice>
sattn::tuning::bsr_addmm::choose(llvm::ArrayRef<Table> tables,
                                 const Facts &facts, const Search &search) {
  llvm::Expected<Choice> choice = chooseAny(tables, facts, search);
  // A plan merges block rows of one batch's own blocks.
  if (choice && facts.sharesColumns)
    choice->parameters.rows = facts.blockRows;
  if (choice && facts.plannedBlockRows &&
      choice->parameters.rows > facts.blockRows)
    choice->parameters.rows = facts.blockRows * *facts.plannedBlockRows;
  return choice;
}
