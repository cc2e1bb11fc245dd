//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramProblems.h"

#include "ToolOutput.h"

#include "sattn/Dialect/SAttn/IR/TuningOpInterface.h"
#include "sattn/InitAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace sattn;
using namespace sattn::tune;
using tuner::Problem;

llvm::Expected<std::vector<Problem>>
sattn::tune::readProgramProblems(const std::string &path,
                                 llvm::ArrayRef<int64_t> sizes,
                                 std::optional<int64_t> sparsity) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file =
      mlir::openInputFile(path, &message);
  if (!file)
    return llvm::createStringError(message);
  if (mlir::failed(checkText(path, file->getBuffer())))
    return llvm::createStringError("'" + path + "' is no valid program");
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler printer(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return llvm::createStringError("'" + path + "' is no valid program");
  TuningHints hints;
  if (!sizes.empty()) {
    hints.m = sizes[0];
    hints.n = sizes[1];
    hints.k = sizes[2];
  }
  hints.sparsity = sparsity;
  std::vector<Problem> problems;
  module->walk([&](TuningOpInterface op) {
    Problem problem{op->getName().stripDialect().str(), {}};
    for (const tuning::NamedFact &fact : op.getTuningFacts(hints)) {
      if (fact.text)
        problem.facts.push_back({fact.name.str(), fact.text->str()});
      else
        problem.facts.push_back({fact.name.str(), fact.number});
    }
    llvm::sort(problem.facts, [](const tuner::Fact &a, const tuner::Fact &b) {
      return a.name < b.name;
    });
    if (!llvm::is_contained(problems, problem))
      problems.push_back(std::move(problem));
  });
  if (problems.empty())
    return llvm::createStringError(
        "'" + path + "': expected ops that have parameters, but got none");
  return problems;
}
