//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_WGTILETONVVM_WARPPLACE_H
#define SATTN_LIB_CONVERSION_WGTILETONVVM_WARPPLACE_H

#include "ChunkAddress.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/Fragment.h"

namespace wgtile {

/// The fragment of a product whose tiles have layouts; emits an error if one
/// has none.
llvm::FailureOr<sattn::layout::AccumulatorFragment>
getProductFragment(MmaOp op);

/// Place of this thread's warp among the warps that divide an accumulator.
class WarpPlace {
public:
  WarpPlace(mlir::OpBuilder &b, mlir::Location loc,
            sattn::layout::AccumulatorFragment fragment);

  mlir::Value lane, columnWarp, rowWarp;

  /// Address of chunk `chunk` + `varying` (see ChunkAddress) in a row of the
  /// left operand: `row`, a multiple of 8, + `laneRow` of the warp's.
  mlir::Value leftChunk(const sattn::layout::SharedTile &tile,
                        mlir::Value offset, int64_t row, mlir::Value laneRow,
                        int64_t chunk, mlir::Value varying, int64_t bound);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  sattn::layout::AccumulatorFragment fragment;
};

} // namespace wgtile

#endif // SATTN_LIB_CONVERSION_WGTILETONVVM_WARPPLACE_H
