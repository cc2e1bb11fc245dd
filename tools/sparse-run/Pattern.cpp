//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pattern.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace sattn;
using namespace sattn::run;
using llvm::StringRef;
using runtime::Error;
using runtime::ErrorOr;

/// Most blocks of a grid, so that numbers of blocks are i32; and most numbers
/// of one kind in all batches.
static constexpr int64_t kMostBlocks = INT32_MAX;
static constexpr uint64_t kMostIndices = uint64_t(1) << 28;
static constexpr StringRef kKinds[] = {"crow", "col", "counts", "indices"};
static constexpr char kOptions[] =
    "'grid=RxC', 'nnz=N', 'longest=N', 'batch=N', 'part=first', 'part=rest' or "
    "'transposed'";

bool Pattern::isWord(StringRef word) {
  return word.contains(':') &&
         llvm::is_contained(kKinds, word.split(':').first);
}

ErrorOr<Pattern> Pattern::parse(StringRef word, const std::string &argument) {
  Pattern pattern;
  StringRef text;
  std::tie(pattern.kind, text) = word.split(':');
  auto refuse = [&](const llvm::Twine &expected, StringRef got) {
    return Error(
        (argument + ": expected " + expected + ", but got '" + got + "'")
            .str());
  };
  auto [seed, rest] = text.split(':');
  if (seed.getAsInteger(10, pattern.seed))
    return refuse("a seed after '" + pattern.kind + ":'", seed);
  bool hasGrid = false, hasCount = false;
  while (!rest.empty()) {
    StringRef option;
    std::tie(option, rest) = rest.split(':');
    auto [name, value] = option.split('=');
    int64_t number = 0;
    if (name == "grid") {
      auto [rows, columns] = value.split('x');
      if (rows.getAsInteger(10, pattern.rows) ||
          columns.getAsInteger(10, pattern.columns) || pattern.rows < 1 ||
          pattern.columns < 1 || pattern.rows > kMostBlocks / pattern.columns)
        return refuse("block rows and block columns such as 64x128", value);
      hasGrid = true;
      continue;
    }
    if (option == "transposed") {
      pattern.isTransposed = true;
      continue;
    }
    if (name == "part" && (value == "first" || value == "rest")) {
      pattern.part = value == "first" ? Part::First : Part::Rest;
      continue;
    }
    if (name == "batch") {
      pattern.batches.clear();
      for (StringRef extent : llvm::split(value, 'x')) {
        if (extent.getAsInteger(10, number) || number < 1 ||
            number > kMostBlocks)
          return refuse("extents of batches such as 2 or 2x8", value);
        pattern.batches.push_back(number);
      }
      continue;
    }
    if (value.getAsInteger(10, number) || number < 0 || number > kMostBlocks)
      return refuse(kOptions, option);
    if (name == "nnz") {
      pattern.nnz = number;
      hasCount = true;
    } else if (name == "longest") {
      pattern.longestRow = number;
    } else {
      return refuse(kOptions, option);
    }
  }
  if (!hasGrid || !hasCount)
    return refuse("':grid=RxC' and ':nnz=N' after the seed", text);
  int64_t longest = pattern.longestRow.value_or(pattern.columns);
  if (longest > pattern.columns ||
      pattern.nnz < pattern.longestRow.value_or(0) ||
      pattern.nnz > pattern.rows * longest)
    return refuse("a pattern that its grid has room for", text);
  uint64_t most = std::max({pattern.nnz, pattern.rows, pattern.columns}) + 1;
  if (pattern.kind == "indices")
    most = pattern.rows * pattern.columns;
  for (int64_t extent : pattern.batches)
    most = llvm::SaturatingMultiply<uint64_t>(most, extent);
  if (most > kMostIndices)
    return refuse("a pattern of at most " + llvm::Twine(kMostIndices) +
                      " numbers in all batches",
                  text);
  return pattern;
}

std::vector<int64_t> Pattern::countBlocks() const {
  std::vector<int64_t> counts(rows);
  int64_t left = nnz;
  size_t first = 0;
  if (longestRow) {
    counts[0] = *longestRow;
    left -= *longestRow;
    first = 1;
  }
  // Spread evenly, so that the count is exact.
  int64_t others = rows - static_cast<int64_t>(first);
  for (int64_t i = 0; i < others; ++i)
    counts[first + i] = left * (i + 1) / others - left * i / others;
  std::mt19937_64 random(seed);
  std::shuffle(counts.begin(), counts.end(), random);
  return counts;
}

std::vector<std::vector<int64_t>> Pattern::getRows() const {
  std::vector<std::vector<int64_t>> all(isTransposed ? columns : rows);
  std::mt19937_64 random(seed + 1);
  std::vector<int64_t> shuffled(columns);
  std::iota(shuffled.begin(), shuffled.end(), 0);
  for (auto [row, count] : llvm::enumerate(countBlocks())) {
    // The first of a shuffle.
    for (int64_t i = 0; i < count; ++i)
      std::swap(shuffled[i], shuffled[i + random() % (columns - i)]);
    std::vector<int64_t> stored(shuffled.begin(), shuffled.begin() + count);
    std::sort(stored.begin(), stored.end());
    if (part == Part::First)
      stored.resize(std::min<size_t>(stored.size(), 1));
    else if (part == Part::Rest && !stored.empty())
      stored.erase(stored.begin());
    if (!isTransposed)
      all[row] = std::move(stored);
    else
      for (int64_t column : stored)
        all[column].push_back(static_cast<int64_t>(row));
  }
  return all;
}

Pattern::Indices Pattern::getIndices() const {
  std::vector<std::vector<int64_t>> all = getRows();
  Indices result;
  if (kind == "indices")
    for (std::vector<int64_t> &row : all)
      row.resize(isTransposed ? rows : columns);
  if (kind == "crow")
    result.numbers.push_back(0);
  for (const std::vector<int64_t> &row : all) {
    auto count = static_cast<int64_t>(row.size());
    if (kind == "crow")
      result.numbers.push_back(result.numbers.back() + count);
    else if (kind == "counts")
      result.numbers.push_back(count);
    else
      llvm::append_range(result.numbers, row);
  }
  result.shape = {static_cast<int64_t>(result.numbers.size())};
  if (kind == "indices")
    result.shape = {static_cast<int64_t>(all.size()),
                    isTransposed ? rows : columns};
  return result;
}
