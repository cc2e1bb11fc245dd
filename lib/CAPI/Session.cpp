//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "sattn/InitAll.h"
#include "sattn/Remarks.h"
#include "sattn/UnreadableText.h"

#include "mlir/IR/Location.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace sattn;
using namespace sattn::capi;

static const DialectRegistry &allDialects() {
  static const DialectRegistry *registry = [] {
    auto *result = new DialectRegistry();
    sattn::registerAllDialects(*result);
    return result;
  }();
  return *registry;
}

static StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "message";
}

/// Prints a message such as "3:8: error: text". Ops that passes made may lie at
/// several places; the first tells.
static void print(llvm::raw_ostream &os, Diagnostic &diagnostic) {
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    os << place.getLine() << ":" << place.getColumn() << ": ";
  os << nameOf(diagnostic.getSeverity()) << ": " << diagnostic << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    print(os, note);
}

Session::Session()
    : ctx(allDialects(), MLIRContext::Threading::DISABLED),
      handler(&ctx, [this](Diagnostic &diagnostic) {
        llvm::raw_string_ostream os(text);
        print(os, diagnostic);
      }) {
  ctx.printOpOnDiagnostic(false);
  enableRemarks(ctx);
}

bool Session::parse(StringRef source) {
  // A copy that ends in a null character, which the parser of text needs; the
  // one of bytecode reads beyond some buffers' ends.
  if (std::optional<std::string> reason = findUnreadable(source)) {
    text += *reason + "\n";
    return false;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(source, "source"), llvm::SMLoc());
  root = parseSourceFile<ModuleOp>(sources, ParserConfig(&ctx));
  return bool(root);
}

void Session::fail(const llvm::Twine &message) {
  text += ("error: " + message + "\n").str();
}

void Session::giveMessages(char **messages) const { giveText(messages, text); }

void sattn::capi::giveText(char **messages, StringRef text) {
  if (messages)
    *messages = copyText(text);
}

void sattn::capi::giveError(char **messages, const llvm::Twine &message) {
  giveText(messages, ("error: " + message + "\n").str());
}

char *sattn::capi::copyText(StringRef text) {
  auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}
