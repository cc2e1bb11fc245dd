//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResultTiling.h"

using namespace mlir;
using namespace sattn;

FailureOr<TilingResult> sattn::cutResults(OpBuilder &b, TilingInterface op,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes) {
  auto writer = cast<DestinationStyleOpInterface>(op.getOperation());
  SmallVector<Operation *> slices;
  SmallVector<Value> outs;
  for (auto [number, out] : llvm::enumerate(writer.getDpsInits())) {
    SmallVector<OpFoldResult> outOffsets, outSizes;
    if (failed(op.getResultTilePosition(b, number, offsets, sizes, outOffsets,
                                        outSizes)))
      return failure();
    SmallVector<OpFoldResult> ones(outSizes.size(), b.getIndexAttr(1));
    auto slice = tensor::ExtractSliceOp::create(b, op.getLoc(), out, outOffsets,
                                                outSizes, ones);
    slices.push_back(slice);
    outs.push_back(slice);
  }
  Operation *tiled = b.clone(*op.getOperation());
  cast<DestinationStyleOpInterface>(tiled).getDpsInitsMutable().assign(outs);
  for (auto [result, out] : llvm::zip_equal(tiled->getResults(), outs))
    result.setType(out.getType());
  return TilingResult{
      {tiled}, SmallVector<Value>(tiled->getResults()), std::move(slices)};
}

Value sattn::getDestination(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast_if_present<scf::ForallOp>(
                             argument.getOwner()->getParentOp())
                       : scf::ForallOp();
  if (!loop || !llvm::is_contained(loop.getRegionIterArgs(), value))
    return value;
  return loop.getTiedOpOperand(argument)->get();
}

TileSchedule sattn::getScheduleOf(MetaAttr meta) {
  if (!meta)
    return {};
  return meta.getSchedule();
}
