//===- BsrSoftmax.h - Parameters of bsr_softmax -----------------*- C++ -*-===//
//
// How the parameters of one bsr_softmax or bsr_softmax_backward are chosen,
// from what is known of it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_BSRSOFTMAX_H
#define SATTN_TUNING_BSRSOFTMAX_H

#include "sattn/Tuning/Parameters.h"

namespace sattn::tuning {
class NamedFacts;
} // namespace sattn::tuning

namespace sattn::tuning::bsr_softmax {

/// Blocks of a row that one warp reads as one matrix, the rows of a fragment.
inline constexpr int64_t kBlocksAtOnce = 16;
/// Most warps that share a row.
inline constexpr int64_t kMaxWarps = 4;
/// Most matrices of a step, each of which has code of its own.
inline constexpr int64_t kMaxMatrices = 4;
/// Most steps that can be asked to stay in registers.
inline constexpr int64_t kMaxStages = 64;

/// The known facts of one op.
struct Facts {
  /// Sizes of a block: at least 1.
  int64_t blockRows = 0, blockColumns = 0;
  /// Bytes of an element.
  int64_t elementBytes = 2;
  /// Arrays of blocks that are read, whose first steps share the registers.
  int64_t arrays = 1;
  /// The element type, if known.
  std::string dtype = {};
};

/// Reads the facts by their names; `arrays` is not among them.
Facts readFacts(NamedFacts &given);

/// Blocks that the warps of a row read as one matrix of `columns` elements of
/// each: they divide the columns as long as a lane has 16 bytes of a block's
/// row, and else take further blocks. `warps` is a power of two.
int64_t countBlocksAtOnce(int64_t columns, int64_t elementBytes, int64_t warps);

/// The parameters without a table's row: a tile of `rows` of a block row, which
/// divide those of a block. A step reads `depth` elements of each, in parts of
/// `columns` of a block. `stages` steps stay in registers of `warps` warps.
Parameters defaultParameters(const Facts &facts, const Target &target);

/// Makes the tile one that the target can take: on a GPU one row, by whole
/// fragments of columns and blocks, a power of two of warps, and steps for
/// their registers.
void fitTo(const Facts &facts, const Target &target, Parameters &parameters);

/// The default, with the numbers of `search.row` in the place of its own:
/// tile_m, tile_n, tile_k, stages, warps. An error says which is impossible.
llvm::Expected<Choice> choose(const Facts &facts, const Search &search);

/// The rows of tables.
extern const meta::OpSchema kSchema;

} // namespace sattn::tuning::bsr_softmax

#endif // SATTN_TUNING_BSRSOFTMAX_H
