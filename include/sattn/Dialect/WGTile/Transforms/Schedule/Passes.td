//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_PASSES_TD
#define SATTN_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def WGTileAssignLayouts
    : Pass<"wgtile-assign-layouts", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Choose the layout of every register and shared tile";
  let description = [{
    Chooses how a kernel multiplies. It uses wgmma if the chip has it, TMA loads
    the tiles (`wgtile.tma`) and all MMAs fit (16-bit elements, rows in
    multiples of 64, shared tiles of whole rows of the 128-byte swizzle), and
    mma.sync otherwise. Where warps own the tile's rows, since an MMA takes a
    register tile or rows are reduced, shared tiles may also have more than such a
    row, in multiples of 16 columns.

    Register tiles get the accumulator's layout. For wgmma one warp has 16 rows.
    For mma.sync 4 or 8 warps divide rows and columns so that they load the least
    (where TMA loads for several consumer groups, the share of 8 warps), or divide
    the rows alone if an MMA takes a register tile or rows are reduced. The hint
    `warps` of the kernel's schedule sets another number of warps, at most 8, that
    leaves a thread at most 64 registers of the accumulator. Without MMAs one warp
    has 16 rows; with the hint a power of two of warps divide their columns, at
    least 8 each, where neither rows nor vectors of them are reduced, and tiles
    neither scanned nor cut.

    Vectors get the slice of the layout that their broadcast or reduction needs;
    shared tiles get the widest swizzle that divides their rows, operands of wgmma
    that of 128 bytes. A left operand with shorter rows than a swizzle's is `packed`
    if its source has dense rows (`wgtile.dense_rows`). The kernel's number of
    threads follows.

    Before:
    ```mlir
    %d = wgtile.mma %a, %b, %c : !wgtile.shared<64x64xbf16>,
        !wgtile.shared<64x128xbf16> -> tensor<64x128xf32>
    ```
    After:
    ```mlir
    %d = wgtile.mma %a, %b, %c : !wgtile.shared<64x64xbf16, swizzle = 128>,
        !wgtile.shared<64x128xbf16, swizzle = 128>
        -> tensor<64x128xf32, #wgtile.mma<warps = 4>>
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTileSchedule : Pass<"wgtile-schedule", "::mlir::ModuleOp"> {
  let summary = "Decide how kernels work through their tiles";
  let description = [{
    Completes the `#wgtile.schedule` of every kernel, which the program or a table
    of tuned parameters may have begun; later passes apply it and decide nothing.
    The chip's resources come from the module's `#wgtile.target`.

    - A kernel whose loads read tensor maps is `specialized`. Its rings have as many
      stages as fit beside staging and the ring of tiles' numbers, at most the hint
      `stages`; rings that are filled once a tile have two, or one where the second
      would leave loops of many steps fewer than four and takes the place of at
      least two. Registers go from the producer to the consumers: it keeps as many
      of 64 (if it searches memory), 56, 40 or 32 as leave the consumers enough for
      their MMAs' tiles, and 24, if it searches none, where those that are live at
      one time fit only then.
    - Where that leaves loops fewer than two stages, a ring of warpgroups, which
      stages results, borrows a stage of a ring that loops fill (`borrow`).
    - Two CTAs share an SM with one warpgroup of consumers and at most 64
      accumulators a thread, four with small-M tiles.
    - In other kernels the loads of loops are issued ahead by all threads, in 4
      stages, or as many as `stages` asks for and fit. Two CTAs share an SM if they
      are small and each has at least three stages. Where tiles are read to
      registers alone, each is a CTA, which takes the place of one that
      ends; as many share an SM as have registers for what they keep over loops, and
      the launch is programmatic where the chip has clusters. Where none is read, or
      the program asks to persist, 32 warps share an SM.
    - Two MMAs in a chain overlap if the loop can be rotated, if registers suffice
      for the tiles of two iterations that are then live at one time, and if two
      stages of a tile that the loop then carries fit. Two or more warpgroups of one
      tile issue such MMAs in turn.
    - Up to 8 CTAs share the reduction of a tile where `split_k` asks for
      it, the loop over blocks does nothing but add MMAs, and the chip has clusters.
      The number is the next lower power of two. Such a kernel is not persistent, as
      many CTAs as have 3 stages share an SM, and its launch is programmatic: it runs
      for no longer than a launch takes.
    - Other loops over tiles of two or more indices are persistent and dynamic, with
      raster groups of 4 columns, or as many as `raster_group` asks for, at most 64.
      Tiles of MMAs in loops of at most 4 steps, known now, are walked in a fixed
      order: their counter, and its clearing, would cost more than it balances.
      Their launch is programmatic where the chip has clusters.
    - Tiles whose cost grows with the last but one index are walked in `descending`
      order. If the cost follows from memory that the host has, they are `sorted`,
      but not in the generic specialization of a kernel (`wgtile-version-kernels`).

    Before:
    ```mlir
    gpu.func @f(...) kernel attributes {wgtile.schedule = #wgtile.schedule<stages = 4>} {
    ```
    After:
    ```mlir
    gpu.func @f(...) kernel attributes {wgtile.schedule = #wgtile.schedule<
        specialized = true, stages = 4, tile_stages = 2, ctas_per_sm = 1,
        entry_registers = 168, producer_registers = 56, consumer_registers = 224,
        overlap = false, order_warpgroups = false, persistent = true,
        dynamic = true, raster_group = 4, tile_order = sorted>} {
    ```
  }];
}

