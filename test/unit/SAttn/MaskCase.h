//===- MaskCase.h - A mask and its blocks -----------------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verdict on each block of a mask beside what its elements say.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_UNIT_SATTN_MASKCASE_H
#define TEST_UNIT_SATTN_MASKCASE_H

#include "RegionEvaluator.h"

#include "sattn/Reference/MaskBlocks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

struct MaskCounts {
  int64_t blocks = 0;
  /// Called empty or full, wrongly.
  int64_t wrong = 0;
  /// Called mixed, but empty or full.
  int64_t needless = 0;
};

/// A mask of two vectors of i32 beside b, h, q and k.
class MaskCase {
public:
  /// `body` gives %r of i1 from %b, %h, %q, %k of i32 and %doc and %noise of
  /// tensor<?xi32>. Fails the test where it does not parse.
  MaskCase(mlir::MLIRContext &context, const std::string &body);

  /// The vectors are as long as the queries and the keys.
  MaskCounts count(const sattn::reference::MaskSizes &sizes,
                   const std::vector<std::vector<int32_t>> &vectors);
  /// The keys that are left out of the ranges of some block of queries and that
  /// a query sees, or with `isNegated` does not see; -1 where the mask has more
  /// parts than `most`.
  int64_t countMissingKeys(const sattn::reference::MaskSizes &sizes,
                           bool isNegated, unsigned most);

private:
  mlir::Block &makeFunction(mlir::Block &at, unsigned arguments);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Region *mask = nullptr;
};

#endif // TEST_UNIT_SATTN_MASKCASE_H
