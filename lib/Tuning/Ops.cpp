//===- Ops.cpp - The ops that tables have rows of -------------------------===//
//
// The list of ops, which CMake writes.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Ops.h"
#include "OpTuning.h"
#include "sattn/Tuning/Misses.h"

#include "llvm/ADT/StringExtras.h"

using namespace sattn;
using namespace sattn::tuning;

namespace sattn::tuning {
#define SATTN_TUNED_OP(NAME) NamedOp get##NAME##ByName();
#include "TunedOps.inc"
} // namespace sattn::tuning

/// The tuned ops, in the order of their names.
static llvm::ArrayRef<NamedOp> getOps() {
  static const NamedOp ops[] = {
#define SATTN_TUNED_OP(NAME) get##NAME##ByName(),
#include "TunedOps.inc"
  };
  return ops;
}

meta::OpSchemas tuning::allSchemas() {
  static const std::vector<const meta::OpSchema *> schemas = [] {
    std::vector<const meta::OpSchema *> all;
    for (const NamedOp &op : getOps())
      all.push_back(op.schema);
    return all;
  }();
  return schemas;
}

std::vector<meta::Table>
tuning::loadTables(llvm::StringRef path, std::vector<std::string> &problems) {
  return meta::loadTables(path, allSchemas(), problems);
}

/// An op and a problem of it.
static llvm::Expected<std::pair<const NamedOp *, std::unique_ptr<TunedProblem>>>
readProblem(llvm::StringRef name, llvm::ArrayRef<NamedFact> facts) {
  for (const NamedOp &op : getOps()) {
    if (op.name != name)
      continue;
    NamedFacts given(facts);
    std::unique_ptr<TunedProblem> problem = op.read(given);
    if (llvm::Error error = given.takeError())
      return error;
    return std::pair(&op, std::move(problem));
  }
  llvm::SmallVector<llvm::StringRef> names;
  for (const NamedOp &op : getOps())
    names.push_back(op.name);
  return llvm::createStringError("expected an op out of " +
                                 llvm::join(names, ", ") + ", but got '" +
                                 name + "'");
}

/// Whether a problem has the key of a row, and no table that is searched has
/// the row. Looked into only where misses are logged.
static bool isMiss(const NamedOp &op, const TunedProblem &problem,
                   llvm::ArrayRef<meta::Table> tables, const Search &search) {
  if (!logsMisses() || search.device.empty() || !search.row.empty())
    return false;
  std::optional<meta::Query> query =
      makeQuery(*op.schema, problem.getKey(), search);
  if (!query)
    return false;
  query->exact = true;
  return llvm::none_of(tables, [&](const meta::Table &table) {
    return meta::lookup(table, *query).has_value();
  });
}

llvm::Expected<Choice> tuning::choose(llvm::StringRef name,
                                      llvm::ArrayRef<meta::Table> tables,
                                      llvm::ArrayRef<NamedFact> facts,
                                      const Search &search) {
  auto problem = readProblem(name, facts);
  if (!problem)
    return problem.takeError();
  llvm::Expected<Choice> choice = problem->second->choose(tables, search);
  if (choice)
    choice->estimate =
        problem->second->estimate(choice->parameters, search.target);
  if (choice && isMiss(*problem->first, *problem->second, tables, search))
    if (std::string failure = logMiss(name, facts); !failure.empty())
      choice->problems.push_back(std::move(failure));
  return choice;
}

llvm::Expected<std::optional<meta::Query>>
tuning::getQuery(llvm::StringRef name, llvm::ArrayRef<NamedFact> facts,
                 const Search &search) {
  auto problem = readProblem(name, facts);
  if (!problem)
    return problem.takeError();
  return makeQuery(*problem->first->schema, problem->second->getKey(), search);
}

llvm::Expected<Space> tuning::getSpace(llvm::StringRef name,
                                       llvm::ArrayRef<NamedFact> facts,
                                       const Target &target) {
  auto read = readProblem(name, facts);
  if (!read)
    return read.takeError();
  std::shared_ptr<TunedProblem> problem = std::move(read->second);
  Space space;
  space.defaults = problem->getDefaults(target);
  space.problem = [problem, target](const Parameters &candidate) {
    std::string reason = problem->findTileProblem(candidate, target);
    return reason.empty() ? problem->findHintsProblem(candidate, target)
                          : reason;
  };
  problem->addParameters(space, target);
  return space;
}

std::vector<std::string> tuning::getFactNames(llvm::StringRef name) {
  std::vector<std::string> names;
  for (const NamedOp &op : getOps()) {
    if (op.name != name)
      continue;
    NamedFacts none({});
    op.read(none);
    for (llvm::StringRef fact : none.getNames())
      names.push_back(fact.str());
  }
  return names;
}
