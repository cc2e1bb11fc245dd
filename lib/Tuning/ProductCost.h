//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The work of products of stored blocks with dense columns.

#ifndef SATTN_LIB_TUNING_PRODUCTCOST_H
#define SATTN_LIB_TUNING_PRODUCTCOST_H

#include "sattn/Resources/Cost.h"
#include "sattn/Tuning/Parameters.h"

namespace sattn::tuning {

/// Products of M x K matrices in blocks with K x N ones. Sizes in elements.
struct BlockProduct {
  double m = 0, n = 0, k = 0, products = 1;
  int64_t blockRows = 0, blockColumns = 0, elementBytes = 2;
  /// Stored blocks over all, and those of the longest block row, if known.
  double density = 1;
  std::optional<int64_t> longestRow = {};

  /// Stored blocks of a block row, on average.
  double getMeanRow() const {
    return k / static_cast<double>(blockColumns) * density;
  }
};

/// The work of tiles of one or several block rows, or of a part of one.
resources::KernelWork getWork(const BlockProduct &product,
                              const Parameters &tile, const Target &target);

/// The first tile whose cycles are at most `near` times the least; the first of
/// all where one's cycles are not known.
Parameters takeShortest(
    llvm::ArrayRef<Parameters> tiles,
    llvm::function_ref<std::optional<double>(const Parameters &)> getCycles,
    double near = 1);

} // namespace sattn::tuning

#endif // SATTN_LIB_TUNING_PRODUCTCOST_H
