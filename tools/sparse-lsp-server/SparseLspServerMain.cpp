//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseLspServerMain.h"

#include "sattn/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

int sattn::sparseLspServerMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
