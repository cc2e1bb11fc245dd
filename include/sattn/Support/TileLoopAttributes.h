//===- TileLoopAttributes.h - Attributes of a loop over tiles ---*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of an scf.forall over tiles. `sattn-tile` or the author of a tile
// program writes them, the dialect sattn verifies them, and
// `wgtile-outline-kernels` reads them.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_TILELOOPATTRIBUTES_H
#define SATTN_SUPPORT_TILELOOPATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace sattn {
/// Numbers of tiles, one for each loop, that one CTA takes together, each for a
/// group of its consumers (array of i64).
inline constexpr llvm::StringLiteral kTileConsumerGroupsAttrName =
    "sattn.consumer_groups";
/// Hints for the schedule, i64 each: stages of the loops that load, warps that
/// compute a tile, columns of tiles that are walked together, CTAs
/// that share the reduction of a tile.
inline constexpr llvm::StringLiteral kTileStagesAttrName = "sattn.stages";
inline constexpr llvm::StringLiteral kTileWarpsAttrName = "sattn.warps";
inline constexpr llvm::StringLiteral kTileRasterGroupAttrName =
    "sattn.raster_group";
inline constexpr llvm::StringLiteral kTileSplitKAttrName = "sattn.split_k";
/// The same of the CPU: rows, and vectors of a row, of a product's accumulator
/// in registers, and the most threads that compute tiles.
inline constexpr llvm::StringLiteral kTileRegisterRowsAttrName =
    "sattn.register_rows";
inline constexpr llvm::StringLiteral kTileRegisterVectorsAttrName =
    "sattn.register_vectors";
inline constexpr llvm::StringLiteral kTileThreadsAttrName = "sattn.threads";
/// On a function whose parallel loops become OpenMP's: the most threads of each
/// loop, in the order of the text, 0 where it has no such hint (array of i64).
inline constexpr llvm::StringLiteral kLoopThreadsAttrName =
    "sattn.loop_threads";
/// Unit attribute: the loop's tiles cover every element of the results, and
/// every tile is stored.
inline constexpr llvm::StringLiteral kTileCoversResultsAttrName =
    "sattn.covers_results";
/// Unit attribute: tiles may store nothing, and then have little to do.
inline constexpr llvm::StringLiteral kTileSkipsResultsAttrName =
    "sattn.skips_results";
/// Attribute of an op, and then of the loop over its tiles: a dictionary of two
/// texts, the op's `parameters` and their `origin`.
inline constexpr llvm::StringLiteral kTuningAttrName = "sattn.tuning";

/// Unit attribute on the `scf.for` of a tile that walks its stored blocks.
inline constexpr llvm::StringLiteral kBlockLoopAttrName = "sattn.block_loop";
/// Unit attribute on the same loop: its products of f32 may be of tf32.
inline constexpr llvm::StringLiteral kTF32AttrName = "sattn.tf32";
} // namespace sattn

#endif // SATTN_SUPPORT_TILELOOPATTRIBUTES_H
