//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLoops.h"

using namespace mlir;

FailureOr<scf::SCFTilingResult> sattn::tileToLoops(RewriterBase &rewriter,
                                                   TilingInterface op,
                                                   ArrayRef<int64_t> sizes) {
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(op.getContext(), sizes));
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(rewriter, op, options);
  if (failed(tiled))
    return op->emitOpError("could not be tiled to registers");
  rewriter.replaceOp(op, tiled->replacements);
  return tiled;
}

FailureOr<TilingInterface> sattn::tile(RewriterBase &rewriter,
                                       TilingInterface op,
                                       ArrayRef<int64_t> sizes) {
  FailureOr<scf::SCFTilingResult> tiled =
      sattn::tileToLoops(rewriter, op, sizes);
  if (failed(tiled))
    return failure();
  return cast<TilingInterface>(tiled->tiledOps.front());
}
