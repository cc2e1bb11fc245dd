//===- Session.h - A module and what the compiler says of it ----*- C++ -*-===//

#ifndef SATTN_LIB_CAPI_SESSION_H
#define SATTN_LIB_CAPI_SESSION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace sattn::capi {

/// One call's context, module and messages.
class Session {
public:
  Session();

  /// Parses text or bytecode; a failure is among the messages.
  bool parse(llvm::StringRef source);

  mlir::MLIRContext &context() { return ctx; }
  mlir::ModuleOp module() { return *root; }

  /// Adds an error of ours.
  void fail(const llvm::Twine &message);

  /// The messages so far.
  llvm::StringRef messages() const { return text; }

  /// Gives the messages so far to the caller of the C function, who frees them;
  /// null if they are not requested.
  void giveMessages(char **messages) const;

private:
  mlir::MLIRContext ctx;
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> root;
};

/// A copy that sattn_text_free takes.
char *copyText(llvm::StringRef text);

/// Writes messages for the caller to free, if they are requested.
void giveText(char **messages, llvm::StringRef text);

/// Writes one line of an error in the same way.
void giveError(char **messages, const llvm::Twine &message);

} // namespace sattn::capi

#endif // SATTN_LIB_CAPI_SESSION_H
