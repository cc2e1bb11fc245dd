//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Pipelines/SAttnEntry.h"

#include "sattn/Codegen/Passes.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void sattn::buildSAttnEntryPipeline(mlir::OpPassManager &pm,
                                    llvm::StringRef precision) {
  SAttnRaiseLinalgOptions raise;
  raise.precision = precision.str();
  pm.addPass(createSAttnRaiseLinalg(raise));
  pm.addPass(createSAttnUnpackBsr());
  // A program is one function: host code makes no calls, and contracts are
  // those of its own ops. Nothing else is simplified yet.
  pm.addPass(createSAttnAllowInlining());
  pm.addPass(mlir::createInlinerPass({}, [](mlir::OpPassManager &) {}));
  pm.addPass(createSAttnResultsToArguments());
  pm.addPass(createSAttnRecordContracts());
}
