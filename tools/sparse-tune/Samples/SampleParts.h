//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETUNE_SAMPLES_SAMPLEPARTS_H
#define SATTN_TOOLS_SPARSETUNE_SAMPLES_SAMPLEPARTS_H

#include "../SampleProgram.h"

#include <optional>

namespace sattn::tune {

/// An op that there are samples of.
struct SampledOp {
  llvm::StringLiteral name;
  llvm::Expected<SampleProgram> (*make)(const tuner::Problem &problem);
};

/// Rows and columns of a matrix, and heads of attention, where no fact gives
/// them.
inline constexpr int64_t kSize = 4096, kHeads = 8;

/// An op's operands as the argument list of a function, with a word of
/// sparse-run for each.
class Arguments {
public:
  /// Adds an argument, and returns its type.
  std::string add(llvm::StringRef name, std::string type, std::string word);
  /// Adds a random array, whose extents are dynamic but for the last
  /// `staticCount`, and returns its type.
  std::string addArray(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                       llvm::StringRef element, size_t staticCount = 0);

  /// A function of these arguments, whose results have the types `results`.
  SampleProgram makeFunction(llvm::StringRef body,
                             llvm::StringRef results) const;

  std::string text;
  std::vector<std::string> words;
};

/// The stored blocks of a matrix.
struct Blocks {
  /// Block rows, block columns, and stored blocks.
  int64_t rows, columns, nnz;
  /// Stored blocks of the longest block row.
  std::optional<int64_t> longest = {};

  /// The word of their offsets ("crow") or block columns ("col").
  std::string word(llvm::StringRef kind, int seed = 1) const;
};

int64_t sizeOf(const tuner::Problem &problem, llvm::StringRef name,
               int64_t otherwise);

/// The element type, or one of so many bytes.
llvm::StringRef elementOf(const tuner::Problem &problem);

/// The type of scalars beside elements of a type.
llvm::StringRef scalarOf(llvm::StringRef element);

/// The part of blocks that is stored, where their number is not known.
double densityOf(const tuner::Problem &problem);

/// Names of the facts of a pattern, and the number of equal patterns whose
/// blocks are counted together.
struct PatternFacts {
  llvm::StringLiteral blockRows = "block_rows", blockColumns = "block_columns",
                      stored = "nnz";
  int64_t patterns = 1;
};

/// The pattern of a matrix of rows x columns elements. An error where the size
/// of a block is not known.
llvm::Expected<Blocks> blocksOf(const tuner::Problem &problem, int64_t rows,
                                int64_t columns,
                                const PatternFacts &names = {});

/// A program of an op on the rows of stored blocks, whose inputs and output
/// have one type.
llvm::Expected<SampleProgram>
makeRowsSample(const tuner::Problem &problem,
               llvm::ArrayRef<const char *> inputs);

} // namespace sattn::tune

#endif // SATTN_TOOLS_SPARSETUNE_SAMPLES_SAMPLEPARTS_H
