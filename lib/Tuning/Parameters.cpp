//===- Parameters.cpp - From tables to parameters -------------------------===//
//
// The first row that fits, and the default where none does.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Parameters.h"

using namespace sattn::tuning;
using namespace sattn::meta;

Choice sattn::tuning::choose(llvm::ArrayRef<Table> tables, const Query &query,
                             FitRow fitRow,
                             llvm::function_ref<Parameters()> computeDefault) {
  Choice choice;
  for (const Table &table : tables) {
    std::optional<Match> match = lookup(table, query);
    if (!match)
      continue;
    llvm::Expected<Parameters> fitted = fitRow(*match->section, *match->row);
    if (fitted) {
      choice.parameters = *fitted;
      choice.origin = match->describe();
      return choice;
    }
    choice.problems.push_back(match->describe() + " fits no tile: " +
                              llvm::toString(fitted.takeError()));
  }
  choice.parameters = computeDefault();
  choice.origin = "the computed default (no table has a row that does for " +
                  query.describe() + ")";
  return choice;
}
