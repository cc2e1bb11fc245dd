//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramSource.h"

#include "ToolOutput.h"

#include "sattn/Pipelines/SAttnEntry.h"
#include "sattn/Target/Chip.h"
#include "sattn/Target/Manifest.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::run;
using runtime::Error;
using runtime::ErrorOr;
using runtime::Manifest;

struct DiagnosticPrinter::Handler : SourceMgrDiagnosticHandler {
  Handler(llvm::SourceMgr &sources, MLIRContext *context, bool remarks)
      : SourceMgrDiagnosticHandler(sources, context) {
    context->printOpOnDiagnostic(false);
    setHandler([this, remarks](Diagnostic &diagnostic) {
      if (remarks || diagnostic.getSeverity() != DiagnosticSeverity::Remark)
        emitDiagnostic(diagnostic);
    });
  }
};

DiagnosticPrinter::DiagnosticPrinter(std::shared_ptr<llvm::SourceMgr> sources,
                                     MLIRContext *context, bool remarks)
    : handler(std::make_unique<Handler>(*sources, context, remarks)) {}

DiagnosticPrinter::~DiagnosticPrinter() = default;

static ErrorOr<std::string> findEntry(ModuleOp module, const std::string &path,
                                      const std::string &entry) {
  if (!entry.empty()) {
    auto function = module.lookupSymbol<func::FuncOp>(entry);
    if (!function)
      return Error("option '--entry': no function '" + entry + "' in '" + path +
                   "'");
    if (function.isExternal())
      return Error("option '--entry': function '" + entry + "' has no body");
    return entry;
  }
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      candidates.push_back(function);
  if (candidates.empty())
    return Error("'" + path + "' has no public function with a body");
  if (candidates.size() > 1)
    return Error("'" + path + "' has " + std::to_string(candidates.size()) +
                 " public functions; choose one with --entry");
  return candidates.front().getName().str();
}

ErrorOr<ProgramSource> sattn::run::loadProgram(MLIRContext *context,
                                               const std::string &path,
                                               const std::string &entry,
                                               bool remarks,
                                               const std::string &precision) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file)
    return Error(message);
  if (failed(checkText(path, file->getBuffer())))
    return Error("'" + path + "' is no valid program");
  ProgramSource program;
  program.sources = std::make_shared<llvm::SourceMgr>();
  // A copy, because the parser of bytecode reads beyond some buffers' ends.
  program.sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(file->getBuffer(), path), SMLoc());
  program.printer =
      std::make_unique<DiagnosticPrinter>(program.sources, context, remarks);
  program.module = parseSourceFile<ModuleOp>(*program.sources, context);
  if (!program.module)
    return Error("'" + path + "' is no valid program");
  ErrorOr<std::string> name = findEntry(*program.module, path, entry);
  if (!name)
    return name.takeError();
  program.entry = *name;
  // Functions that the entry does not use are neither compiled nor run.
  for (auto function :
       llvm::make_early_inc_range(program.module->getOps<func::FuncOp>()))
    if (function.getName() != program.entry &&
        SymbolTable::symbolKnownUseEmpty(function, *program.module))
      function.erase();
  // The entry is called from outside, whatever its visibility; functions
  // without callers go away.
  program.module->lookupSymbol<func::FuncOp>(program.entry).setPublic();
  // From here on the functions have the arguments that are passed.
  PassManager pm(context);
  buildSAttnEntryPipeline(pm, precision);
  if (failed(pm.run(*program.module)))
    return Error("the program's arguments could not be described");
  return program;
}

ErrorOr<Manifest> sattn::run::describeProgram(ProgramSource &program) {
  FailureOr<std::string> text = emitManifest(
      program.module->lookupSymbol<func::FuncOp>(program.entry), kCPUTarget);
  if (failed(text))
    return Error("function '" + program.entry +
                 "' takes arguments that sparse-run cannot pass");
  return runtime::parseManifest(*text);
}

std::vector<std::string> sattn::run::getUnitAttributes(ProgramSource &program,
                                                       const std::string &op) {
  std::vector<std::string> names;
  auto function = program.module->lookupSymbol<func::FuncOp>(program.entry);
  function.walk([&](Operation *other) {
    if (other->getName().stripDialect() != op)
      return WalkResult::advance();
    for (NamedAttribute attribute : other->getAttrDictionary())
      if (isa<UnitAttr>(attribute.getValue()))
        names.push_back(attribute.getName().str());
    return WalkResult::interrupt();
  });
  return names;
}

std::vector<std::vector<int64_t>>
sattn::run::getDeclaredShapes(ProgramSource &program) {
  std::vector<std::vector<int64_t>> shapes;
  auto function = program.module->lookupSymbol<func::FuncOp>(program.entry);
  for (Type type : function.getArgumentTypes()) {
    std::vector<int64_t> &shape = shapes.emplace_back();
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (int64_t extent : tensor.getShape())
        shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  }
  return shapes;
}

std::optional<size_t> sattn::run::findResultArgument(ProgramSource &program) {
  auto function = program.module->lookupSymbol<func::FuncOp>(program.entry);
  if (!function.getBody().hasOneBlock())
    return std::nullopt;
  bufferization::BufferizationOptions options;
  bufferization::AnalysisState state(options);
  bufferization::TraversalConfig onlyArguments;
  onlyArguments.alwaysIncludeLeaves = false;
  auto isArgument = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &function.getBody().front();
  };
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &result : llvm::reverse(terminator->getOpOperands())) {
    if (!isa<RankedTensorType>(result.get().getType()))
      continue;
    SetVector<Value> found =
        state.findValueInReverseUseDefChain(&result, isArgument, onlyArguments);
    if (found.size() == 1)
      return cast<BlockArgument>(found.front()).getArgNumber();
  }
  return std::nullopt;
}
