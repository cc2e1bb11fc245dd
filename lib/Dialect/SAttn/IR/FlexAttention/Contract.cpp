//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a sattn.flex_attention requires of extents, and of a program's
// arguments. The constraint numbers are those of the op's description.

#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

void FlexAttentionOp::constrainExtents(ExtentConstraints &constraints) {
  auto extent = [&](Value tensor, int64_t dimension) {
    return constraints.getExtent(tensor, dimension);
  };
  int64_t lead = getLeadRank();
  AffineExpr one = constraints.getConstant(1);
  AffineExpr queries = extent(getQ(), -2), keys = extent(getK(), -2);
  for (int64_t i = 0; i <= lead; ++i) { // (C4)
    constraints.requireEqual(extent(getOut(), i), extent(getQ(), i));
    if (getLse())
      constraints.requireEqual(extent(getLse(), i), extent(getQ(), i));
  }
  for (Value tensor : {Value(getK()), Value(getV())}) {
    if (lead == 2 &&
        cast<RankedTensorType>(tensor.getType()).getDimSize(0) != 1)
      constraints.requireEqual(extent(tensor, 0), extent(getQ(), 0));
    constraints.requireEqual(extent(getQ(), -3),
                             extent(tensor, -3) * getGroup());
  }
  constraints.requireEqual(extent(getV(), -2), keys);
  if (getKeyLengths())
    constraints.requireEqual(extent(getKeyLengths(), 0), extent(getQ(), 0));
  for (Value list : {getPartialCounts(), getPartialIndices(), getFullCounts(),
                     getFullIndices()}) { // (C5)
    if (!list)
      continue;
    for (int64_t i = 0; i < lead; ++i)
      if (cast<RankedTensorType>(list.getType()).getDimSize(i) != 1)
        constraints.requireEqual(extent(list, i), extent(getQ(), i));
    constraints.requireEqual(extent(list, lead),
                             queries.ceilDiv((*getBlockSize())[0]));
  }
  for (Value capture : getCaptures()) // An index is clamped to an element.
    if (auto type = dyn_cast<RankedTensorType>(capture.getType()))
      for (int64_t i = 0; i < type.getRank(); ++i)
        constraints.requireAtLeast(extent(capture, i), one);
}
