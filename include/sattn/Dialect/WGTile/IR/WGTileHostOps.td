//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops of the host side.

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEHOSTOPS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEHOSTOPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"
include "sattn/Dialect/WGTile/IR/WGTileTypes.td"

def WGTile_SmCountOp : WGTile_Op<"sm_count", [Pure]> {
  let summary = "Number of SMs of the device";
  let description = [{
    Host code.

    ```mlir
    %n = wgtile.sm_count
    ```
  }];
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict";
}

def WGTile_TmaCompatibleOp : WGTile_Op<"tma_compatible", [Pure]> {
  let summary = "Whether TMA can take a global tensor";
  let description = [{
    Host code. Whether a `wgtile.tensor_map` of `source` is possible: its rows have
    no gaps, its base and its other strides are multiples of 16 bytes, strides are
    not negative and below 2^40 bytes, sizes are below 2^32. Strides along
    dimensions of size 0 or 1 do not matter.

    ```mlir
    %yes = wgtile.tma_compatible %b : memref<?x?xbf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$source);
  let results = (outs I1:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def WGTile_TensorMapOp : WGTile_Op<"tensor_map", [Pure]> {
  let summary = "Tensor map of a global tensor, encoded by the host";
  let description = [{
    Host code. The map describes all of `source`; elements that a copy reads
    outside it are zero. The runtime refuses bases and strides that TMA cannot take.

    - (C1) The box has the source's rank, at most 5, and its element type.

    ```mlir
    %map = wgtile.tensor_map %b : memref<?x?xbf16>
        -> !wgtile.tensor_map<64x64xbf16, swizzle = 128>
    ```
  }];
  let arguments = (ins AnyMemRef:$source);
  let results = (outs WGTile_TensorMapType:$map);
  let assemblyFormat = [{
    $source attr-dict `:` type($source) `->` qualified(type($map))
  }];
  let hasVerifier = 1;
}

def WGTile_LaunchOp : WGTile_Op<"launch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Launch a kernel";
  let description = [{
    Host code. Launches `grid` CTAs of `kernel`, none if it is 0. Threads
    and shared memory are attributes of the kernel. `preprocess` says that the
    kernel's results depend on nothing but the arguments of this launch: if these
    are index arrays and results of other `preprocess` launches, a caller may launch
    the kernel once for many calls. With `hint`, too, no result of the program depends
    on what the kernel writes, as long as it was written for index arrays of the same
    shapes: a caller may go on with it when their contents have changed. With
    `programmatic` the kernel may start before
    the work before it in its stream has ended, for which it waits by itself
    (`nvvm.griddepcontrol wait`). With `reads_indices_early` it reads index arrays
    before: then it may start so early only if nothing that may be running writes to
    them.

    - (C1) The kernel is a kernel of the named `gpu.module` (or, once compiled,
      the module a `gpu.binary`), with the types of `args` as its arguments until
      its signature is lowered.
    - (C2) `hint` comes with `preprocess`.

    ```mlir
    wgtile.launch @kernels::@bsr_addmm grid(%n) args(%map, %out)
        : !wgtile.tensor_map<64x64xbf16, swizzle = 128>, memref<?x?xbf16>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Index:$grid,
                       Variadic<AnyType>:$args, UnitAttr:$preprocess,
                       UnitAttr:$hint, UnitAttr:$programmatic,
                       UnitAttr:$reads_indices_early);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` `args` `(` $args `)` `` custom<Preprocess>($preprocess)
    attr-dict `:` type($args)
  }];
  let hasVerifier = 1;
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEHOSTOPS_TD