def WGTileSplitK : Pass<"wgtile-split-k", "::mlir::ModuleOp"> {
  let summary = "Share the reduction of a tile among a cluster's CTAs";
  let description = [{
    In kernels with `split_k` in their schedule, so many CTAs compute a
    tile, a cluster. Each takes a part of the range of the loop over blocks
    (`wgtile.block_loop`); the first adds the sums, in the order of ranks, and runs
    the epilogue. Products with few tiles then use all SMs, and their results are
    the same bits in each run.

    Before:
    ```mlir
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (...) {
      ...
    } {wgtile.block_loop}
    wgtile.store %r, %out[%i, %j]
    ```
    After, for `split_k = 4`:
    ```mlir
    %rank = gpu.cluster_block_id x
    ... // %from = %begin + (%end - %begin) * %rank / 4, %to likewise
    %p = scf.for %p = %from to %to step %c1 iter_args(%acc = %zero) -> (...) {
      ...
    } {wgtile.block_loop}
    %r = wgtile.cluster_reduce %p
    %first = arith.cmpi eq, %rank, %c0
    scf.if %first {
      wgtile.store %r, %out[%i, %j]
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect", "::wgtile::WGTileDialect"];
}

def WGTileOverlap : Pass<"wgtile-overlap", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Overlap a block's last MMA with the next block's first MMA";
  let description = [{
    In kernels with `overlap` in their schedule, rotates block loops
    (`wgtile.block_loop`) in which the left operand of one
    MMA, in registers, is computed from the result of another. The first MMAs of a
    block are issued before the last MMAs of the block before it, and the ops
    between the two run beside these. `wgtile-place-waits` then finds both in
    flight. Upstream's `scf::pipelineForLoop` does the rotation, under a branch
    that is taken if the loop has an iteration.

    With `late`, ops used only by the last MMAs, such as the factor of their
    accumulator, are delayed until the next block's first MMAs are issued: the loop
    then waits for the last MMAs at its end, and all other ops overlap them. With
    warpgroup ordering (`order_warpgroups`) the MMAs of other warpgroups leave time
    for them anyway.

    A loop is left alone if its last MMAs are used by more than the next
    iteration, if it writes to memory, or if its MMAs are by mma.sync. A tile that
    first and last MMAs share is carried to the next iteration if it is loaded; the
    loop is left alone if it comes from elsewhere.

    Before:
    ```mlir
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> ... {
      %s = wgtile.mma %a, %b, %zeros
      %t = arith.truncf %s
      %d = wgtile.mma %t, %v, %acc
      scf.yield %d
    } {wgtile.block_loop}
    ```
    After:
    ```mlir
    %r = scf.if %has_iteration -> ... {
      %s0 = wgtile.mma %a0, %b0, %zeros
      %t0 = arith.truncf %s0
      %l:2 = scf.for %p = %begin to %last step %c1 iter_args(%acc = %zero, %t = %t0) -> ... {
        %s = wgtile.mma %a, %b, %zeros
        %d = wgtile.mma %t, %v, %acc
        %next = arith.truncf %s
        scf.yield %d, %next
      } {wgtile.block_loop}
      %d = wgtile.mma %l#1, %v, %l#0
      scf.yield %d
    } else {
      scf.yield %zero
    }
    ```
  }];
  let statistics = [
    Statistic<"numRotated", "num-rotated", "Number of loops rotated">
  ];
  let options = [
    Option<"late", "late", "bool", /*default=*/"true",
           "Delay ops used only by the last MMAs until the next block's first "
           "MMAs are issued, in kernels without warpgroup ordering">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTilePackConditions
    : Pass<"wgtile-pack-conditions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Pack row-only and column-only mask conditions into bit words";
  let description = [{
    A select by several conditions costs an element one comparison for each. For
    conditions that depend only on the row, only on the column, or on a per-row bound,
    a lane can hold one word for all of its columns of a row (`wgtile.bits_below`,
    `wgtile.lane_bits`): words are combined 32 conditions at a time, and an element
    tests one bit, a few of which become predicates by one instruction.
    Vectors of columns that only such conditions need are read by a warp's lanes
    together (`wgtile.read_lanes`), which compare each element once.

    Conditions become bits where a vector of columns need not be read by each lane,
    or where at least two comparisons of all elements are saved; others stay, and are
    combined with the test of a bit. The pass changes kernels with block loops
    (`wgtile.block_loop`) and MMAs by wgmma, in tiles of at most 128 columns that
    warps divide along the rows.

    Before:
    ```mlir
    %a = arith.cmpi sle, %ramp, %radius : tensor<64x128xi32, #mma>
    %b = arith.cmpi eq, %vector, %one : tensor<128xi32, #columns>
    %c = wgtile.broadcast %b dimension 1 : tensor<128xi1, #columns> -> tensor<64x128xi1, #mma>
    %d = arith.ori %a, %c : tensor<64x128xi1, #mma>
    %e = arith.select %d, %scores, %lowest
    ```
    After:
    ```mlir
    %a = wgtile.bits_below %bounds : tensor<64xi32, #rows>
    %b = wgtile.lane_bits %bit0, %bit1, %bit2, %bit3
    %c = tensor.splat %b : tensor<64xi32, #rows>
    %d = arith.ori %a, %c : tensor<64xi32, #rows>
    %t = wgtile.test_bits %d : tensor<64xi32, #rows> -> tensor<64x128xi1, #mma>
    %e = arith.select %t, %scores, %lowest
    ```
  }];
  let statistics = [
    Statistic<"numPacked", "num-packed", "Number of selections by bits">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileSplitRange : Pass<"wgtile-split-range", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Split block loops where a condition on their index becomes false";
  let description = [{
    A block loop (`wgtile.block_loop`) with a branch on `%iv < %bound`, where
    `%bound` does not change in the loop, becomes two loops, one after the other:
    up to the bound with the branch's first side in its place, and from there on
    with its second. An attention program with a mask on its first blocks pays for
    the mask in these blocks only.

    A loop whose MMAs are by mma.sync is left alone: a branch in it costs little,
    and two loops would each have tiles in shared memory. The pass runs after
    `wgtile-overlap`, so that values in flight between two iterations are carried
    from the first loop to the second. The condition may be on the index plus a
    constant, which comes from the rotation. Other conditions that follow from the
    place before or after the bound become constants.

    Vectors that the taken side reads for its elements are read before the
    iteration's loads and MMAs; so are those of a branch behind the MMA of an
    iteration that the rotation took out, where what is not there is not read. A
    warp's lanes read a vector of 32-bit elements of columns together
    (`wgtile.read_lanes`), and have it from each other where it is used.

    Before:
    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %init) -> ... {
      %masked = arith.cmpi slt, %i, %bound : index
      %s = scf.if %masked -> ... { ... } else { ... }
    } {wgtile.block_loop}
    ```
    After:
    ```mlir
    %mid = ... // %bound, clamped to [%c0, %n]
    %m = scf.for %i = %c0 to %mid step %c1 iter_args(%x = %init) -> ... {
      ... // the first side
    } {wgtile.block_loop}
    %r = scf.for %i = %mid to %n step %c1 iter_args(%x = %m) -> ... {
      ... // the second side
    } {wgtile.block_loop}
    ```
  }];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of loops cut in two">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def WGTileDeferReductions
    : Pass<"wgtile-defer-reductions", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Defer combining threads' partial sums until after the loop";
  let description = [{
    Applies to a block loop that adds the sums of a tile's rows to a vector that it
    carries, if this vector starts at zero and is otherwise only scaled. Each
    thread then adds the elements that it holds of a row, and the threads that
    share a row combine their parts once, after the loop. Sums and scaling are
    linear, and these threads agree on the scale.

    A number of f32 that is a sum of several `wgtile.tile_reduce`, or of one in a
    loop, is kept in parts likewise, through loops and branches, up to a
    `wgtile.tile_combine` before another use.

    Before:
    ```mlir
    %l = scf.for ... iter_args(%x = %zeros) -> (tensor<64xf32>) {
      %scaled = arith.mulf %x, %factor : tensor<64xf32>
      %sum = wgtile.row_reduce addf %p : tensor<64x128xf32> -> tensor<64xf32>
      %next = arith.addf %scaled, %sum : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    } {wgtile.block_loop}
    ```
    After:
    ```mlir
    %parts = scf.for ... iter_args(%x = %zeros) -> (tensor<64xf32>) {
      %scaled = arith.mulf %x, %factor : tensor<64xf32>
      %sum = wgtile.row_reduce addf %p partial : tensor<64x128xf32> -> tensor<64xf32>
      %next = arith.addf %scaled, %sum : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    } {wgtile.block_loop}
    %l = wgtile.row_combine addf %parts : tensor<64xf32>
    ```
  }];
  let statistics = [
    Statistic<"numDeferred", "num-deferred", "Number of reductions deferred">
  ];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTileOrderWarpgroups
    : Pass<"wgtile-order-warpgroups", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make warpgroups issue their MMAs in turn";
  let description = [{
    Applies to kernels with `order_warpgroups` in their schedule, to block loops
    whose iterations issue several asynchronous MMAs and compute something between them. A
    warpgroup waits for its place in the order before the first MMA, and lets the
    next warpgroup go after the last: while one warpgroup's MMAs run, the others
    compute. Without an order, warpgroups that start together wait for the tensor
    cores together, and then for the other units together.

    All warpgroups have to run the same iterations, so several consumer groups,
    each with a tile of its own, are left alone.

    Before:
    ```mlir
    scf.for ... {
      %s = wgtile.mma_async %q, %k, %zeros transpose_b
      %o = wgtile.mma_async %p, %v, %acc
      ...
    } {wgtile.block_loop}
    ```
    After:
    ```mlir
    wgtile.order_init warpgroups 2
    ...
    scf.for ... {
      wgtile.order_wait warpgroups 2
      %s = wgtile.mma_async %q, %k, %zeros transpose_b
      %o = wgtile.mma_async %p, %v, %acc
      wgtile.order_arrive warpgroups 2
      ...
    } {wgtile.block_loop}
    ```
  }];
  let statistics = [
    Statistic<"numOrdered", "num-ordered", "Number of loops with an order">
  ];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTilePlaceWaits
    : Pass<"wgtile-place-waits", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Make MMAs asynchronous and wait where their results are used";
  let description = [{
    Issues every wgmma asynchronously, and places a `wgtile.warpgroup_mma_wait` before the
    first use of its result as anything but another MMA's accumulator. The wait is
    in the block where the tile is defined: the MMA's own block or, if branches and
    iterations carry the result, the block that it is carried to. A wait leaves
    pending the commit groups that were issued after the one that is needed, on
    every path to the wait.

    A left operand in registers keeps them until a wait that passes it on: the
    wait for the MMA's result, or one more before the operand's next use and before
    its block ends. Where a loop carries the operand, the op that makes the next
    iteration's comes after that wait.

    MMAs by mma.sync stay synchronous. So does an MMA in a loop or a branch whose
    left operand is defined outside and has other uses.

    What lanes have of a vector (`wgtile.spread_lanes`), and bits that are computed
    of it, come behind the wait that precedes their first use.

    Before:
    ```mlir
    %r = scf.for ... iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %d = wgtile.mma %a, %b, %acc : ...
      scf.yield %d
    }
    ```
    After:
    ```mlir
    %r = scf.for ... iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
      %d = wgtile.mma_async %a, %b, %acc : ...
      scf.yield %d
    }
    %w = wgtile.warpgroup_mma_wait %r pending 0 : tensor<64x128xf32>
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTileSpecialize
    : Pass<"wgtile-specialize", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Split a tile program into a producer and consumers";
  let description = [{
    Applies to kernels that are `specialized` by their schedule, with its stages,
    registers and CTAs per SM. Clones the kernel's tile loop into two roles that meet in rings of shared
    memory. The producer keeps the loads, as copies into a ring's stages, and the
    ops that their addresses need. The consumers keep everything else and take the
    tiles from the ring. They release a stage after the wait that retires the last
    MMA that reads it, or after that MMA itself if it is by mma.sync. If the MMA is
    still running at the end of the iteration, a wait for all MMAs except those of
    this iteration follows it, and the stage of the previous iteration is released,
    whose token the loop carries. More than two consumer groups wait for it, and
    release its stage in the same iteration.

    Loads of one block share a stage if the same op reads them last; loads before
    and after a loop with loads of its own do not. Stages of the same tiles share a
    ring if none is held beyond the next. A kernel whose
    loads depend on the result of an MMA is refused.

    A loop that carries a tile of a load (`wgtile-overlap`) carries the token of its
    stage. The load before the loop and the load whose tile takes its place share a
    ring; each stage is released after the last reader of its tile, in the next
    iteration or after the loop.

    With `borrow` in the schedule a ring of warpgroups is made part of a ring that
    loops fill. At the end of a tile the producer commits a stage of that without
    copies, and the consumers take it before they first use the ring of warpgroups.

    Values that the loops read from memory for the positions of their tiles, or for
    the existence of any, are read one iteration ahead.

    With `consumer_groups` on the loop over tiles, that many consumer groups compute a tile
    each, and the producer walks their loops as one: tiles that do not depend on
    the group are loaded once. MMAs by mma.sync stay in their branches. Around
    wgmma, which ptxas serializes in branches, the branch becomes a loop that
    passes over the iterations without MMAs.

    Before:
    ```mlir
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      scf.for ... {
        %a = wgtile.load %values[%p, %c0, %c0] : ...
        %b = wgtile.load %map[%k, %j] : ...
        %d = wgtile.mma_async %a, %b, %acc : ...
      }
      wgtile.store ...
    }
    ```
    After:
    ```mlir
    %ring = wgtile.ring warps 8 : !wgtile.ring<4, [...]>
    wgtile.roles producer warps 4 registers 40 {
      wgtile.for_each_tile (%i, %j) in (%m, %n) {
        scf.for ... {
          %s = wgtile.producer_acquire %ring
          wgtile.tma_load %ring[%s] 0, %values[%p, %c0, %c0]
          wgtile.tma_load %ring[%s] 1, %map[%k, %j]
          wgtile.producer_commit %ring[%s]
        }
      }
    }, consumer warps 8 registers 232 consumer_groups 1 {
      wgtile.for_each_tile (%i, %j) in (%m, %n) {
        %none = wgtile.no_stage
        scf.for ... iter_args(%last = %none) {
          %s = wgtile.consumer_wait %ring
          %a = wgtile.ring_tile %ring[%s] 0
          %b = wgtile.ring_tile %ring[%s] 1
          %d = wgtile.mma_async %a, %b, %acc : ...
          %w = wgtile.warpgroup_mma_wait %d pending 1
          wgtile.consumer_release %ring[%last]
          scf.yield %s
        }
        ...
    ```
  }];
  let dependentDialects = ["::mlir::ub::UBDialect", "::wgtile::WGTileDialect"];
}

def WGTilePipeline : Pass<"wgtile-pipeline", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Load the tiles of a loop some iterations ahead, by all threads";
  let description = [{
    For kernels whose loads read memrefs: the chip has no TMA, or TMA cannot take
    the operands. The loads of a loop become asynchronous copies into a ring of as
    many stages as the kernel's schedule says. With n stages the copies are issued
    n - 1 iterations before their use. All threads copy and multiply. Each iteration
    has one barrier, after which its stage is filled and the stage of the previous
    iteration is free. Indices that are themselves loaded are requested before the
    iteration's MMAs.

    Before:
    ```mlir
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (...) {
      %k = memref.load %col[%p] : memref<?xindex>
      %a = wgtile.load %values[%p, %c0, %c0] aligned : memref<?x64x64xbf16>
          -> !wgtile.shared<64x64xbf16, swizzle = 128>
      %b = wgtile.load %dense[%k, %c0] aligned : memref<?x?xbf16>
          -> !wgtile.shared<64x128xbf16, swizzle = 128>
      %d = wgtile.mma %a, %b, %acc mma_sync : ...
      scf.yield %d
    }
    ```
    After, with four stages:
    ```mlir
    %ring = wgtile.ring : !wgtile.ring<4, [...]>
    ... // copies into three stages, each committed
    %r = scf.for %p = %begin to %end step %c1 iter_args(%acc = %zero) -> (...) {
      %s = wgtile.consumer_wait %ring pending 2
      %k = memref.load %col[min(%p + 3, %end - 1)] : memref<?xindex>
      %a = wgtile.ring_tile %ring[%s] 0
      %b = wgtile.ring_tile %ring[%s] 1
      %d = wgtile.mma %a, %b, %acc mma_sync : ...
      wgtile.consumer_release %ring[%s]
      %e = wgtile.producer_acquire %ring
      scf.if %p + 3 < %end {
        wgtile.async_copy %ring[%e] 0, %values[%p + 3, %c0, %c0] aligned
        wgtile.async_copy %ring[%e] 1, %dense[%k, %c0] aligned
      }
      wgtile.producer_commit %ring[%e]
      scf.yield %d
    }
    wgtile.producer_tail %ring
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def WGTileAllocateShared
    : Pass<"wgtile-allocate-shared", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Place tiles and barriers in shared memory";
  let description = [{
    Gives every `wgtile.load` the offset of its tile and of its barrier, every
    `wgtile.ring` the offsets of its stages and barriers, every `wgtile.tile_reduce`
    and `wgtile.tile_combine` of several warps that of the parts which they
    exchange, and the kernel the number of bytes that it needs
    (`wgtile.shared_bytes`). A ring in another one begins where that does. A kernel
    that needs more than the module's target has is refused with both numbers.

    Before:
    ```mlir
    %a = wgtile.load %map[%p, %c0, %c0] : ...
    ```
    After:
    ```mlir
    %a = wgtile.load %map[%p, %c0, %c0] {barrier = 24576 : i64, offset = 0 : i64}
    ```
  }];
}

def WGTilePlaceFences
    : Pass<"wgtile-place-fences", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Place fences and barriers around shared memory";
  let description = [{
    If threads wrote a shared tile that TMA or wgmma then uses, or read one that
    TMA then writes, the pass places a `wgtile.fence_proxy_async` before the barrier at
    which these threads meet, or before the use if there is no barrier. Barriers
    that are then missing go before the use, for all threads that share the tile.
    After the last reads of a ring's stage in each block, a fence and a barrier of
    the warp precede the stage's release. Tiles, their uses and barriers are known
    by `SyncOpInterface` alone. All fences and barriers of a kernel come from this
    pass, except those that are part of an op (`wgtile.load`, `wgtile.consumer_wait`
    without roles), which declares them by its effects.

    Before:
    ```mlir
    wgtile.ring_store %t, %ring[%s] 0
    wgtile.tma_store %ring[%s] 0, %map[%i, %j] warpgroups 1
    ```
    After:
    ```mlir
    wgtile.ring_store %t, %ring[%s] 0
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %ring[%s] 0, %map[%i, %j] warpgroups 1
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTileVerifySync
    : Pass<"wgtile-verify-sync", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Check waits, fences, barriers and the stages of rings";
  let description = [{
    A forward dataflow analysis: the state where paths meet has the hazards of each
    path, and a kernel that the analysis cannot follow is refused. So is a kernel in
    which
    - the result of an asynchronous MMA is used before a wait passes it on;
    - a register tile that an asynchronous MMA reads is used, or its block ends,
      before a wait passes it on;
    - a stage is released while an MMA still reads it, or taken while it may still be
      held;
    - a token is used after its stage was committed or released, for another ring or
      in the other role, or is lost before;
    - the consumers do not go on with the producer's next tile;
    - without roles, a stage is acquired before a barrier has followed its release, or
      taken before its copies have arrived;
    - a shared tile is written while asynchronous work still uses it, or read while
      it is still written;
    - no fence separates accesses of a tile by threads from asynchronous ones, or
      no barrier separates accesses by different threads;
    - a kernel ends while TMA still reads shared memory;
    - a ring of warpgroups is of another number of them than hold register tiles, or
      is made in a loop or a branch;
    - a ring waits for another number of warps than its consumers have, or has more
      than one role that fills it or reads it; rings make a circle of roles;
    - threads read a stage that is released without a fence and a barrier of the
      warp;
    - the consumers do not take each stage that the producer commits, in its order
      over all rings, in the same loops and branches. Ranges and conditions are
      compared value by value, a loop that passes over iterations by its first
      value (`wgtile-specialize`); what cannot be compared is refused;
    - a tile of a stage is copied twice, or read and not copied;
    - warpgroups of an order do not alternate between waiting and arriving;
    - two places in shared memory overlap, or one lies outside it;
    - rows of a tile are cleared by an MMA (`rows`) while asynchronous work uses the
      tile, or threads read it without a barrier after that;
    - an op without `SyncOpInterface` may access shared memory or let threads meet:
      inline assembly, a call, an op whose effects are not known, a `gpu.barrier`
      of some roles only;
    - an array of the module in shared memory (`memref.get_global`) is read or
      stored to without a barrier after it was stored to, updated or read by others;
      any other memref in shared memory is refused;
    - a condition or a bound that may differ between threads decides whether they
      reach an op that synchronizes, or that exchanges parts of a tile;
    - a `wgtile.cluster_reduce` is in a branch or a loop;
    - without roles, a stage is filled under another condition than that the loop has
      the iteration that takes it (`wgtile-pipeline`).

    Ops are known by `SyncOpInterface` alone. The analysis does not see the effects
    of a `wgtile.load` or a ring's copies on global memory. With roles it does not
    check that a tile copied under a condition is read under the same condition.

    No pass after this one may change barriers: of those that follow,
    `wgtile-assign-stages` adds numbers of stages, and the conversion makes them
    instructions, which have effects that no pass removes.

    Before:
    ```mlir
    %d = wgtile.mma_async %a, %b, %c : ...
    wgtile.consumer_release %ring[%s] : ...
    ```
    After:
    ```
    error: 'wgtile.consumer_release' op expected a wait for the product that reads
    the stage before it is given back
    ```
  }];
}

def WGTileAssignStages
    : Pass<"wgtile-assign-stages", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Assign stage index and phase to ring waits";
  let description = [{
    Each role walks the stages of a ring round-robin; without roles a program has two
    walks, one that fills and one that reads. The pass makes the number of
    the next stage and the phase of its barriers values, which the loops and branches
    of the role carry, and operands of `wgtile.producer_acquire` and
    `wgtile.consumer_wait`. A loop or a branch does not carry a position that it
    leaves where it was, as far as its waits can be counted: the positions in it are
    then constants, or those before it.

    Before:
    ```mlir
    scf.for ... {
      %s = wgtile.consumer_wait %ring : !wgtile.ring<4, [...]>
      ...
    }
    ```
    After:
    ```mlir
    scf.for ... iter_args(%stage = %c0, %phase = %c0) -> (i32, i32) {
      %s = wgtile.consumer_wait %ring at %stage, %phase : !wgtile.ring<4, [...]>
      %up = arith.addi %stage, %c1 : i32
      %wraps = arith.cmpi eq, %up, %c4 : i32
      %next = arith.select %wraps, %c0, %up : i32
      %flip = arith.extui %wraps : i1 to i32
      %flipped = arith.xori %phase, %flip : i32
      ...
      scf.yield %next, %flipped : i32, i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def WGTileInsertDelays
    : Pass<"wgtile-insert-delays", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Delay waits, arrivals and asynchronous work, to find races";
  let description = [{
    For tests: puts a `wgtile.delay` before every op that waits, arrives at a
    barrier, or issues asynchronous work. A correct program gives the same result
    in every run.

    Before:
    ```mlir
    wgtile.consumer_release %ring[%s] : ...
    ```
    After:
    ```mlir
    wgtile.delay 2000 site 7
    wgtile.consumer_release %ring[%s] : ...
    ```
  }];
  let options = [
    Option<"nanoseconds", "nanoseconds", "int64_t", /*default=*/"2000",
           "Approximate longest delay, in nanoseconds">
  ];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

#endif // SATTN_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_PASSES_TD
