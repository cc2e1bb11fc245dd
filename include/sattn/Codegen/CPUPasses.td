//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes between sattn-tile and LLVM that only the CPU needs. They know
// nothing of the dialect's ops: they take linalg and tensor ops on tiles inside
// an scf.forall. Their order is in lib/Pipelines/SAttnToCPU.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_CODEGEN_CPUPASSES_TD
#define SATTN_CODEGEN_CPUPASSES_TD

include "mlir/Pass/PassBase.td"

def SAttnCPUClipTiles
    : Pass<"sattn-cpu-clip-tiles", "::mlir::func::FuncOp"> {
  let summary = "Compute only the part of a tile that is stored, in place";
  let description = [{
    A padded tile that is clipped before it is stored costs a scratch tile and a
    copy. This pass moves the clip up, through conditionals and elementwise linalg
    ops, to the pads, where the two cancel; elementwise ops that meet in a branch
    on the way become one. Then the last op writes straight into the slice of the
    result. If it also reads that slice (an accumulation in place), it does so
    through its destination, so that bufferization needs no copy.

    Operands of a `linalg.matmul` that are both padded with zeros along the
    reduction, each from the same place on, are multiplied as far as they go: a pad
    would have to be copied, or tested for each element. The place is the same if the
    sizes are, or if they are the same function of extents that the contracts
    of the function require to be equal.

    Before:
    ```mlir
    %c = tensor.extract_slice %o[%i, %j] [64, %w] [1, 1]
    %p = tensor.pad %c low[0, 0] high[0, %h] { ... }
    %e = tensor.empty() : tensor<64x128xf32>
    %t = linalg.generic ins(%acc, %p : ...) outs(%e : tensor<64x128xf32>)
    %s = tensor.extract_slice %t[0, 0] [64, %w] [1, 1]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, %j] [64, %w] [1, 1]
    ```
    After:
    ```mlir
    %a = tensor.extract_slice %acc[0, 0] [64, %w] [1, 1]
    %c = tensor.extract_slice %o[%i, %j] [64, %w] [1, 1]
    %s = linalg.generic ins(%a : ...) outs(%c : tensor<64x?xf32>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, %j] [64, %w] [1, 1]
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def SAttnCPUPackPanels
    : Pass<"sattn-cpu-pack-panels", "::mlir::func::FuncOp"> {
  let summary = "Pack the right operand of a matmul, once or tile by tile";
  let description = [{
    Applies if the right operand of a `linalg.matmul` is a window of columns of a
    tensor from outside the loop over tiles, padded with zeros at that tensor's
    end. The whole tensor is copied before the loop: in the sum's type, and in panels of as
    many columns as the register tile has, so that the inner loop reads memory
    without gaps. Tiles read their panels of the copy. The index that chooses the
    panels becomes the outermost loop over tiles, so that panels stay in the
    second-level cache from one block row to the next.

    The copy is as large as the tensor, in the sum's type. If a loop whose bounds do not depend
    on the tile's columns takes the windows, its iterations in all tiles of a
    column are counted first. If these read each row of the tensor less than twice
    on average (8 times if the copy is larger than 32 MiB), the copy has no rows,
    and each tile packs the windows of its iterations before that loop, in the same
    way, one below the other. A program without iterations therefore reads nothing.

    Any other window of static size of such a tensor, transposed or not, as K and V
    of a block of attention, is packed where it is read, or before the loops of its
    tile in which it stays the same. Its rows are copied in the order of memory, so that
    prefetching follows them, and without tests of bounds where the window is whole.
    The indices that choose the windows of a loop, such as a head, become the outermost
    ones, too: the next tile reads the same windows.
    Right operands that are computed by the tile stay, and `sattn-cpu-pack-operands`
    copies them.

    A window may begin at a column that is read from memory, such as that of a stored
    block, if it is a multiple of the window's width; tiles then count for all columns
    alike. A left operand of 8-bit floats, or of narrow elements in windows of no
    static size, of which a tile's iterations take one after the other, is widened in
    the same way: all of its tensor if the tiles read it often enough, else the
    windows of each tile before its loop.

    Products of `i8` of 64 to 1024 elements are multiplied as f32, in which their sum
    is exact, and added to the sum in `i32` then: f32 has products and sums in one
    instruction.

    Before:
    ```mlir
    %0 = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 128) ... {
      ...
      %next = scf.for %t = %first to %end step %c1 iter_args(%acc = ...) {
        %s = tensor.extract_slice %b[%k, %j] [64, %w] [1, 1] : tensor<?x?xbf16> ...
        %r = tensor.pad %s low[0, 0] high[0, %h] { ... }
        %p = linalg.matmul ins(%l, %r : ..., tensor<64x128xbf16>) outs(%acc : ...)
    ```
    After (`vector-bits=512`):
    ```mlir
    %iterations = scf.for %i = %c0 to %m step %c64 iter_args(%sum = %c0) -> (index) {
      ... %end and %first of the tiles at %i
      %length = arith.subi %end, %first : index
      %next = arith.addi %sum, %length : index
      scf.yield %next : index
    }
    %read = arith.muli %iterations, %c64 : index
    %elements = arith.muli %rows, %n : index
    %large = arith.cmpi sgt, %elements, %c8388608 : index
    %reads = arith.select %large, %c8, %c2 : index
    %enough = arith.muli %rows, %reads : index
    %often = arith.cmpi sge, %read, %enough : index
    %rowsPacked = arith.select %often, %rows, %c0 : index
    %e = tensor.empty(%panels, %rowsPacked) : tensor<?x?x64xf32>
    %packed = scf.forall (%k) = (0) to (%rowsPacked) step (8) shared_outs(%o = %e) ... {
      (the copy of 8 rows of %b, one panel of 64 columns after the other)
    }
    %0 = scf.forall (%j, %i) = (0, 0) to (%n, %m) step (128, 64) ... {
      ...
      %first_panel = affine.apply affine_map<(d0) -> (d0 floordiv 64)>(%j)
      %from = scf.if %often -> (tensor<?x?x64xf32>) {
        scf.yield %packed : tensor<?x?x64xf32>
      } else {
        %rowsOfTile = affine.apply affine_map<(d0)[s0] -> (d0 * 64 - s0 * 64)>(%end)[%first]
        %f = tensor.empty(%rowsOfTile) : tensor<2x?x64xf32>
        %own = scf.for %t = %first to %end step %c1 iter_args(%o = %f) ... {
          (the copy of the iteration's 64 rows of %b, in 2 panels of 64 columns)
        }
        %cast = tensor.cast %own : tensor<2x?x64xf32> to tensor<?x?x64xf32>
        scf.yield %cast : tensor<?x?x64xf32>
      }
      %panel = arith.select %often, %first_panel, %c0 : index
      %next = scf.for %t = %first to %end step %c1 iter_args(%acc = ...) {
        %step = affine.apply affine_map<(d0)[s0] -> (d0 * 64 - s0 * 64)>(%t)[%first]
        %row = arith.select %often, %k, %step : index
        %s = tensor.extract_slice %from[%panel, %row, 0] [2, 64, 64] [1, 1, 1]
            : tensor<?x?x64xf32> to tensor<2x64x64xf32>
        %r = linalg.unpack %s outer_dims_perm = [1, 0] inner_dims_pos = [1]
            inner_tiles = [64] into %g : tensor<2x64x64xf32> -> tensor<64x128xf32>
        %p = linalg.matmul ins(%l, %r : ..., tensor<64x128xf32>) outs(%acc : ...)
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"512",
           "Width of the target's vector registers in bits">,
    ListOption<"registerTile", "register-tile", "int64_t",
               "Rows and columns of the accumulator that is kept in registers "
               "(default: from vector-bits)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SAttnCPUPackOperands
    : Pass<"sattn-cpu-pack-operands", "::mlir::func::FuncOp"> {
  let summary = "Copy the operands of a matmul into dense tiles of the accumulator's type";
  let description = [{
    The inner loop of a matrix product needs operands in the type of the sum (f32,
    f64 or i32) with known strides; a stored block may be 16 bits wide, and a slice
    of a function argument may have any strides. Each input of a `linalg.matmul`
    becomes an elementwise copy, which extends narrower elements, into a new tile.
    The left operand is read element by element, at any strides: in the type of the
    sum it stays in place.

    Before:
    ```mlir
    %next = linalg.matmul ins(%l, %r : tensor<64x64xbf16>, tensor<64x128xbf16>)
      outs(%acc : tensor<64x128xf32>)
    ```
    After:
    ```mlir
    %e = tensor.empty() : tensor<64x64xf32>
    %lp = linalg.generic ins(%l : tensor<64x64xbf16>) outs(%e) {
      %x = arith.extf %in : bf16 to f32
      linalg.yield %x : f32
    }
    ... the same for %r
    %next = linalg.matmul ins(%lp, %rp : tensor<64x64xf32>, tensor<64x128xf32>)
      outs(%acc : tensor<64x128xf32>)
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SAttnCPURegisterTile
    : Pass<"sattn-cpu-register-tile", "::mlir::func::FuncOp"> {
  let summary = "Tile the linalg ops of a tile program to vector registers";
  let description = [{
    Upstream's tiling, by sizes that registers hold. A `linalg.matmul` gets three
    loops: over panels of columns (into which the copy of the right operand is
    fused, so that a panel stays in the first-level cache), over rows, and over
    the reduction in steps of 1. Elementwise ops, and reductions of rows, get rows
    of at most one panel's width. Copies of elements narrower than 32 bits in rows of
    unknown length get whole vectors and then single elements, since few CPUs read
    these under a mask. Register tiles of a sum that begins with a constant begin with
    it in registers.

    If the right operand is packed in panels (`linalg.unpack`), and a loop, such as
    that over stored blocks, only adds up matrix products with it, itself or by an
    elementwise op, the loops over panels and rows go around that loop: a register
    tile is in registers until its sum is complete. An elementwise op on the sum is
    tiled with it and takes it tile by tile, up to the end of what it writes.
    (Upstream tiles an op around a loop of its own, and fuses ops, but no loops, into
    the loops of their consumers.)

    The register tile, rows x columns, is `register-tile` if given. Otherwise the
    hints `register_rows` and `register_vectors` of the loop over tiles
    count; registers that cannot hold it are an error. Without them it follows from `vector-bits`, the width of the target's vectors: four vectors of
    columns for 512 bits (32 registers), two below (16 registers), or fewer if the
    tile is narrower, and as many rows as fill 16 or 12 of the registers with
    accumulators. The columns are lowered to the largest divisor of the tile's. Where
    the rows do not divide the tile's, the last register tiles have fewer, in a loop of
    their own: of 64 rows sixty are in tiles of six, and four in one.

    Before:
    ```mlir
    %sum = scf.for %p = %begin to %end iter_args(%a = %zeros) {
      %rp = linalg.unpack %panels ... : tensor<2x64x64xf32> -> tensor<64x128xf32>
      %next = linalg.matmul ins(%lp, %rp) outs(%a : tensor<64x128xf32>)
      scf.yield %next
    }
    ```
    After (`vector-bits=512`):
    ```mlir
    %sum = scf.for %n = %c0 to %c128 step %c64 iter_args(%a0 = %empty) {
      scf.for %m = %c0 to %c64 step %c4 iter_args(%a1 = %a0) {
        %tile = scf.for %p = %begin to %end iter_args(%a2 = %zeros) {
          scf.for %k = %c0 to %c64 step %c1 iter_args(%a3 = %a2) {
            linalg.matmul ins(%l, %r : tensor<4x1xf32>, tensor<1x64xf32>)
              outs(%a3 : tensor<4x64xf32>)
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"512",
           "Width of the target's vector registers in bits">,
    ListOption<"registerTile", "register-tile", "int64_t",
               "Rows and columns of the accumulator that is kept in registers "
               "(default: from vector-bits)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SAttnCPUVectorize
    : Pass<"sattn-cpu-vectorize", "::mlir::func::FuncOp"> {
  let summary = "Vectorize the linalg ops of a tile program";
  let description = [{
    Upstream's vectorization of every linalg op inside an `scf.forall`; ops on
    dynamic slices (the clipped edge of a result) are vectorized with masks, at
    the largest size that the slice can have. Reads of a `tensor.pad` become reads
    of its source that are not in bounds; reads and writes of slices become reads
    and writes of the sliced tensor; a row is reduced to one element. No linalg op
    is left in the tile program; upstream's `loop-invariant-subset-hoisting` then
    keeps the accumulator in registers over the reduction.

    Before:
    ```mlir
    %1 = linalg.matmul ins(%l, %r : tensor<4x1xf32>, tensor<1x64xf32>)
      outs(%a : tensor<4x64xf32>)
    ```
    After:
    ```mlir
    %lv = vector.transfer_read %lp[%m, %k], %zero : ..., vector<4x1xf32>
    %rv = vector.transfer_read %rp[%k, %c0], %zero : ..., vector<1x64xf32>
    %av = vector.transfer_read %a[%c0, %c0], %zero : ..., vector<4x64xf32>
    %1 = vector.contract ... %lv, %rv, %av
    %2 = vector.transfer_write %1, %a[%c0, %c0]
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def SAttnCPUExpandScans
    : Pass<"sattn-cpu-expand-scans", "::mlir::func::FuncOp"> {
  let summary = "Expand scans and scatters of tiles to loops over elements";
  let description = [{
    A `vector.scan` of one dimension and a `vector.scatter` to a tensor become
    loops over their elements: each one depends on those before it, or has a place
    of its own. Upstream's lowerings write such code out for every element, of which
    a tile has hundreds, and scatter to memory without strides alone. A scan between
    two `vector.shape_cast`s is one of the tile itself.

    Before:
    ```mlir
    %1 = vector.scatter %row[%c0][%places], %mask, %values : ...
    ```
    After:
    ```mlir
    %1 = scf.for %i = %c0 to %c16 step %c1 iter_args(%r = %row) -> (tensor<?xi32>) {
      %place = tensor.extract %places[%i] ...
      %2 = scf.if %isStored -> (tensor<?xi32>) {
        %3 = tensor.insert %value into %r[%place] : tensor<?xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def SAttnCPUExpandMemRefOps
    : Pass<"sattn-cpu-expand-memref-ops", "::mlir::func::FuncOp"> {
  let summary = "Expand memref ops that have no direct lowering";
  let description = [{
    A `memref.copy` of memory that is not contiguous becomes a `linalg.generic`:
    upstream lowers it to a call of `memrefCopy`, which is only in the library of
    MLIR's runner. A `memref.expand_shape` with several dynamic sizes in one
    reassociation becomes a `memref.reinterpret_cast`: upstream's
    `expand-strided-metadata` handles only one.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def SAttnCPUDropResults : Pass<"sattn-cpu-drop-results", "::mlir::ModuleOp"> {
  let summary = "Drop results that alias a buffer of the caller";
  let description = [{
    After bufferization a function whose result was computed in place returns one
    of its own arguments. The caller already has this buffer, and upstream's
    deallocation would clone it, since the caller must be able to free a returned
    buffer. The pass removes the result. (Upstream's
    `drop-equivalent-buffer-results` leaves public functions as they are.)
    Functions with uses in the module are left alone.

    Before:
    ```mlir
    func.func @f(%a: memref<?xf32>) -> memref<?xf32> {
      ...
      return %a : memref<?xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%a: memref<?xf32>) {
      ...
      return
    }
    ```
  }];
}

def SAttnCPUTransposeByShuffles
    : Pass<"sattn-cpu-transpose-by-shuffles", "::mlir::func::FuncOp"> {
  let summary = "Transpose squares of vectors by shuffles of two rows";
  let description = [{
    The transpose of a square of n rows becomes log2(n) steps of n shuffles,
    each of two rows: a step swaps the blocks off the diagonal of all squares
    of twice its size. Upstream lowers a transpose to one shuffle of all
    elements, which LLVM takes apart element by element.

    Elements of 16 bits are shuffled as integers, since most CPUs have no
    shuffles of bf16. Other shapes than squares of a power of two stay.

    ```mlir
    %t = vector.transpose %a, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
    // =>
    %0 = vector.extract %a[0] : vector<4xf32> from vector<4x4xf32>
    %2 = vector.extract %a[2] : vector<4xf32> from vector<4x4xf32>
    %4 = vector.shuffle %0, %2 [0, 1, 4, 5] : vector<4xf32>, vector<4xf32>
    %5 = vector.shuffle %0, %2 [2, 3, 6, 7] : vector<4xf32>, vector<4xf32>
    // ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def SAttnCPUVersionStrides
    : Pass<"sattn-cpu-version-strides", "::mlir::func::FuncOp"> {
  let summary = "Read and write rows of unknown stride as vectors where it is 1";
  let description = [{
    A vector read or write needs contiguous elements. If the innermost stride of a
    buffer is known only at run time, upstream lowers it to a loop over elements.
    This pass tests the stride: if it is 1, the buffer is viewed with a type of
    stride 1; otherwise the loop over elements remains. A loop in which a product
    takes one element of each row of its left operand after the other has two
    versions, too, with the loops around it that carry its sum: with stride 1 the
    addresses of further iterations are constants apart. A write of a vector under a
    mask is without it where the mask has all elements.

    Before:
    ```mlir
    %v = vector.transfer_read %b[%i, %j], %zero
        : memref<64x?xbf16, strided<[?, ?], offset: ?>>, vector<64xbf16>
    ```
    After:
    ```mlir
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %b
    %dense = arith.cmpi eq, %strides#1, %c1
    %v = scf.if %dense -> (vector<64xbf16>) {
      %c = memref.reinterpret_cast %b to offset: [%offset],
          sizes: [64, %sizes#1], strides: [%strides#0, 1]
      %0 = vector.transfer_read %c[%i, %j], %zero
      scf.yield %0
    } else {
      %0 = vector.transfer_read %b[%i, %j], %zero
      scf.yield %0
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def SAttnCPUUnrollProducts
    : Pass<"sattn-cpu-unroll-products", "::mlir::func::FuncOp"> {
  let summary = "Unroll the inner loops of matrix products";
  let description = [{
    Eight iterations, or the next smaller divisor of their number, of a loop over the
    reduction of a product become one; 32 or fewer become none. The operands' strides
    along it must be known: the addresses in them are then constants apart. LLVM
    unrolls such loops for some CPUs alone, by the size of their buffers of decoded
    instructions.

    Before:
    ```mlir
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %zeros) -> (vector<4x64xf32>) {
      %l = vector.transfer_read %left[%i, %k] : memref<?x64xf32>, vector<4x1xf32>
      %r = vector.transfer_read %right[%k, %c0] : memref<64x64xf32>, vector<1x64xf32>
      %p = vector.contract ... %l, %r, %a
      scf.yield %p : vector<4x64xf32>
    }
    ```
    After:
    ```mlir
    %sum = scf.for %k = %c0 to %c64 step %c8 iter_args(%a = %zeros) -> (vector<4x64xf32>) {
      (eight products, each of which adds to the one before)
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

def SAttnCPURecordThreads
    : Pass<"sattn-cpu-record-threads", "::mlir::func::FuncOp"> {
  let summary = "Record the most threads of each parallel loop at the function";
  let description = [{
    Upstream's conversions of loops over tiles drop their attributes. The hints
    `threads` of all of them become an array at the function, `loop_threads`, in the
    order of the text; 0 stands for a loop without one. `sattn-cpu-schedule-threads`
    takes it.

    Before:
    ```mlir
    func.func @f(...) {
      scf.forall (%i) in (8) { ... }
      scf.forall (%i) in (%n) { ... } {threads = 2 : i64}
    ```
    After:
    ```mlir
    func.func @f(...) attributes {loop_threads = array<i64: 0, 2>} {
    ```
  }];
}

def SAttnCPUScheduleThreads
    : Pass<"sattn-cpu-schedule-threads", "::mlir::func::FuncOp"> {
  let summary = "Hand tiles to threads one at a time";
  let description = [{
    Gives each `omp.wsloop` without a schedule the dynamic schedule: block rows may
    have very different numbers of stored blocks, and equal shares of tiles would
    be unequal shares of work.
    A region of a loop that `loop_threads` gives a number gets the clause
    `num_threads`.

    Before:
    ```mlir
    omp.wsloop {
    ```
    After:
    ```mlir
    omp.wsloop schedule(dynamic) {
    ```
  }];
  let dependentDialects = ["::mlir::omp::OpenMPDialect"];
}

def SAttnCPUExpandFloat8 : Pass<"sattn-cpu-expand-float8"> {
  let summary = "Widen 8-bit floats by integer arithmetic";
  let description = [{
    Turns every `arith.extf` of f8E4M3FN or f8E5M2 to f32, of scalars and vectors,
    into integer arithmetic and selects, since few CPUs convert them and LLVM does
    not know the types: the exponent is moved to f32's place and rebiased;
    subnormal numbers are converted from integers, infinities and NaNs get f32's
    largest exponent. The result is exact.

    Before:
    ```mlir
    %1 = arith.extf %0 : vector<16xf8E5M2> to vector<16xf32>
    ```
    After, in outline:
    ```mlir
    %bits = arith.bitcast %0 : vector<16xf8E5M2> to vector<16xi8>
    %wide = arith.extui %bits : vector<16xi8> to vector<16xi32>
    %magnitude = arith.andi %wide, %c127 : vector<16xi32>
    %place = arith.shli %magnitude, %c21 : vector<16xi32>
    %normal = arith.addi %place, %rebias : vector<16xi32>
    ...
    %1 = arith.bitcast %result : vector<16xi32> to vector<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SAttnCPUBFloat16Bits
    : Pass<"sattn-cpu-bfloat16-bits", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Move bfloat16 through memory and registers as its 16 bits";
  let description = [{
    On most CPUs LLVM has no registers for bfloat16: it widens these values to f32
    and rounds them back by a call to the C runtime, element by element. Upstream's
    `arith-expand` turns casts into integer arithmetic; if a function then computes
    nothing in bfloat16, this pass replaces the type by i16. Functions that have
    the type in their signature, or still compute with it, stay as they are.

    Before:
    ```mlir
    %0 = llvm.load %p : !llvm.ptr -> vector<16xbf16>
    %1 = llvm.bitcast %0 : vector<16xbf16> to vector<16xi16>
    %2 = llvm.zext %1 : vector<16xi16> to vector<16xi32>
    ```
    After:
    ```mlir
    %0 = llvm.load %p : !llvm.ptr -> vector<16xi16>
    %2 = llvm.zext %0 : vector<16xi16> to vector<16xi32>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SAttnCPUDisableElementUnrolling
    : Pass<"sattn-cpu-keep-element-loops", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "Keep LLVM from unrolling loops over the elements of a vector";
  let description = [{
    Rows whose elements are apart are read into vectors and written from them by
    loops, an element each time. These loops are not worth their code: unrolled they
    take LLVM more time than the rest of the program. The pass marks the branch back
    of the innermost loop around an access of a vector's element whose position is
    not constant.

    Before:
    ```mlir
    ^bb2:
      %v1 = llvm.insertelement %x, %v0[%i : i64] : vector<16xf32>
      %i1 = llvm.add %i, %one : i64
      llvm.br ^bb1(%i1, %v1 : i64, vector<16xf32>)
    ```
    After:
    ```mlir
      llvm.br ^bb1(%i1, %v1 : i64, vector<16xf32>)
          {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // SATTN_CODEGEN_CPUPASSES_TD
