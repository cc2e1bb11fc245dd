//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchKernelBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace sattn;

Value BatchKernelBuilder::findBatch(Value crow, Value count) {
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value inMatrix = arith::RemUIOp::create(b, block, count);
  int64_t batchRank = cast<MemRefType>(crow.getType()).getRank() - 1;
  batch.resize(batchRank);
  Value rest = arith::DivUIOp::create(b, block, count);
  for (int64_t i = batchRank - 1; i > 0; --i) {
    Value size = memref::DimOp::create(b, crow, i);
    batch[i] = arith::RemUIOp::create(b, rest, size);
    rest = arith::DivUIOp::create(b, rest, size);
  }
  if (batchRank > 0)
    batch[0] = rest;
  return inMatrix;
}

SmallVector<Value> BatchKernelBuilder::at(ValueRange indices) {
  SmallVector<Value> all = batch;
  all.append(indices.begin(), indices.end());
  return all;
}

Value BatchKernelBuilder::entry(Value memref, Value position) {
  return toIndex(load(memref, at(position)));
}

Value BatchKernelBuilder::lastDim(Value memref, int64_t fromEnd) {
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  return memref::DimOp::create(b, memref, rank - 1 - fromEnd);
}
