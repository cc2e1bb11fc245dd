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
#include <set>

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

/// The words before each use of an operator, such as `i` in `i floordiv 64`.
static std::set<StringRef> findOperands(StringRef text, StringRef op) {
  std::set<StringRef> operands;
  for (size_t at = text.find(op); at != StringRef::npos;
       at = text.find(op, at + 1)) {
    StringRef before = text.take_front(at).rtrim();
    operands.insert(before.drop_front(before.find_last_of("(, ") + 1));
  }
  return operands;
}

/// Whether an encoding of a sparse tensor has a dimension in blocks without its
/// place in the block, or the other way around: upstream's parser dereferences
/// null then (inverseBlockSparsity, LLVM 22.1).
static bool hasIncompleteBlocks(StringRef text) {
  for (size_t at = text.find("sparse_tensor"); at != StringRef::npos;
       at = text.find("sparse_tensor", at + 1)) {
    StringRef encoding = text.drop_front(at).split('}').first;
    if (findOperands(encoding, "floordiv") != findOperands(encoding, "mod"))
      return true;
  }
  return false;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = getContext();
  StringRef text(reinterpret_cast<const char *>(data), size);
  if (hasIncompleteBlocks(text))
    return 0;
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
