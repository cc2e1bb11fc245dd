//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.block_counts. The constraint numbers are
// those of the op's description.

#include "sattn/Dialect/SAttn/IR/MaskRegion.h"
#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

/// Elements of a block, which are counted in i32.
static constexpr int64_t kMaxBlock = std::numeric_limits<int32_t>::max();

MutableOperandRange BlockCountsOp::getDpsInitsMutable() {
  return getOutMutable();
}

LogicalResult BlockCountsOp::verify() {
  RankedTensorType out = getOut().getType();
  if (out.getRank() != 4 || !out.getElementType().isSignlessInteger(32)) // (C1)
    return emitOpError() << "expected 'out' of rank 4 and element type i32, "
                            "but got "
                         << out;
  if (getResult().getType() != out) // (C1)
    return emitOpError() << "expected the result to have the type of 'out', "
                         << out << ", but got " << getResult().getType();
  ArrayRef<int64_t> size = getBlockSize();
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || // (C2)
      size[0] > kMaxBlock / size[1])
    return emitOpError() << "expected 'block_size' of two positive numbers "
                            "with a product below 2^31, but got ["
                         << size << "]";
  if (!getOrigin().empty() && getOrigin().size() != 4) // (C5)
    return emitOpError() << "expected 4 numbers in 'origin', but got "
                         << getOrigin().size();
  if (failed(verifyCaptures(*this, getCaptures()))) // (C4)
    return failure();
  return verifyElementFunction(*this, "mask_mod", getMaskMod(), // (C3)
                               getCaptures().getTypes(), /*isScore=*/false);
}
