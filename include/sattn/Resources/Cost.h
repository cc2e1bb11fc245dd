//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The cost model: an estimate of a kernel's time from the work of its tiles and
// the rates of a chip, before there is a program. It ranks tiles, and compares
// products of blocks with dense ones; benchmarks/cost_model.py compares it with
// measured times.

#ifndef SATTN_RESOURCES_COST_H
#define SATTN_RESOURCES_COST_H

#include "sattn/Resources/Target.h"

namespace sattn::resources {

/// One step of a tile's loop: its loads and its multiplications.
struct StepWork {
  /// Bytes that a CTA loads.
  double bytes = 0;
  /// Multiplications and additions of 16-bit elements by wgmma, or by mma.sync,
  /// rows of an MMA that are padding included. Those of other element types
  /// count by their rates.
  double wgmmaOperations = 0, mmaOperations = 0;
  /// Elements that threads compute between MMAs, as the scores of attention,
  /// and how many groups of warps do so in turns, while the others multiply.
  double elements = 0, turns = 1;
};

/// The work of a kernel: a number of tiles, of several steps each.
struct KernelWork {
  double tiles = 0;
  /// Steps of a tile on average, and of the longest one.
  double steps = 0, longestSteps = 0;
  /// Whether tiles are of unequal work, in an order that balances it.
  bool isBalanced = false;
  /// CTAs that share an SM, whose barriers and latencies overlap.
  double ctasPerSM = 1;
  StepWork step;
  /// Bytes that a tile stores.
  double storedBytes = 0;
  /// Bytes that are read from device memory or written to it, each once.
  double memoryBytes = 0;
};

/// Cycles of one step: of its loads, its MMAs, or a group's MMAs and elements
/// one after the other, whichever take longest, and of what does not overlap
/// with those of other CTAs of the SM.
double estimateStep(const StepWork &step, double ctasPerSM,
                    const Target &target);

/// Cycles until the last tile is done. SMs take tiles one by one, the longest
/// first; so it is at least the time of the longest tile, an SM's part of all,
/// and the time in which memory moves its bytes, most of which overlaps. Where
/// an SM has few tiles, its part is a whole number of them, unless they are
/// balanced. Only for a GPU.
double estimateCycles(const KernelWork &work, const Target &target);

/// Dense products of M x K and K x N matrices, none of whose sizes is 0.
struct DenseProduct {
  double m, n, k;
  double products = 1;
  int64_t elementBytes = 2;
};

/// Cycles of dense products by a library: tiles of 128 x 256, evenly spread
/// over all SMs, since a library cuts the sums of few tiles. Elements of other
/// sizes than 16 bits count by the rates of their MMAs.
double estimateDenseProduct(const DenseProduct &product, const Target &target);

} // namespace sattn::resources

#endif // SATTN_RESOURCES_COST_H
