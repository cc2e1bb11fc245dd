//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RowParameters.h"

#include "sattn/Tuning/ScatterMm.h"

#include "llvm/ADT/STLExtras.h"

using namespace sattn::meta;
using llvm::StringLiteral;
using llvm::StringRef;

static constexpr StringLiteral kKey[] = {"M", "K", "N", "Ms", "Ks"};
/// Ours, and those of PyTorch's kernel.
static constexpr StringLiteral kParameters[] = {
    "tile_m",        "tile_n",           "tile_k",     "stages",
    "warps",         "raster_group",     "GROUP_SIZE", "SPLIT_N",
    "TILE_M",        "TILE_N",           "num_stages", "num_warps",
    "register_rows", "register_vectors", "threads"};

/// Position of N in the key.
static constexpr unsigned kKeyN = 2;

/// Columns that one tile of a row has: its own, or N / SPLIT_N, which contains
/// a whole number of PyTorch's tiles.
static int64_t getTileWidth(const Section &section, const Row &row) {
  if (std::optional<int64_t> tile = section.get(row, "tile_n"))
    return *tile;
  return row.key[kKeyN] / section.get(row, "SPLIT_N").value();
}

static std::string findParametersProblem(llvm::ArrayRef<std::string> names) {
  bool split = llvm::is_contained(names, "SPLIT_N");
  bool tile = llvm::is_contained(names, "tile_n");
  if (split == tile)
    return std::string("expected SPLIT_N or tile_n among the parameters, but "
                       "got ") +
           (split ? "both" : "neither");
  return "";
}

static std::optional<int64_t> getMost(StringRef parameter,
                                      llvm::ArrayRef<int64_t> key) {
  if (parameter == "SPLIT_N")
    return key[kKeyN];
  return std::nullopt;
}

const OpSchema sattn::tuning::scatter_mm::kSchema = {
    "scatter_mm",          kKey,    kParameters, kKeyN,    getTileWidth,
    findParametersProblem, nullptr, getMost,     kRowHints};
