//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_TRANSFORMS_KERNELS_PASSES_TD
#define SATTN_DIALECT_WGTILE_TRANSFORMS_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def WGTileOutlineKernels
    : Pass<"wgtile-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Outline loops that are mapped to CTAs into kernels";
  let description = [{
    Turns every `scf.forall` of a function that is mapped to CTAs
    (`#gpu.block<...>`) into a `gpu.func` around a `wgtile.for_each_tile`, and
    puts a `wgtile.launch` of one CTA per tile in its place. Values that
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
  let summary = "Attach the target chip to kernels";
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

def WGTileReassociate
    : Pass<"wgtile-reassociate", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Hoist row- and column-invariant arithmetic out of tiles";
  let description = [{
    Elementwise ops on vectors that are broadcast along one dimension are computed
    before the broadcast, those on scalars before `tensor.splat`.

    A sum of tiles, of vectors of rows and of columns and of multiples of the
    column's number (`wgtile.step`) is found through `addi`, `subi`, `muli` by a
    scalar, and, of f32 with `fastmath<reassoc>`, `addf`, `subf`, `negf`, `mulf` by
    a scalar, with `arcp` `divf` by a scalar, and `sitofp` whose users have
    `reassoc`. Where an element costs less so, the sum is computed anew: scalars and
    vectors first, numbers of columns as a `wgtile.ramp`, then one FMA for each tile.
    A converted integer of more than 24 bits is then rounded a second time, before
    the column's part is added.

    Before:
    ```mlir
    %0 = arith.subi %columns, %rows : tensor<64x128xi32>
    %1 = arith.sitofp %0 : tensor<64x128xi32> to tensor<64x128xf32>
    %2 = arith.mulf %splat, %1 fastmath<reassoc> : tensor<64x128xf32>
    %3 = arith.addf %score, %2 fastmath<reassoc> : tensor<64x128xf32>
    ```
    After:
    ```mlir
    %0 = wgtile.ramp %start, %slope : tensor<64xf32>, f32 -> tensor<64x128xf32>
    %1 = arith.addf %score, %0 : tensor<64x128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileVersionKernels
    : Pass<"wgtile-version-kernels", "::mlir::ModuleOp"> {
  let summary = "Clone kernels into specializations for aligned and for any arguments";
  let description = [{
    TMA takes bases and strides in multiples of 16 bytes, and rows without gaps; a
    caller's tensors may have any. The pass clones every kernel that loads tiles
    and lets the host choose. The original, marked `wgtile.tma`, requires
    that
    - TMA can take every argument that is loaded or stored by tiles (marked
      `wgtile.tma_compatible`);
    - rows of stored arguments are multiples of 16 bytes long (TMA stores no less);
    - rows of arguments that are read into registers have no gaps;
    - rows of matrices of static sizes, of which tiles have whole rows that are no
      whole 128 bytes, follow one another (marked `wgtile.dense_rows`), if the chip
      has TMA: it copies them as longer rows then.

    An argument of the first two kinds that is not so is copied to scratch memory with
    rows that start at multiples of 16 bytes, which stands for it, and copied back
    after the launch if the kernel stores it; the first copy is left out if the kernel
    stores all of it (`covers_results` on the loop over tiles) and reads
    nothing. The copies are `memref.copy` on the host (`wgtile-outline-copies`). The
    copy of an argument has at most `max-padding` bytes.

    Scratch memory of the program (a `memref.alloc` without a layout) counts as an
    argument. The runtime lets it begin where TMA can, so that its sizes alone
    decide: its rows must be multiples of 16 bytes long.

    The clone, NAME_generic, runs otherwise. In the original, reads and stores of
    TMA-compatible arguments become `aligned`, and arguments that are read into or
    stored from registers have an innermost stride of 1 in their types, by a
    `memref.cast` on the host, which the manifest turns into a check: the elements of
    a row are then at constant offsets from the row's first, instead of at one
    address each.

    An argument that is only read, and only into registers, need not be TMA-compatible.
    If there is such an argument, a second clone, NAME_register_loads, marked
    `wgtile.version_of`, takes it as it is, and the original runs where TMA can
    take this argument too.

    A kernel that loads nothing by tiles, but reads or stores register tiles that
    start at multiples of 16 bytes in their rows, has the same two specializations. Its
    original requires what TMA would, of these arguments, and is not marked.

    Before:
    ```mlir
    wgtile.launch @kernels::@f grid(%n) args(%b, %out)
    ```
    After, without the same ops for `%out`:
    ```mlir
    %0 = wgtile.tma_compatible %b : memref<?x?xbf16, strided<[?, ?], offset: ?>>
    %1 = arith.ori %0, %fits : i1
    %2 = arith.cmpi eq, %0, %false : i1
    %3 = arith.andi %1, %2 : i1
    %4 = scf.if %3 -> (memref<?x?xbf16, strided<[?, ?], offset: ?>>) {
      %5 = memref.alloc(%k, %n)[%row] : memref<?x?xbf16, strided<[?, 1]>>
      memref.copy %b, %5
      %6 = memref.cast %5
      scf.yield %6
    } else {
      scf.yield %b
    }
    scf.if %1 {
      %7 = memref.cast %out : memref<?x?xbf16, strided<[?, ?], offset: ?>>
          to memref<?x?xbf16, strided<[?, 1], offset: ?>>
      wgtile.launch @kernels::@f grid(%n) args(%4, %7)
    } else {
      wgtile.launch @kernels::@f_generic grid(%n) args(%b, %out)
    }
    ```
  }];
  let options = [
    Option<"maxPadding", "max-padding", "int64_t", "1073741824",
           "Most bytes of a padded copy of an argument; 0: no argument is copied">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileOutlineCopies : Pass<"wgtile-outline-copies", "::mlir::ModuleOp"> {
  let summary = "Outline copies on the host into kernels";
  let description = [{
    Turns every `memref.copy` of a function into a launch of a kernel that copies
    element by element: rows may start anywhere, and strides may be any. So it does
    with every `linalg.transpose` of memory that swaps the last two dimensions. Of
    8-bit elements of an argument of the function, which are transposed to memory
    without gaps, a second kernel moves 16 at a time, through shared memory; the
    host chooses it where TMA could take the argument and both sizes are multiples
    of 16.
    Copies of the same rank and element type share a kernel. With `omit`, copies under a
    condition have no kernel: in the place of the launch stands a `cf.assert` with
    the kernel's name, which holds if there is nothing to copy.

    Before:
    ```mlir
    memref.copy %b, %0 : memref<?x?xbf16, strided<[?, ?], offset: ?>>
        to memref<?x?xbf16, strided<[?, 1]>>
    ```
    After:
    ```mlir
    wgtile.launch @kernels::@f_copy_2d grid(%blocks)
        args(%b, %0, %lanes, %column_tiles, %row_tiles)
    ```
  }];
  let options = [
    Option<"omit", "omit", "bool", /*default=*/"false",
           "Refuse calls that need a copy under a condition">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileCreateTensorMaps
    : Pass<"wgtile-create-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "Make loads read through tensor maps that the host encodes";
  let description = [{
    Gives every `wgtile.load` of a kernel's argument a tensor map as its source:
    a `wgtile.tensor_map` before the launch and an argument of the kernel.
    Arguments that the kernel no longer uses are dropped. A box has the rows of
    the tile without its padding. The map of a packed tile is packed, and the load
    counts the map's rows.

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
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTilePersist : Pass<"wgtile-persist", "::mlir::ModuleOp"> {
  let summary = "Let each CTA walk many tiles, longest first";
  let description = [{
    Applies the fields `persistent`, `dynamic`, `raster_group`, `ctas_per_sm` and
    `tile_order` of a kernel's schedule (`wgtile-schedule`).

    Launches at most as many CTAs as run at one time and makes every
    `wgtile.for_each_tile` of the kernel persistent. The loop walks a raster group
    of several columns of tiles at a time. With `dynamic`, the dynamic persistent
    tile scheduler, the blocks take tiles one by one from a counter, which the
    runtime sets to zero (`wgtile.zeroed`) and each launch leaves zero again
    (`wgtile.left_zero`); if every block has one tile, there is no counter. With roles, the producer takes the tiles and
    passes each on at the end of an iteration of the tile loop
    (`wgtile.next_tile`), through a ring. Where the first copies of a tile wait for
    numbers that its program reads, as of lists, it does so behind them.

    With `tile_order = descending` the loop walks the last but one index from its
    last value to its first. With `sorted`, a kernel of its own, NAME_order,
    computes the bounds of the loops of a tile's program and sorts the values of
    that index by cost, longest first, in 1,024 classes; where each value has one
    tile, in 16 classes of cost and 64 of place, so that neighbors stay near each
    other. A condition that is the same for all tiles counts as true. The host
    launches it first, with `preprocess` and as a `hint`: it reads the memory that the
    loops' bounds are read from, and nothing else, and results do not depend on the
    order. Versions of one kernel share the order.

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
    %counter = memref.alloc(%size) {wgtile.left_zero, wgtile.zeroed} : memref<?xi32>
    %order = memref.alloc(%m) : memref<?xi32>
    wgtile.launch @kernels::@f_order grid(%c1) args(%m, %order, %rows) preprocess {hint} ...
    wgtile.launch @kernels::@f grid(%blocks) args(..., %counter, %order)
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
}

def WGTileOverlapLaunches
    : Pass<"wgtile-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Launch short kernels with programmatic dependent launch (PDL)";
  let description = [{
    Kernels with `programmatic_launch` in their schedule are launched as dependents
    of the kernel before them in their stream (programmatic dependent launch): what
    they do before they read memory, and the launch itself, takes place while that
    kernel ends. They wait for its results, and then allow the next kernel to start.

    Each role waits before the first op that takes more from global memory than
    index arrays, which the contracts of the function around the launch name; a
    persistent kernel waits before its tiles. A kernel without roles whose tiles may
    store nothing (`skips_results` on their loop) waits only in those branches
    of a tile that access other memory; its first CTA waits before it ends,
    too, since the next kernel waits for this one alone.

    If index arrays are read before, the launch has `reads_indices_early`: it may
    overlap with what is before it only if the caller knows that they are not being
    written, as the runtime does of a prepared operand. The launch does not have it
    if the one before it is of the same program, shares memory of the program with
    it and is not programmatic: nothing else is running then. If that kernel is
    persistent, it allows its dependents to launch at its start.

    Before:
    ```mlir
    gpu.func @f(%out: memref<?x?xbf16>) kernel {
      ...
    wgtile.launch @kernels::@f grid(%n) args(%out) : memref<?x?xbf16>
    ```
    After:
    ```mlir
    gpu.func @f(%out: memref<?x?xbf16>) kernel {
      nvvm.griddepcontrol wait
      nvvm.griddepcontrol launch_dependents
      ...
    wgtile.launch @kernels::@f grid(%n) args(%out) {programmatic} : memref<?x?xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def WGTilePrefetchEarly
    : Pass<"wgtile-prefetch-early", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Prefetch a tile's loads while the preceding kernel ends";
  let description = [{
    In kernels with `programmatic_launch` in their schedule, which start while the
    preceding kernel ends (`wgtile-overlap-launches`), one warp prefetches the CTA's
    first TMA loads into L2: iterations of a loop, one for each lane, of up to
    `boxes` boxes of tensor maps. Indices and loop bounds in memory are read without
    waiting (`wgtile.peek`). The preceding kernel may still write all of these: a
    prefetch does no harm, since L2 is where the SMs' views of memory meet, and the
    values are read again later. The tiles of a persistent kernel, and those of several consumer
    groups, are not prefetched.

    Before:
    ```mlir
    wgtile.for_each_tile (%i) in (%n) {
      %x = wgtile.load %map[%i, %c0] : ...
    ```
    After:
    ```mlir
    scf.if %is_second_warp {
      wgtile.for_each_tile (%i) in (%n) {
        wgtile.prefetch %map[%i, %c0] : ...
      }
    }
    wgtile.for_each_tile (%i) in (%n) {
      %x = wgtile.load %map[%i, %c0] : ...
    ```
  }];
  let options = [
    Option<"boxes", "boxes", "int64_t", /*default=*/"4",
           "Boxes that a CTA prefetches">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::wgtile::WGTileDialect"];
}

#endif // SATTN_DIALECT_WGTILE_TRANSFORMS_KERNELS_PASSES_TD
