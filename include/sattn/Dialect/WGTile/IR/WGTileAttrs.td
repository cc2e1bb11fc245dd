//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILEATTRS_TD
#define SATTN_DIALECT_WGTILE_IR_WGTILEATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "sattn/Dialect/WGTile/IR/WGTileBase.td"

class WGTile_LayoutAttr<string name, string attrMnemonic>
    : AttrDef<WGTile_Dialect, name,
              [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def WGTile_MmaAttr : WGTile_LayoutAttr<"Mma", "mma"> {
  let summary = "Layout of an accumulator tile in registers";
  let description = [{
    The fragments of `wgmma` and of `mma.sync`, spread over `warps` warps:
    `column_warps` neighboring warps divide the columns into n8 fragments,
    round-robin, and the others divide the rows, in runs of a multiple of 16
    (`sattn::layout::AccumulatorFragment`). With `column_warps` 1, the default, and
    16 rows a warp it is wgmma's layout: in warp w, lane l, register 4 j + 2 r + c is
    the element at row 16 w + l / 4 + 8 r and column 8 j + 2 (l % 4) + c (PTX ISA,
    "Register Fragments and Shared Memory Matrix Layouts" of wgmma). One layout
    serves every element type.

    A kernel without MMAs may have longer runs of neighboring columns in a lane,
    `run`, which one access of memory moves (2, the default, 4 or 8).

    A tile whose rows are not a multiple of 16 times the warps along them has
    surplus registers, which hold anything and are not stored.

    ```mlir
    tensor<64x128xf32, #wgtile.mma<warps = 4>>
    tensor<16x256xf32, #wgtile.mma<warps = 4, column_warps = 4>>
    tensor<16x64xbf16, #wgtile.mma<warps = 1, run = 8>>
    ```
  }];
  let parameters = (ins "int64_t":$warps,
                        DefaultValuedParameter<"int64_t", "1">:$column_warps,
                        DefaultValuedParameter<"int64_t", "2">:$run);
  let assemblyFormat = "`<` struct(params) `>`";
  let builders = [AttrBuilder<(ins "int64_t":$warps), [{
    return $_get($_ctxt, warps, /*column_warps=*/1, /*run=*/2);
  }]>];
  let extraClassDeclaration = [{
    /// The number that a tile's columns are a multiple of.
    int64_t getColumnStep() const { return 4 * getRun() * getColumnWarps(); }
  }];
}

def WGTile_SliceAttr : WGTile_LayoutAttr<"Slice", "slice"> {
  let summary = "Layout of a vector with one value for each row or column of a tile";
  let description = [{
    The layout of a tile, `parent`, without its dimension `dim`.

    With `dim` 1 there is one value for each row: for each 16 rows of a warp a
    thread has two registers, for rows l / 4 and l / 4 + 8. With `dim` 0 there is
    one for each column: register 2 j + c holds column 2 (l % 4) + c of the warp's
    j-th n8 fragment. All warps that hold the same rows, or columns, hold the same
    values.

    - (C1) `dim` is 0 or 1.

    ```mlir
    tensor<64xf32, #wgtile.slice<dim = 1, parent = #wgtile.mma<warps = 4>>>
    ```
  }];
  let parameters = (ins "int64_t":$dim, "MmaAttr":$parent);
  let assemblyFormat = [{
    `<` `dim` `=` $dim `,` `parent` `=` qualified($parent) `>`
  }];
  let builders = [AttrBuilderWithInferredContext<(ins "int64_t":$dim,
                                                      "MmaAttr":$parent), [{
    return $_get(parent.getContext(), dim, parent);
  }]>];
  let skipDefaultBuilders = 1;
}

def WGTile_TargetAttr : AttrDef<WGTile_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "The chip that a module's kernels are for, and its resources";
  let description = [{
    The attribute `wgtile.target` of a `gpu.module` (`wgtile-attach-target`), from
    which passes know the limits of a kernel. A resource that is not named is that
    of the chip in the compiler's table; a chip that is not in the table names
    all. `tma`, `wgmma` and `clusters` say what the chip has beside these. Given
    `shared_bytes` without `shared_bytes_per_sm`, an SM holds one such CTA.

    - (C1) Resources are positive, `reserved_shared_bytes` may be 0.
    - (C2) A CTA's shared memory and what is reserved fit into an SM's.

    ```mlir
    #wgtile.target<chip = "sm_90a">
    #wgtile.target<chip = "sm_90a", shared_bytes = 20000, wgmma = false>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$chip,
                        "::sattn::ChipResources":$resources);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::sattn::Chip &":$chip), [{
    return $_get($_ctxt, chip.name, chip);
  }]>];
}

def WGTile_ScheduleAttr : AttrDef<WGTile_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "How a kernel works through its tiles";
  let description = [{
    The attribute `wgtile.schedule` of a kernel. The program or a table of tuned
    parameters may ask for some fields; `wgtile-schedule` completes the others,
    and passes apply them.

    | field | meaning |
    |---|---|
    | `specialized` | a producer warpgroup loads, the others compute (`wgtile-specialize`) |
    | `warps` | warps that compute the tiles of all consumer groups (`wgtile-assign-layouts`) |
    | `stages` | depth of the buffers that loops fill |
    | `tile_stages` | depth of the buffers that are filled once a tile |
    | `borrow` | the staging ring aliases a stage of a ring that loops fill (`wgtile-specialize`) |
    | `ctas_per_sm` | CTAs that share an SM |
    | `entry_registers` | registers of a thread at the kernel's start |
    | `producer_registers`, `consumer_registers` | registers of a thread of each role after the start; 0: as at the start |
    | `overlap` | two MMAs in a chain run beside each other (`wgtile-overlap`) |
    | `order_warpgroups` | warpgroups issue their MMAs one after the other |
    | `persistent` | a CTA walks many tiles (`wgtile-persist`) |
    | `dynamic` | a persistent CTA takes its tiles from a counter |
    | `programmatic_launch` | launched with programmatic dependent launch, PDL (`wgtile-overlap-launches`) |
    | `raster_group` | columns of tiles that are walked together |
    | `split_k` | CTAs, a cluster, that share the reduction of a tile (`wgtile-split-k`) |
    | `tile_order` | `ascending`, `descending`, or `sorted` by a kernel of its own |

    - (C1) `stages`, `tile_stages`, `warps`, `ctas_per_sm`, `raster_group` and
      `split_k` are positive.
    - (C2) Registers are multiples of 8 up to 256.

    ```mlir
    #wgtile.schedule<stages = 4, raster_group = 2>
    #wgtile.schedule<specialized = true, stages = 4, tile_stages = 2, ctas_per_sm = 1,
                     entry_registers = 168, producer_registers = 56,
                     consumer_registers = 224, tile_order = descending>
    ```
  }];
  let parameters = (ins "::wgtile::Schedule":$fields);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // SATTN_DIALECT_WGTILE_IR_WGTILEATTRS_TD
