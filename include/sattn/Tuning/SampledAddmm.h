//===- SampledAddmm.h - Parameters of sampled_addmm -------------*- C++ -*-===//
//
// How the parameters of one sampled_addmm are chosen, from what is known of it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_SAMPLEDADDMM_H
#define SATTN_TUNING_SAMPLEDADDMM_H

#include "sattn/Tuning/Parameters.h"

namespace sattn::tuning::sampled_addmm {

/// CTAs that compute runs at one time: two on each of 132 SMs. Runs
/// are as long as fills them a whole number of times; how many blocks there are
/// is known when the product is called.
inline constexpr int64_t kRunsAtOnce = 264;
/// The longest run where their length is fixed before.
inline constexpr int64_t kFixedRun = 16;

/// The known facts of one sampled_addmm. Sizes are in elements.
struct Facts {
  /// Rows and columns of a block, positive multiples of 8.
  int64_t blockRows = 0, blockColumns = 0;
  /// Bytes of an element of the dense matrices: 1, 2 or 4.
  int64_t elementBytes = 2;
  /// The element type, if known.
  std::string dtype = {};
  /// The length of the sums, if known.
  std::optional<int64_t> k;
  /// Whether blocks that follow each other may be stored one by one, if `k` is
  /// one step.
  bool canBeRun = false;
};

/// The parameters without a table's row: a block, or a part of one where it is
/// larger than a tile can be; with wgmma as many columns as several blocks have
/// where they fit (C12 of the op).
Parameters defaultParameters(const Facts &facts, const Target &target);

/// Cycles by the cost model, for a matrix of 4096 x 4096 half of whose blocks
/// are stored. Nothing where K is not known, and for the CPU.
std::optional<double> estimateCycles(const Facts &facts, const Parameters &tile,
                                     const Target &target);

/// The default, with the numbers of `search.row` in the place of its own:
/// tile_m, tile_n, tile_k, stages, warps, raster_group. An error says which is
/// impossible.
llvm::Expected<Choice> choose(const Facts &facts, const Search &search);

/// The schema of the op's rows in tables.
extern const meta::OpSchema kSchema;

} // namespace sattn::tuning::sampled_addmm

#endif // SATTN_TUNING_SAMPLEDADDMM_H
