//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseOptMain.h"

#include "ToolOutput.h"

#include "sattn/InitAll.h"
#include "sattn/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int sattn::sparseOptMain(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << versionText("sparse-opt"); });
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  return optMain(argc, argv, "sparse-opt", "sattn optimizer driver\n",
                 registry);
}
