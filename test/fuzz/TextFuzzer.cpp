//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Any text as a program with ops of `sattn`: it is refused by the parser or by
// verifiers, or it is a module, whose printed form is one too.

#include "TokenMutator.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;

/// Types and attributes are kept by the context; so that memory stays bounded
/// it is made anew now and then.
static MLIRContext &getContext() {
  static std::unique_ptr<MLIRContext> context;
  static int uses = 0;
  if (uses++ % 1000 == 0) {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, sattn::SAttnDialect>();
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    context->getDiagEngine().registerHandler([](Diagnostic &) {});
  }
  return *context;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = getContext();
  StringRef text(reinterpret_cast<const char *>(data), size);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return 0;
  std::string printed = print(*module);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(printed, &context);
  if (again && print(*again) == printed)
    return 0;
  llvm::errs() << "expected the printed form to be read as the same module:\n"
               << printed << "\n";
  abort();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::string text = sattn::fuzz::mutateTokens(
      std::string(reinterpret_cast<char *>(data), size), seed);
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), length);
  return length;
}
