//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNINTERFACES_TD
#define SATTN_DIALECT_SATTN_IR_SATTNINTERFACES_TD

include "mlir/IR/OpBase.td"

def SAttn_TileProgramOpInterface : OpInterface<"TileProgramOpInterface"> {
  let cppNamespace = "::sattn";
  let description = [{
    An op that can write the sequential program of one of its output tiles.

    `sattn-tile` tiles the op through `TilingInterface`, once, by the sizes from
    `getTileSizes`. The tiled op works on one tile, and `lowerToTileProgram`
    replaces it by a loop over stored blocks (an `scf.for` with the attribute
    `sattn.block_loop`) and an epilogue, both of `tensor` and `linalg` ops on static
    tiles. Ragged edges are `tensor.pad`s. All later passes know nothing of the op.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/[{
        Checks that the op has the parameters of its tiling (a `#sattn.meta` with
        tile sizes that this op can take) and returns one size for each loop of
        its iteration domain. Emits an error otherwise.
      }],
      /*retTy=*/"::mlir::FailureOr<::llvm::SmallVector<::mlir::OpFoldResult>>",
      /*methodName=*/"getTileSizes", /*args=*/(ins "::mlir::OpBuilder &":$b)>,
    InterfaceMethod<
      /*desc=*/[{
        The number of tiles along each loop that one CTA should take
        together, since they load some of the same data. Empty: one.
      }],
      /*retTy=*/"::llvm::SmallVector<int64_t>",
      /*methodName=*/"getTileGroups", /*args=*/(ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<
      /*desc=*/[{
        The hints of the op's parameters for the schedule of its kernel.
      }],
      /*retTy=*/"::sattn::TileSchedule",
      /*methodName=*/"getTileSchedule", /*args=*/(ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<
      /*desc=*/[{
        Makes the op write its only result into `destination`, of the result's
        type, without reading its content. Returns false if the op has to read it;
        the op is then unchanged.
      }],
      /*retTy=*/"bool", /*methodName=*/"writeInto",
      /*args=*/(ins "::mlir::Value":$destination),
      /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<
      /*desc=*/[{
        Whether the tiles write all elements of the results. If not, the results
        have the destinations' content elsewhere.
      }],
      /*retTy=*/"bool", /*methodName=*/"coversResults", /*args=*/(ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return true;">,
    InterfaceMethod<
      /*desc=*/[{
        Adds what is computed for all tiles before the first, where the op has tiles
        that need it and does not have it yet; or replaces the op by one that has it
        and others that finish its results.
      }],
      /*retTy=*/"void", /*methodName=*/"planTiles",
      /*args=*/(ins "::mlir::OpBuilder &":$b),
      /*methodBody=*/"", /*defaultImplementation=*/"return;">,
    InterfaceMethod<
      /*desc=*/[{
        Writes the program of the tile that this op covers, before the op, and
        returns the values that replace its results.
      }],
      /*retTy=*/"::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      /*methodName=*/"lowerToTileProgram",
      /*args=*/(ins "::mlir::OpBuilder &":$b)>,
  ];
}

#endif // SATTN_DIALECT_SATTN_IR_SATTNINTERFACES_TD
