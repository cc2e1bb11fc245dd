//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEINTERFACES_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def WGTile_SyncOpInterface : OpInterface<"SyncOpInterface"> {
  let cppNamespace = "::wgtile";
  let description = [{
    The effects of an op that other threads, or TMA, could observe: accesses of
    shared tiles, asynchronous work, waits, fences, barriers, stages of rings. The
    passes that place and check synchronization know ops by these effects alone.

    An op without this interface accesses no shared memory, and needs complete
    operands.
  }];
  let methods = [
    InterfaceMethod<
      "Appends the op's effects, in the order in which it has them.",
      "void", "getSyncEffects",
      (ins "::llvm::SmallVectorImpl<::wgtile::SyncEffect> &":$effects)>
  ];
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEINTERFACES_TD
