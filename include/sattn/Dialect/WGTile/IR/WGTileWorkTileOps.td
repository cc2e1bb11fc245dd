//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The work-tile pipeline, by which a producer tells the consumers of its thread
// block the next tile.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEWORKTILEOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEWORKTILEOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"

class WGTile_WorkTileUse<string mnemonic> : WGTile_Op<mnemonic, [
    HasParent<"ForEachTileOp">, MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def WGTile_WorkTileAcquireOp : WGTile_WorkTileUse<"work_tile_acquire"> {
  let summary = "Wait until the producer's slot of the work-tile pipeline is empty";
  let description = [{
    If several roles walk the same tiles under a dynamic scheduler (`counter` of
    `wgtile.for_each_tile`), the producer takes the tiles and passes them to the
    consumers through a pipeline of slots, used round-robin. `wgtile-persist` ends
    the bodies of both loops with the ops of this pipeline.

    - (C1) The loop around the op has a counter and is in a role.

    ```mlir
    wgtile.roles producer 56 {
      wgtile.for_each_tile (%i, %j) in (%m, %n) counter %c : memref<?xi32> ... {
        ...
        wgtile.work_tile_acquire
        wgtile.work_tile_write
        wgtile.work_tile_commit
      }
    } consumer 232 {
      wgtile.for_each_tile (%i, %j) in (%m, %n) counter %c : memref<?xi32> ... {
        ...
        wgtile.work_tile_wait
        wgtile.work_tile_read
        wgtile.work_tile_release
      }
    }
    ```
  }];
}

def WGTile_WorkTileWriteOp : WGTile_WorkTileUse<"work_tile_write"> {
  let summary = "Write the next tile's number";
  let description = [{
    The number goes into the acquired slot. The loop continues with that tile.

    - (C1) The loop around the op has a counter and is in a role.
  }];
}

def WGTile_WorkTileCommitOp : WGTile_WorkTileUse<"work_tile_commit"> {
  let summary = "Tell the consumers that the slot is full";
  let description = [{
    - (C1) The loop around the op has a counter and is in a role.
  }];
}

def WGTile_WorkTileWaitOp : WGTile_WorkTileUse<"work_tile_wait"> {
  let summary = "Wait until the consumer's slot of the work-tile pipeline is full";
  let description = [{
    - (C1) The loop around the op has a counter and is in a role.
  }];
}

def WGTile_WorkTileReadOp : WGTile_WorkTileUse<"work_tile_read"> {
  let summary = "Read the next tile's number";
  let description = [{
    The number comes from the slot that was taken. The loop continues with that
    tile.

    - (C1) The loop around the op has a counter and is in a role.
  }];
}

def WGTile_WorkTileReleaseOp : WGTile_WorkTileUse<"work_tile_release"> {
  let summary = "Release the slot to the producer";
  let description = [{
    - (C1) The loop around the op has a counter and is in a role.
  }];
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEWORKTILEOPS_TD
