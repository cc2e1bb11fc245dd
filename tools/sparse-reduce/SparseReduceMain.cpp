//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseReduceMain.h"

#include "sattn/InitAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

int sattn::sparseReduceMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  mlir::MLIRContext context(registry);
  // The verifier refuses many of the smaller programs that are tried, which is
  // of no interest unless none is found.
  std::string errors;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
      return mlir::failure();
    llvm::raw_string_ostream(errors)
        << diagnostic.getLocation() << ": error: " << diagnostic << "\n";
    return mlir::success();
  });
  bool hasFailed = failed(mlir::mlirReduceMain(argc, argv, context));
  if (hasFailed)
    llvm::errs() << errors;
  return hasFailed;
}
