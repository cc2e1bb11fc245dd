//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// sparse-translate with the dialect sattn_test.

#include "Test.h"

#include "sparse-translate/SparseTranslateMain.h"

static void addTestDialect(mlir::DialectRegistry &registry) {
  registry.insert<sattn::test::SAttnTestDialect>();
}

int main(int argc, char **argv) {
  return sattn::sparseTranslateMain(argc, argv, addTestDialect);
}
