//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Passes over any program, prepared for them or not: they end, and a pass that
// fails says why. The first line of an input names the passes (lit_seeds.py).

#include "TokenMutator.h"

#include "sattn/InitAll.h"
#include "sattn/UnreadableText.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;

/// The counters that libFuzzer takes for coverage. The passes are not compiled
/// with coverage, since that compiles most of the project a second time:
/// instead, an input is new where a pass emits another diagnostic or leaves
/// other ops.
__attribute__((
    section("__libfuzzer_extra_counters"))) static uint8_t features[1 << 16];

static void noteFeature(llvm::hash_code hash) {
  features[static_cast<size_t>(hash) % sizeof(features)] = 1;
}

/// The passes that run, and the errors that they have emitted.
static std::string passes;
static int numErrors = 0;

/// The ops of a module, each with the one around it, before or after passes.
static void noteOps(ModuleOp module, StringRef when) {
  module.walk([&](Operation *op) {
    Operation *parent = op->getParentOp();
    noteFeature(llvm::hash_combine(
        passes, when, op->getName().getStringRef(), op->getNumOperands(),
        parent ? parent->getName().getStringRef() : StringRef()));
  });
}

static void noteDiagnostic(Diagnostic &diagnostic) {
  numErrors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
  std::string text = diagnostic.str();
  llvm::erase_if(text, llvm::isDigit);
  noteFeature(llvm::hash_combine(passes, text));
}

/// Types and attributes are kept by the context; so that memory stays bounded
/// it is made anew now and then.
static MLIRContext &getContext() {
  static DialectRegistry registry;
  static std::unique_ptr<MLIRContext> context;
  static int uses = 0;
  if (uses == 0) {
    sattn::registerAllDialects(registry);
    sattn::registerAllPasses();
  }
  if (uses++ % 1000 == 0) {
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    context->getDiagEngine().registerHandler(noteDiagnostic);
  }
  return *context;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = getContext();
  auto [line, program] =
      StringRef(reinterpret_cast<const char *>(data), size).split('\n');
  if (!line.consume_front("// "))
    return -1;
  passes = line.str();
  llvm::erase_if(passes, llvm::isDigit);
  PassManager manager(&context, ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  if (failed(parsePassPipeline(line, manager, llvm::nulls())))
    return -1;
  // As the tools do.
  if (sattn::findUnreadable(program))
    return 0;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &context);
  if (!module)
    return 0;
  noteOps(*module, "before");
  numErrors = 0;
  if (failed(manager.run(*module))) {
    if (numErrors > 0)
      return 0;
    llvm::errs() << "expected a diagnostic of the pass that failed\n";
    abort();
  }
  noteOps(*module, "after");
  return 0;
}

static size_t copyText(const std::string &text, uint8_t *out, size_t maxSize) {
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(out, text.data(), length);
  return length;
}

static std::pair<StringRef, StringRef> splitInput(const uint8_t *data,
                                                  size_t size) {
  return StringRef(reinterpret_cast<const char *>(data), size).split('\n');
}

/// Mutates either a number among the passes' options or the program.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  auto [line, program] = splitInput(data, size);
  std::string text =
      seed % 8 == 0
          ? sattn::fuzz::mutateNumber(line.str(), seed) + "\n" + program.str()
          : line.str() + "\n" + sattn::fuzz::mutateTokens(program.str(), seed);
  return copyText(text, data, maxSize);
}

/// The program of one input under the passes of another, or of both.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2,
                                            uint8_t *out, size_t maxSize,
                                            unsigned seed) {
  auto [line, program] = splitInput(data1, size1);
  std::string text = splitInput(data2, size2).first.str();
  constexpr size_t maxLine = 200;
  if (seed % 2 == 0 && text.size() + line.size() < maxLine && text.size() > 3 &&
      line.consume_front("// ") && !line.empty())
    text += "," + line.str();
  return copyText(text + "\n" + program.str(), out, maxSize);
}
