//===- AttentionGradients.h - Tiles of gradients ----------------*- C++ -*-===//
//
// Parts of the columns of gradients, and the shared memory of their tiles.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_ATTENTIONGRADIENTS_H
#define SATTN_TUNING_ATTENTIONGRADIENTS_H

#include "sattn/Tuning/Attention.h"

namespace sattn::tuning::attention {

/// A tile of gradients: rows of queries, or of keys, that walks blocks of the
/// other ones. It has the accumulators of `gradients` results, in `columns` of
/// at most `widest`.
struct GradientTile {
  int64_t rows, walked, gradients, widest, columns = 0;
};

/// Chooses the columns of a tile, all of them or equal parts where the
/// accumulators would leave a thread too few registers. Where the operands of
/// one iteration do not fit in the target's shared memory, fewer rows are
/// walked, then the tile has fewer rows and columns.
void fitGradients(GradientTile &tile, const Facts &facts, const Target &target);

/// Fewer rows and columns of a tile where the operands of one iteration do not
/// fit in the target's shared memory, as fitGradients chooses them.
void fitBytes(GradientTile &tile, const Facts &facts, const Target &target);

/// Bytes of shared memory for what stays and for what one iteration reads: rows
/// of both operands of products, and of the factors of accumulators where these
/// are parts. A tile without `gradients` stores its scores in f32, of which two
/// parts are staged.
int64_t countBytes(const GradientTile &tile, const Facts &facts);

/// Cycles of a gradient's kernel by the cost model, as of
/// attention::estimateCycles. A tile whose `gradients` are none stores 4 bytes
/// for each score.
std::optional<double> estimateCycles(const GradientTile &tile,
                                     const Facts &facts, const Target &target);

} // namespace sattn::tuning::attention

#endif // SATTN_TUNING_ATTENTIONGRADIENTS_H
