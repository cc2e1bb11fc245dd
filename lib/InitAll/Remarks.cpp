//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Remarks.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

void sattn::enableRemarks(MLIRContext &context) {
  // Upstream's `all` adds to kinds that are on, and turns none on.
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = "(sattn|wgtile)-.*";
  // Nothing fails without an output file.
  (void)remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr,
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}
