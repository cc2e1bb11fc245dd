//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEBASE_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def WGTile_Dialect : Dialect {
  let name = "wgtile";
  let cppNamespace = "::wgtile";
  let summary = "How one CTA computes a tile";
  let description = [{
    A *sequential* program for one CTA, one thread of control: tiles
    are loaded, multiplied and stored. Register tiles are builtin tensors with a
    layout encoding, so that `arith` and `math` apply to them as they are; shared
    tiles are values of `!wgtile.shared`. Nothing here knows which op of `sattn`
    a program came from.

    The host side is a function of a restricted set of ops: `memref.dim`, integer
    arithmetic, `wgtile.tensor_map` and `wgtile.launch`.
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

/// Barriers at which threads meet: an op that writes to it is neither erased
/// nor merged with another.
def WGTile_BarrierResource : Resource<"::wgtile::BarrierResource">;

class WGTile_Op<string mnemonic, list<Trait> traits = []>
    : Op<WGTile_Dialect, mnemonic, traits>;

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEBASE_TD
