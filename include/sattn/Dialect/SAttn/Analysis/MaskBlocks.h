//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The value of a mask_mod over a block of queries times a block of keys:
// nowhere true, everywhere true, or neither. The region is interpreted once,
// over ranges instead of numbers, and its verdict on a block becomes arithmetic
// on the ends of the ranges: constants where these are constant, else code of
// the kernel or of the host. The verdict is sound (a block that is called empty
// or full is), and exact for and, or and not of comparisons that are affine in
// the query and the key with coefficients of 1 and -1, with any terms that
// depend on neither, and with at most one congruence.

#ifndef SATTN_DIALECT_SATTN_ANALYSIS_MASKBLOCKS_H
#define SATTN_DIALECT_SATTN_ANALYSIS_MASKBLOCKS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"

#include <functional>
#include <memory>
#include <optional>

namespace sattn::mask {

/// Numbers from `lower` to `upper`, both among them, of i64. Empty where
/// `upper` is less.
struct Interval {
  mlir::Value lower, upper;
};

/// Which position of the element an index of a captured tensor is.
enum class Axis { Query, Key };

/// The operands of the region over a block: b, h, query, key, captures.
struct BlockOperands {
  /// Whether the third argument of the region is the key and the fourth the
  /// query, so that ranges are of queries; `getElements` is then null.
  bool isTransposed = false;
  /// Batch and head, of i64; the same in all of the block.
  mlir::Value batch, head;
  /// The ranges of queries and keys, not empty and at least 0.
  Interval query, key;
  /// The value of a capture, an integer or a float, which the region has after
  /// its first four arguments; null if unknown.
  std::function<mlir::Value(unsigned capture)> getNumber;
  /// The element of a captured tensor of integers at indices that are the same
  /// for all of the block; null where unknown.
  std::function<mlir::Value(unsigned capture, mlir::ValueRange indices)>
      getElement;
  /// The least and the greatest of the elements that the block's queries or
  /// keys, as the last index, read after these first indices, in i64.
  std::function<std::optional<Interval>(unsigned capture, mlir::ValueRange lead,
                                        Axis axis)>
      getElements;
};

/// The verdict on a block, of i1: whether the mask may be true for some
/// element, and whether it is true for all. Empty: not `any`; full: `all`; else
/// mixed.
struct Verdict {
  mlir::Value any, all;
};

/// Interprets a region with the arguments b, h, query and key of i32, then
/// captures, whose terminator has an i1. The code is made where the builder
/// stands.
class MaskBlocks {
public:
  MaskBlocks(mlir::OpBuilder &b, mlir::Location loc, mlir::Region &region,
             BlockOperands operands);
  ~MaskBlocks();

  Verdict getVerdict();

  /// Ranges of keys (transposed: of queries), at most `most` of them, outside
  /// of which the mask is false for all queries of the block, or with
  /// `isNegated` true for all of them. The ranges may overlap. Each is that of
  /// a key for which a query of the block makes a part of the mask true
  /// (false), where all of it is affine as above. Nothing where the mask has
  /// more parts. `operands.key` is that of all keys.
  std::optional<llvm::SmallVector<Interval>> getKeyRanges(bool isNegated,
                                                          unsigned most);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace sattn::mask

#endif // SATTN_DIALECT_SATTN_ANALYSIS_MASKBLOCKS_H
