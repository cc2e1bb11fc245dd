//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_PATTERN_H
#define SATTN_TOOLS_SPARSERUN_PATTERN_H

#include "sattn/Runtime/Error.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sattn::run {

/// A random pattern of stored blocks: which, of a grid of `rows` x `columns`.
struct Pattern {
  uint64_t seed = 0;
  int64_t rows = 0, columns = 0;
  /// Stored blocks.
  int64_t nnz = 0;
  /// Stored blocks of the longest block row, where that is given; the others
  /// then have about as many as each other.
  std::optional<int64_t> longestRow;
  /// Number of batches with the pattern; nothing without a batch dimension.
  std::optional<int64_t> batches;

  /// Reads "SEED:grid=64x128:nnz=819", with ":longest=L" and ":batch=B" where
  /// they are wanted. An error names the argument.
  static runtime::ErrorOr<Pattern> parse(llvm::StringRef text,
                                         const std::string &argument);

  /// The number of the first block of each block row, and of the end; the same
  /// for each batch.
  std::vector<int64_t> getOffsets() const;
  /// The block column of each block; those of a row are sorted and different.
  std::vector<int64_t> getColumns() const;

private:
  /// Stored blocks of each block row.
  std::vector<int64_t> countBlocks() const;
};

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_PATTERN_H
