//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNATTRS_TD
#define SATTN_DIALECT_SATTN_IR_SATTNATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "sattn/Dialect/SAttn/IR/SAttnBase.td"

class SAttn_Attr<string name, string attrMnemonic>
    : AttrDef<SAttn_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def SAttn_MetaAttr : SAttn_Attr<"Meta", "meta"> {
  let summary = "Tuned parameters of one op";
  let description = [{
    `tile` holds the sizes of an output tile and of one step of its reduction,
    in elements: rows (M), columns (N), reduction (K). The other parameters are
    optional; the passes choose absent ones:

    | parameter      | meaning                                            |
    |----------------|----------------------------------------------------|
    | `stages`       | steps of the reduction that are in flight together |
    | `warps`        | warps that compute a tile                          |
    | `raster_group` | columns of tiles in a raster group                 |
    | `split_k`      | CTAs that share the reduction of a tile   |

    They are hints: a schedule without the parameter ignores it, and a schedule that
    cannot hold so many stages or warps takes as many as it can. The CPU has others:

    | parameter          | meaning                                              |
    |--------------------|------------------------------------------------------|
    | `register_rows`    | rows of a product's accumulator in registers         |
    | `register_vectors` | vectors of each of its rows, a panel's width         |
    | `threads`          | the most threads that compute tiles                  |

    A register tile that the registers cannot hold is an error.

    ```mlir
    #sattn.meta<tile = [64, 128, 64]>
    #sattn.meta<tile = [64, 128, 64], stages = 4, warps = 8, raster_group = 2>
    #sattn.meta<tile = [128, 16, 64], split_k = 4>
    #sattn.meta<tile = [64, 128, 64], register_rows = 6, register_vectors = 2, threads = 4>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$tile,
    OptionalParameter<"::std::optional<int64_t>">:$stages,
    OptionalParameter<"::std::optional<int64_t>">:$warps,
    OptionalParameter<"::std::optional<int64_t>">:$raster_group,
    OptionalParameter<"::std::optional<int64_t>">:$split_k,
    OptionalParameter<"::std::optional<int64_t>">:$register_rows,
    OptionalParameter<"::std::optional<int64_t>">:$register_vectors,
    OptionalParameter<"::std::optional<int64_t>">:$threads);
  let assemblyFormat = [{
    `<` `tile` `=` `[` $tile `]`
    `` custom<MetaSchedule>($stages, $warps, $raster_group,
                              $split_k, $register_rows, $register_vectors,
                              $threads) `>`
  }];
  let builders = [
    // Hints from `parameters`, which has fields of their names.
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$tile,
                     "const ::sattn::TileSchedule &":$schedule)>
  ];
  let extraClassDeclaration = [{
    /// The hints.
    ::sattn::TileSchedule getSchedule() const;
    /// The same hints with another tile.
    MetaAttr withTile(::llvm::ArrayRef<int64_t> tile) const;
  }];
  let genVerifyDecl = 1;
}

#endif // SATTN_DIALECT_SATTN_IR_SATTNATTRS_TD
