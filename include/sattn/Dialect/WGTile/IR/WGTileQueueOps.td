//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The work-tile pipeline, by which a producer tells the consumers of its thread
// block the next tile.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEQUEUEOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEQUEUEOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileInterfaces.td"

class WGTile_QueueUse<string mnemonic> : WGTile_Op<mnemonic, [
    HasParent<"ForEachTileOp">, MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<WGTile_SyncOpInterface>]> {
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def WGTile_QueueAcquireOp : WGTile_QueueUse<"queue_acquire"> {
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
        wgtile.queue_acquire
        wgtile.queue_write
        wgtile.queue_commit
      }
    } consumer 232 {
      wgtile.for_each_tile (%i, %j) in (%m, %n) counter %c : memref<?xi32> ... {
        ...
        wgtile.queue_take
        wgtile.queue_read
        wgtile.queue_release
      }
    }
    ```
  }];
}

def WGTile_QueueWriteOp : WGTile_QueueUse<"queue_write"> {
  let summary = "Write the next tile's number";
  let description = [{
    The number goes into the acquired slot. The loop continues with that tile.

    - (C1) The loop around the op has a counter and is in a role.
  }];
}

def WGTile_QueueCommitOp : WGTile_QueueUse<"queue_commit"> {
  let summary = "Tell the consumers that the slot is full";
  let description = [{
    - (C1) The loop around the op has a counter and is in a role.
  }];
}

def WGTile_QueueTakeOp : WGTile_QueueUse<"queue_take"> {
  let summary = "Wait until the consumer's slot of the work-tile pipeline is full";
  let description = [{
    - (C1) The loop around the op has a counter and is in a role.
  }];
}

def WGTile_QueueReadOp : WGTile_QueueUse<"queue_read"> {
  let summary = "Read the next tile's number";
  let description = [{
    The number comes from the slot that was taken. The loop continues with that
    tile.

    - (C1) The loop around the op has a counter and is in a role.
  }];
}

def WGTile_QueueReleaseOp : WGTile_QueueUse<"queue_release"> {
  let summary = "Release the slot to the producer";
  let description = [{
    - (C1) The loop around the op has a counter and is in a role.
  }];
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEQUEUEOPS_TD
