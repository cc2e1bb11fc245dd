//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_TRANSFORMS_PASSES_TD
#define SATTN_DIALECT_WGTILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def WGTileOutlineKernels
    : Pass<"wgtile-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Make kernels of loops that are mapped to thread blocks";
  let description = [{
    Turns every `scf.forall` of a function that is mapped to thread blocks
    (`#gpu.block<...>`) into a `gpu.func` around a `wgtile.for_each_tile`, and
    puts a `wgtile.launch` of one thread block per tile in its place. Values that
    the loop uses and that are cheap to compute again (constants, sizes, integer
    arithmetic) are computed in the kernel; all others must be arguments of the
    function. The function's result must be its argument, written in place; the
    host function has no results. The `consumer_groups` of the loop become
    those of the loop over tiles; its hints `stages`, `warps` and `raster_group`
    begin the kernel's `#wgtile.schedule`.

    Upstream's mapping and outlining passes refuse dynamic shapes.

    Before:
    ```mlir
    func.func @f(%out: memref<?x?xf32>) {
      scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 128) { ... }
        {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
    ```
    After:
    ```mlir
    gpu.module @kernels {
      gpu.func @f(%out: memref<?x?xf32>) kernel {
        wgtile.for_each_tile (%ti, %tj) in (%tm, %tn) { ... }
        gpu.return
      }
    }
    func.func @f(%out: memref<?x?xf32>) {
      %grid = arith.muli %tm, %tn : index
      wgtile.launch @kernels::@f grid(%grid) args(%out) : memref<?x?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileAttachTarget : Pass<"wgtile-attach-target", "::mlir::ModuleOp"> {
  let summary = "Say which chip kernels are for";
  let description = [{
    Gives every `gpu.module` without a target the attribute `wgtile.target`, from
    which later passes know the resources of the chip.

    Before:
    ```mlir
    gpu.module @kernels {
    ```
    After:
    ```mlir
    gpu.module @kernels attributes {wgtile.target = #wgtile.target<chip = "sm_90a">} {
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"",
           "Chip: sm_80, sm_86, sm_89 or sm_90a">
  ];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTileVersionKernels
    : Pass<"wgtile-version-kernels", "::mlir::ModuleOp"> {
  let summary = "Make a version of each kernel for TMA";
  let description = [{
    TMA takes bases and strides in multiples of 16 bytes, and rows without gaps; a
    caller's tensors may have any. The pass clones every kernel that loads tiles
    and lets the host choose. The original, marked `wgtile.tma`, requires
    that
    - TMA can take every argument that is loaded or stored by tiles (marked
      `wgtile.tma_compatible`);
    - rows of stored arguments are multiples of 16 bytes long (TMA stores no less);
    - rows of arguments that are read into registers have no gaps.

    The clone, NAME_generic, runs otherwise. In the original, reads and stores of
    TMA-compatible arguments become `aligned`.

    An argument that is only read, and only into registers, need not be TMA-compatible.
    If there is such an argument, a second clone, NAME_register_loads, marked
    `wgtile.version_of`, takes it as it is, and the original runs where TMA can
    take this argument too.

    Before:
    ```mlir
    wgtile.launch @kernels::@f grid(%n) args(%b, %out)
    ```
    After:
    ```mlir
    %0 = wgtile.tma_compatible %b : memref<?x?xbf16, strided<[?, ?], offset: ?>>
    %1 = wgtile.tma_compatible %out : memref<?x?xbf16, strided<[?, ?], offset: ?>>
    %2 = arith.andi %0, %1 : i1
    scf.if %2 {
      wgtile.launch @kernels::@f grid(%n) args(%b, %out)
    } else {
      wgtile.launch @kernels::@f_generic grid(%n) args(%b, %out)
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileRequireUnitStrides
    : Pass<"wgtile-require-unit-strides", "::mlir::ModuleOp"> {
  let summary = "Require rows without gaps where register tiles are read or stored";
  let description = [{
    Gives every kernel argument that is read into or stored from registers an
    innermost stride of 1 in its type, by a `memref.cast` on the host, which the
    manifest turns into a check. The elements of a row are then at constant offsets
    from the row's first, instead of at one address each.

    Before:
    ```mlir
    wgtile.launch @kernels::@f grid(%n) args(%out)
        : memref<?x?xbf16, strided<[?, ?], offset: ?>>
    ```
    After:
    ```mlir
    %0 = memref.cast %out : memref<?x?xbf16, strided<[?, ?], offset: ?>>
        to memref<?x?xbf16, strided<[?, 1], offset: ?>>
    wgtile.launch @kernels::@f grid(%n) args(%0)
        : memref<?x?xbf16, strided<[?, 1], offset: ?>>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def WGTileSubtileEpilogue
    : Pass<"wgtile-subtile-epilogue", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Compute and store tiles a few columns at a time";
  let description = [{
    Cuts a store of a wide tile into stores of subtiles whose rows are `bytes`
    bytes long, one row of the swizzle. The elementwise ops, broadcasts, reads and
    branches that the tile is computed from are cut too, so that few of the values
    read are in registers at one time. Subtiles of more than 192 rows that are not
    `aligned` are half as wide, but at least 32 columns: each of their elements has
    an address of its own.

    Reads move after stores of other columns. The result is the same if a read
    takes the stored elements themselves, element for element, or memory that the
    store does not touch; different arguments of a kernel overlap in no other way.

    Before:
    ```mlir
    %c = wgtile.read %out[%i, %j] ... -> tensor<64x128xbf16>
    %e = arith.extf %c : tensor<64x128xbf16> to tensor<64x128xf32>
    %s = arith.addf %e, %acc : tensor<64x128xf32>
    %t = arith.truncf %s : tensor<64x128xf32> to tensor<64x128xbf16>
    wgtile.store %t, %out[%i, %j] ...
    ```
    After:
    ```mlir
    %c = wgtile.read %out[%i, %j] ... -> tensor<64x64xbf16>
    %e = arith.extf %c : tensor<64x64xbf16> to tensor<64x64xf32>
    %a = wgtile.extract_columns %acc from 0 : tensor<64x128xf32> -> tensor<64x64xf32>
    %s = arith.addf %e, %a : tensor<64x64xf32>
    %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
    wgtile.store %t, %out[%i, %j] ...
    ...
    ```
  }];
  let options = [
    Option<"bytes", "bytes", "int64_t", /*default=*/"128",
           "Bytes of a subtile's rows, a multiple of 64">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileAssignLayouts
    : Pass<"wgtile-assign-layouts", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Choose the layout of every register and shared tile";
  let description = [{
    Chooses how a kernel multiplies. It uses wgmma if the chip has it, TMA loads
    the tiles (`wgtile.tma`) and all MMAs fit (16-bit elements, rows in
    multiples of 64, shared tiles of whole rows of the 128-byte swizzle), and
    mma.sync otherwise.

    Register tiles get the accumulator's layout. For wgmma one warp has 16 rows.
    For mma.sync 4 or 8 warps divide rows and columns so that they load the least
    (where TMA loads for several consumer groups, the share of 8 warps), or divide
    the rows alone if an MMA takes a register tile or rows are reduced. The hint
    `warps` of the kernel's schedule sets another number of warps, at most 8, that
    leaves a thread at most 64 registers of the accumulator.

    Vectors get the slice of the layout that their broadcast or reduction needs;
    shared tiles get the widest swizzle that divides their rows. The kernel's
    number of threads follows.

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

def WGTileCreateTensorMaps
    : Pass<"wgtile-create-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "Load tiles by tensor maps that the host encodes";
  let description = [{
    Gives every `wgtile.load` of a kernel's argument a tensor map as its source:
    a `wgtile.tensor_map` before the launch and an argument of the kernel.
    Arguments that the kernel no longer uses are dropped. A box has the rows of
    the tile without its padding.

    Before:
    ```mlir
    %a = wgtile.load %values[%p, %c0, %c0] : memref<?x64x64xbf16, ...>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
    ```
    After:
    ```mlir
    %a = wgtile.load %map[%p, %c0, %c0]
        : !wgtile.tensor_map<1x64x64xbf16, swizzle = 128>
        -> !wgtile.shared<64x64xbf16, swizzle = 128>
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
      `stages`; rings that are filled once a tile have two. Registers go from the
      producer to the consumers.
    - Two CTAs share an SM with one warpgroup of consumers and at most 64
      accumulators a thread, four with small-M tiles.
    - In other kernels the loads of loops are issued ahead by all threads, in 4
      stages, or as many as `stages` asks for and fit. Two CTAs share an SM if they
      are small and each has at least three stages.
    - Two MMAs in a chain overlap if the loop can be rotated, and two or more
      warpgroups of one tile then issue them in turn.
    - Loops over tiles of two or more indices are persistent and dynamic, with
      raster groups of 4 columns, or as many as `raster_group` asks for, at most 64.
    - Tiles whose cost grows with the last but one index are walked in `descending`
      order. If the cost follows from memory that the host has, they are `sorted`,
      but not in the generic version of a kernel (`wgtile-version-kernels`).

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

def WGTileOverlap : Pass<"wgtile-overlap", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Run the first MMA of the next block beside this block's last";
  let description = [{
    In kernels with `overlap` in their schedule, rotates block loops
    (`wgtile.block_loop`) in which the left operand of one
    MMA, in registers, is computed from the result of another. The first MMAs of a
    block are issued before the last MMAs of the block before it, and the ops
    between the two run beside these. `wgtile-place-waits` then finds both in
    flight. Upstream's `scf::pipelineForLoop` does the rotation, under a branch
    that is taken if the loop has an iteration.

    A loop is left alone if its last MMAs are used by more than the next
    iteration, if first and last MMAs share a tile of shared memory, if it writes
    to memory, or if its MMAs are by mma.sync.

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
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileSplitRange : Pass<"wgtile-split-range", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Cut block loops where a condition on their index turns false";
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
    constant, which comes from the rotation.

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
  let summary = "Combine the threads' parts of a row's sum after the loop";
  let description = [{
    Applies to a block loop that adds the sums of a tile's rows to a vector that it
    carries, if this vector starts at zero and is otherwise only scaled. Each
    thread then adds the elements that it holds of a row, and the threads that
    share a row combine their parts once, after the loop. Sums and scaling are
    linear, and these threads agree on the scale.

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
  let summary = "Let warpgroups issue their MMAs one after the other";
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

def WGTileStageEpilogueLoads : Pass<"wgtile-stage-epilogue-loads", "::mlir::ModuleOp"> {
  let summary = "Read tiles by TMA, through shared memory";
  let description = [{
    In the program of a tile, a read of a TMA-compatible argument (see
    `wgtile-version-kernels`) whose tile has the same type as a tile that the
    program's loop loads becomes a load of a shared tile and a read of that tile.
    `wgtile-specialize` gives the load a stage of the loop's ring: after the loop's
    last iteration the producer goes on to the loads after the loop, and they
    arrive while the last MMAs run.

    A read of an argument that the kernel stores to stays unless it reads the very
    tile that is stored. Reads in inner loops stay too.

    Before:
    ```mlir
    scf.for ... {
      %a = wgtile.load %values[%p, %c0, %k]
          : memref<?x128x128xbf16> -> !wgtile.shared<128x64xbf16, swizzle = 128>
      ...
    }
    %c = wgtile.read %out[%i, %j] in_bounds [true, false] aligned
        : memref<?x?xbf16> -> tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    ```
    After:
    ```mlir
    %s = wgtile.load %out[%i, %j] aligned
        : memref<?x?xbf16> -> !wgtile.shared<128x64xbf16, swizzle = 128>
    %c = wgtile.read_shared %s : !wgtile.shared<128x64xbf16, swizzle = 128>
        -> tensor<128x64xbf16, #wgtile.mma<warps = 8>>
    ```
  }];
}

def WGTileStageStores
    : Pass<"wgtile-stage-stores", "::mlir::ModuleOp"> {
  let summary = "Store tiles by TMA, through shared memory";
  let description = [{
    In the program of a tile, a store to a TMA-compatible argument (see
    `wgtile-version-kernels`) of a tile whose rows are one row of the swizzle goes
    through a staging tile: each warpgroup writes its rows there, one of its
    threads starts the copy to global memory, and the program goes on. Two staging
    tiles of a type alternate. Before one is written again, the program waits for
    the copy that reads it, which may belong to the previous tile. At the kernel's
    end it waits for all copies. Stores in branches and inner loops stay.

    Before:
    ```mlir
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      ...
      wgtile.store %t, %out[%r, %c] in_bounds [true, false]
          : tensor<128x64xbf16, #wgtile.mma<warps = 8>>, memref<?x?xbf16>
    }
    ```
    After:
    ```mlir
    %s = wgtile.staging : !wgtile.shared<64x64xbf16, swizzle = 128>
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      ...
      wgtile.tma_store_wait pending 0 read
      wgtile.named_barrier
      wgtile.store_shared %t, %s : ...
      wgtile.fence_proxy_async
      wgtile.named_barrier
      wgtile.tma_store %s, %map[%r, %c] warpgroups 2 : ...
    }
    wgtile.tma_store_wait pending 0
    ```
  }];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

def WGTilePrefetchEpilogueLoads
    : Pass<"wgtile-prefetch-epilogue-loads", "::mlir::ModuleOp"> {
  let summary = "Prefetch a tile program's reads into the L2 cache";
  let description = [{
    At the start of a tile's program, prefetches the tiles of TMA-compatible arguments
    (see `wgtile-version-kernels`) that the program reads into registers. Without
    the prefetch the program would wait for them after its MMAs. A prefetch is
    under the conditions of the branches around its read, as far as these follow
    from arithmetic alone. The read's indices must follow from arithmetic alone, or
    there is no prefetch. A tile that both arms of a branch read is prefetched once.

    Before:
    ```mlir
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      ...
      %t = scf.if %c -> ... {
        %0 = wgtile.read %out[%r, %c] ...
    ```
    After:
    ```mlir
    wgtile.for_each_tile (%i, %j) in (%m, %n) {
      scf.if %c {
        wgtile.prefetch %map[%r, %c] warpgroups 2 : ...
      }
      ...
      %t = scf.if %c -> ... {
        %0 = wgtile.read %out[%r, %c] ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
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
    its block ends.

    MMAs by mma.sync stay synchronous. So does an MMA in a loop or a branch whose
    left operand is defined outside and has other uses.

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
    whose token the loop carries.

    Loads of one block share a stage if the same op reads them last; loads before
    and after a loop with loads of its own do not. Stages of the same tiles share a
    ring if none is held beyond the next. A kernel whose
    loads depend on the result of an MMA is refused.

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

def WGTileHoistEpilogueLoads
    : Pass<"wgtile-hoist-epilogue-loads", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Load the operands of the next epilogue subtile early";
  let description = [{
    Where the subtiles of a tile are stored through staging, one after the other
    (`wgtile-stage-stores`), a subtile's read of global memory moves up, before the
    wait for the staging tile of the previous subtile. The read then arrives while
    that subtile is computed and stored. A read in a branch moves with a branch of
    its own. A read stays if it may touch an element that a store in between writes.

    Before:
    ```mlir
    wgtile.tma_store_wait pending 1 read
    ...
    wgtile.tma_store %s0, %map[%i, %j]
    %c = wgtile.read %out[%i, %j1]
    ```
    After:
    ```mlir
    %c = wgtile.read %out[%i, %j1]
    wgtile.tma_store_wait pending 1 read
    ...
    wgtile.tma_store %s0, %map[%i, %j]
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def WGTilePersist : Pass<"wgtile-persist", "::mlir::ModuleOp"> {
  let summary = "Let each thread block walk many tiles, longest first";
  let description = [{
    Applies the fields `persistent`, `dynamic`, `raster_group`, `ctas_per_sm` and
    `tile_order` of a kernel's schedule (`wgtile-schedule`).

    Launches at most as many thread blocks as run at one time and makes every
    `wgtile.for_each_tile` of the kernel persistent. The loop walks a raster group
    of several columns of tiles at a time. With `dynamic`, the dynamic persistent
    tile scheduler, the blocks take tiles one by one from a counter, which the
    runtime sets to zero before each launch (`wgtile.zeroed`); if every block has
    one tile, there is no counter. With roles, the producer takes the tiles and
    passes each on at the end of an iteration of the tile loop
    (`wgtile.next_tile`), through a ring.

    With `tile_order = descending` the loop walks the last but one index from its
    last value to its first. With `sorted`, a kernel of its own, NAME_order,
    computes the bounds of the loops of a tile's program and sorts the values of
    that index by cost, longest first, in 1,024 classes; a condition that is the
    same for all tiles counts as true. The host launches it first, with
    `preprocess`: it reads the memory that the loops' bounds are read from, and
    nothing else. Versions of one kernel share the order.

    Before:
    ```mlir
    wgtile.launch @kernels::@f grid(%tiles) args(...)
    ```
    After:
    ```mlir
    %n = wgtile.sm_count
    %blocks = arith.minsi %tiles, %n : index
    %more = arith.cmpi sgt, %tiles, %blocks : index
    %size = arith.select %more, %c1, %c0 : index
    %counter = memref.alloc(%size) {wgtile.zeroed} : memref<?xi32>
    %order = memref.alloc(%m) : memref<?xi32>
    wgtile.launch @kernels::@f_order grid(%c1) args(%m, %order, %rows) preprocess ...
    wgtile.launch @kernels::@f grid(%blocks) args(..., %counter, %order)
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileAllocateShared
    : Pass<"wgtile-allocate-shared", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Place tiles and barriers in shared memory";
  let description = [{
    Gives every `wgtile.load` the offset of its tile and of its barrier, every
    `wgtile.ring` the offsets of its stages and barriers, every `wgtile.staging` the
    offset of its tiles, and the kernel the number of bytes that it needs
    (`wgtile.shared_bytes`). A kernel that needs more than the module's
    target has is refused with both numbers.

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
    wgtile.store_shared %t, %s
    wgtile.tma_store %s, %map[%i, %j] warpgroups 1
    ```
    After:
    ```mlir
    wgtile.store_shared %t, %s
    wgtile.fence_proxy_async
    wgtile.named_barrier
    wgtile.tma_store %s, %map[%i, %j] warpgroups 1
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
    - two places in shared memory overlap, or one lies outside it.

    Ops are known by `SyncOpInterface` alone. The analysis does not see the effects
    of a `wgtile.load` or a ring's copies on global memory, and does not check that
    a tile copied under a condition is read under the same condition.

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
  let summary = "Give each wait for a ring's stage its position";
  let description = [{
    Each role walks the stages of a ring round-robin; without roles a program has two
    walks, one that fills and one that reads. The pass makes the number of
    the next stage and the phase of its barriers values, which the loops and branches
    of the role carry, and operands of `wgtile.producer_acquire` and
    `wgtile.consumer_wait`.

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
           "Longest delay, about">
  ];
  let dependentDialects = ["::wgtile::WGTileDialect"];
}

#endif // SATTN_DIALECT_WGTILE_TRANSFORMS_PASSES_TD
