//===- MetaTable.cpp - Ops and rows of meta tables ------------------------===//
//
// What the rows of each op hold, and how messages name them.
//
//===----------------------------------------------------------------------===//

#include "sattn/MetaTable/MetaTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace sattn::meta;
using llvm::StringLiteral;

// The names of PyTorch's tables, which most rows come from, beside our own.
static constexpr StringLiteral kBsrAddmmKey[] = {
    "M", "K", "N", "BM", "BK", "beta==0", "beta==1", "alpha==1"};
static constexpr StringLiteral kBsrAddmmParameters[] = {
    "tile_m", "tile_n",         "tile_k",  "stages",     "warps",
    "group",  "GROUP_SIZE_ROW", "SPLIT_N", "num_stages", "num_warps"};
static constexpr StringLiteral kScatterMmKey[] = {"M", "K", "N", "Ms", "Ks"};
static constexpr StringLiteral kScatterMmParameters[] = {
    "GROUP_SIZE", "SPLIT_N", "TILE_M", "TILE_N", "num_stages", "num_warps"};

std::optional<OpSchema> sattn::meta::findSchema(llvm::StringRef op) {
  static constexpr StringLiteral kBsrAddmm = "bsr_addmm",
                                 kScatterMm = "scatter_mm";
  if (op == kBsrAddmm)
    return OpSchema{kBsrAddmm, kBsrAddmmKey, kBsrAddmmParameters};
  if (op == kScatterMm)
    return OpSchema{kScatterMm, kScatterMmKey, kScatterMmParameters};
  return std::nullopt;
}

std::optional<int64_t> Section::get(const Row &row,
                                    llvm::StringRef parameter) const {
  const auto *it = llvm::find(parameters, parameter);
  if (it == parameters.end())
    return std::nullopt;
  return row.values[it - parameters.begin()];
}

std::string sattn::meta::describeSparsity(int64_t hundredths) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << hundredths / 100 << '.' << hundredths / 10 % 10 << hundredths % 10;
  return text;
}

std::string Section::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op << ", " << device << ", " << dtype;
  if (!outDtype.empty())
    os << " to " << outDtype;
  os << ", sparsity " << describeSparsity(sparsity);
  if (version != 0)
    os << ", version " << version;
  return text;
}

std::string sattn::meta::describeKey(const OpSchema &schema,
                                     llvm::ArrayRef<int64_t> key) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(llvm::zip(schema.keyNames, key), os, [&](auto entry) {
    auto [name, value] = entry;
    if (OpSchema::isFlag(name))
      os << (value ? "true" : "false");
    else
      os << value;
  });
  os << ')';
  return text;
}
