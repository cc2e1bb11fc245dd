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

#include "sattn/Dialect/SAttn/Analysis/MaskBlocks.h"
#include "sattn/Reference/MaskBlocks.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

struct MaskCounts {
  int64_t blocks = 0;
  /// Called empty or full, wrongly.
  int64_t wrong = 0;
  /// Called mixed, but empty or full.
  int64_t needless = 0;
};

struct RangeCounts {
  /// Positions that no range has, but an element of the block needs.
  int64_t missing = 0;
  /// Positions that a range has, but no element of the block needs.
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
  /// Compares the ranges of a block's positions along `along` with its
  /// elements: `Key`: of keys for each block of queries; `Query`: of queries
  /// for each block of keys. With `isNegated` an element is needed where it is
  /// not seen. Nothing where the mask has more parts than `most`.
  std::optional<RangeCounts>
  countRanges(const sattn::reference::MaskSizes &sizes,
              const std::vector<std::vector<int32_t>> &vectors,
              sattn::mask::Axis along, bool isNegated, unsigned most);

private:
  mlir::Block &makeFunction(mlir::Block &at, unsigned arguments);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Region *mask = nullptr;
};

#endif // TEST_UNIT_SATTN_MASKCASE_H
