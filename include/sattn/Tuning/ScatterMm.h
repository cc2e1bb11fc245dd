//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// How the parameters of one scatter_mm are chosen, from what is known of it.

#ifndef SATTN_TUNING_SCATTERMM_H
#define SATTN_TUNING_SCATTERMM_H

#include "sattn/Tuning/Parameters.h"

namespace sattn::tuning::scatter_mm {

/// The known facts of one scatter_mm. Sizes are in elements.
struct Facts {
  /// Rows and columns of a block, at least 1.
  int64_t blockRows = 0, blockColumns = 0;
  /// Bytes of an element of `blocks` and `others`: 2 or 4.
  int64_t elementBytes = 2;
  /// The element type, if known.
  std::string dtype = {};
  /// Columns of a matrix that is added to, if known.
  std::optional<int64_t> n;
  /// Sizes of the whole problem, by which rows of tables are found, if known: N
  /// is `n` where it is not.
  std::optional<int64_t> m, k, wholeN;
  /// Part of the others that a list does not have on average, in hundredths, if
  /// known.
  std::optional<int64_t> sparsity;
};

/// Cycles of a kernel by the cost model (sattn/Resources/Cost.h). Nothing
/// unless M, N, K and the sparsity are known, and the target is a GPU.
std::optional<double> estimateCycles(const Facts &facts, const Parameters &tile,
                                     const Target &target);

/// The parameters without a table's row: a block's rows and columns, or a part
/// of them where they are more than a tile can have, and the next multiple of
/// what MMAs take where none divides them; the rows of two blocks where entries
/// that follow each other share a tile.
Parameters defaultParameters(const Facts &facts, const Target &target);

/// Makes the tile one that the target can take: on the CPU its rows and K
/// columns divide those of a block.
void fitTo(const Facts &facts, const Target &target, Parameters &parameters);

/// The default, with the numbers of `search.row` in the place of its own:
/// tile_m, tile_n, tile_k, stages, warps, raster_group. An error says which is
/// impossible.
llvm::Expected<Choice> choose(const Facts &facts, const Search &search);

/// Whether a tile can have `size` rows or K columns of a block's `block`: a
/// divisor, a multiple of 8 below, or the next multiple of 8 or 16.
bool isPart(int64_t size, int64_t block);

/// Entries of a list that share a tile of `rows`, 1 to kMostLists.
int64_t countLists(int64_t rows, int64_t blockRows);
inline constexpr int64_t kMostLists = 8;

/// The rows of tables.
extern const meta::OpSchema kSchema;

} // namespace sattn::tuning::scatter_mm

#endif // SATTN_TUNING_SCATTERMM_H
