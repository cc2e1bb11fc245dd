//===- Schema.cpp - Rows of bsr_addmm -------------------------------------===//
//
// The contents of the rows of tables: our parameters, or those of PyTorch's
// kernels bsr_addmm and scatter_mm, under PyTorch's names.
//
//===----------------------------------------------------------------------===//

#include "../RowParameters.h"

#include "sattn/Tuning/BsrAddmm.h"

#include "llvm/ADT/STLExtras.h"

using namespace sattn::meta;
using llvm::StringLiteral;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringLiteral kKey[] = {
    "M", "K", "N", "BM", "BK", "beta==0", "beta==1", "alpha==1"};
static constexpr StringLiteral kParameters[] = {
    "tile_m",           "tile_n",    "tile_k",
    "stages",           "warps",     "raster_group",
    "GROUP_SIZE_ROW",   "split_k",   "SPLIT_N",
    "num_stages",       "num_warps", "register_rows",
    "register_vectors", "threads"};
/// Position of N in the key.
static constexpr unsigned kKeyN = 2;

/// Columns of the result that one tile of a row has: `tile_n`, or N / SPLIT_N
/// with the row's own N. Rescaling SPLIT_N to another N keeps it.
static int64_t getTileWidth(const Section &section, const Row &row) {
  if (std::optional<int64_t> tile = section.get(row, "tile_n"))
    return *tile;
  return row.key[kKeyN] / section.get(row, "SPLIT_N").value();
}

/// The problem with a row's parameters, which must give the width of a tile.
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

static std::string findRowProblem(const Section &section, const Row &row) {
  int64_t m = row.key[0], k = row.key[1], n = row.key[2];
  int64_t blockRows = row.key[3], blockColumns = row.key[4];
  auto text = [](const Twine &message) { return message.str(); };
  if (m % blockRows != 0)
    return text("expected BM to divide M = " + Twine(m) + ", but got " +
                Twine(blockRows));
  if (k % blockColumns != 0)
    return text("expected BK to divide K = " + Twine(k) + ", but got " +
                Twine(blockColumns));
  if (row.key[5] && row.key[6])
    return "expected beta to be 0 or 1, but got both";
  if (auto split = section.get(row, "SPLIT_N"); split && n % *split != 0)
    return text("expected SPLIT_N to divide N = " + Twine(n) + ", but got " +
                Twine(*split));
  if (auto tile = section.get(row, "tile_m");
      tile && *tile % blockRows != 0 &&
      (blockRows % *tile != 0 || *tile % 8 != 0))
    return text("expected tile_m to be a multiple of BM = " + Twine(blockRows) +
                " or, as a multiple of 8, a divisor of it, but got " +
                Twine(*tile));
  if (auto tile = section.get(row, "tile_n"); tile && *tile % 8 != 0)
    return text("expected tile_n to be a multiple of 8, but got " +
                Twine(*tile));
  if (auto tile = section.get(row, "tile_k"); tile && blockColumns % *tile != 0)
    return text("expected tile_k to divide BK = " + Twine(blockColumns) +
                ", but got " + Twine(*tile));
  return "";
}

const OpSchema sattn::tuning::bsr_addmm::kSchema = {
    "bsr_addmm",    kKey,         kParameters,
    kKeyN,          getTileWidth, findParametersProblem,
    findRowProblem, getMost,      sattn::tuning::kRowHints};
