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
  /// Which blocks of each row count: all, the first of each, or all others.
  enum class Part { All, First, Rest };

  /// Numbers of which kind a word stands for: "crow" and "col", offsets and
  /// columns of the blocks, or "counts" and "indices", the number of each row's
  /// blocks and, padded by zeros to all columns, which they are.
  llvm::StringRef kind;
  uint64_t seed = 0;
  int64_t rows = 0, columns = 0;
  /// Stored blocks.
  int64_t nnz = 0;
  /// Stored blocks of the longest block row, where that is given; the others
  /// then have about as many as each other.
  std::optional<int64_t> longestRow;
  /// Extents of the batch dimensions, each of whose entries has the pattern.
  std::vector<int64_t> batches;
  Part part = Part::All;
  /// Whether block columns stand for rows, after the part is taken.
  bool isTransposed = false;

  /// Whether an argument's word is a pattern's, by its first part.
  static bool isWord(llvm::StringRef word);
  /// Reads "KIND:SEED:grid=64x128:nnz=819", with ":longest=L", ":batch=B" or
  /// ":batch=BxH", ":part=first" or ":part=rest" and ":transposed" where they
  /// are wanted. An error names the argument.
  static runtime::ErrorOr<Pattern> parse(llvm::StringRef word,
                                         const std::string &argument);

  /// The numbers of one batch, and their extents.
  struct Indices {
    std::vector<int64_t> numbers, shape;
  };
  /// The numbers of the word's kind; columns of a row are sorted and different.
  Indices getIndices() const;

private:
  /// Stored blocks of each block row of the grid.
  std::vector<int64_t> countBlocks() const;
  /// The columns of each row of the part, transposed where that is wanted.
  std::vector<std::vector<int64_t>> getRows() const;
};

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_PATTERN_H
