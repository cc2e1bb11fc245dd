//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pattern.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace sattn;
using namespace sattn::run;
using llvm::StringRef;
using runtime::Error;
using runtime::ErrorOr;

/// Most blocks of a grid, so that numbers of blocks are i32; and most offsets
/// and columns of all batches.
static constexpr int64_t kMostBlocks = INT32_MAX;
static constexpr int64_t kMostIndices = int64_t(1) << 28;

ErrorOr<Pattern> Pattern::parse(StringRef text, const std::string &argument) {
  Pattern pattern;
  auto refuse = [&](const llvm::Twine &expected, StringRef got) {
    return Error(
        (argument + ": expected " + expected + ", but got '" + got + "'")
            .str());
  };
  auto [seed, rest] = text.split(':');
  if (seed.getAsInteger(10, pattern.seed))
    return refuse("a seed after 'crow:' or 'col:'", seed);
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
    if (value.getAsInteger(10, number) || number < 0 || number > kMostBlocks)
      return refuse("'grid=RxC', 'nnz=N', 'longest=N' or 'batch=N'", option);
    if (name == "nnz") {
      pattern.nnz = number;
      hasCount = true;
    } else if (name == "longest") {
      pattern.longestRow = number;
    } else if (name == "batch" && number > 0) {
      pattern.batches = number;
    } else {
      return refuse("'grid=RxC', 'nnz=N', 'longest=N' or 'batch=N'", option);
    }
  }
  if (!hasGrid || !hasCount)
    return refuse("':grid=RxC' and ':nnz=N' after the seed", text);
  int64_t longest = pattern.longestRow.value_or(pattern.columns);
  if (longest > pattern.columns ||
      pattern.nnz < pattern.longestRow.value_or(0) ||
      pattern.nnz > pattern.rows * longest)
    return refuse("a pattern that its grid has room for", text);
  if (std::max(pattern.nnz, pattern.rows + 1) >
      kMostIndices / pattern.batches.value_or(1))
    return refuse("a pattern of at most " + llvm::Twine(kMostIndices) +
                      " offsets and columns in all batches",
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

std::vector<int64_t> Pattern::getOffsets() const {
  std::vector<int64_t> offsets;
  std::vector<int64_t> counts = countBlocks();
  for (int64_t batch = 0; batch < batches.value_or(1); ++batch) {
    offsets.push_back(0);
    for (int64_t count : counts)
      offsets.push_back(offsets.back() + count);
  }
  return offsets;
}

std::vector<int64_t> Pattern::getColumns() const {
  std::vector<int64_t> all;
  std::mt19937_64 random(seed + 1);
  std::vector<int64_t> shuffled(columns);
  std::iota(shuffled.begin(), shuffled.end(), 0);
  for (int64_t count : countBlocks()) {
    // The first of a shuffle.
    for (int64_t i = 0; i < count; ++i)
      std::swap(shuffled[i], shuffled[i + random() % (columns - i)]);
    all.insert(all.end(), shuffled.begin(), shuffled.begin() + count);
    std::sort(all.end() - count, all.end());
  }
  std::vector<int64_t> one = all;
  for (int64_t batch = 1; batch < batches.value_or(1); ++batch)
    all.insert(all.end(), one.begin(), one.end());
  return all;
}
