//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// sparse-opt with what only tests need: the dialect sattn_test and test passes.
// By the pipelines it also translates: the kernels' image and the manifest are
// attributes of what sattn-to-ptx leaves.

#include "SAttnTestOptMain.h"

#include "Test.h"
#include "TestPasses.h"
#include "ToolOutput.h"

#include "sattn/InitAll.h"

int sattn::test::testOptMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  registry.insert<SAttnTestDialect>();
  wgtile::test::registerTestDropSyncPass();
  return optMain(argc, argv, "sattn-test-opt", "sattn test driver\n", registry);
}
