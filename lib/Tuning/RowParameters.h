//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Names of the parameters that rows of most ops have.

#ifndef SATTN_LIB_TUNING_ROWPARAMETERS_H
#define SATTN_LIB_TUNING_ROWPARAMETERS_H

#include "llvm/ADT/StringRef.h"

namespace sattn::tuning {

inline constexpr llvm::StringLiteral kRowParameters[] = {
    "tile_m",       "tile_n",  "tile_k",        "stages",           "warps",
    "raster_group", "split_k", "register_rows", "register_vectors", "threads"};
/// The names of those that a row may leave to the passes.
inline constexpr llvm::StringLiteral kRowHints[] = {
    "stages",           "warps",  "raster_group", "split_k", "register_rows",
    "register_vectors", "threads"};

} // namespace sattn::tuning

#endif // SATTN_LIB_TUNING_ROWPARAMETERS_H
