//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_TRANSFORMS_PASSES_TD
#define SATTN_DIALECT_SATTN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "sattn/Dialect/SAttn/Transforms/CPUPasses.td"

def SAttnRaiseLinalg : Pass<"sattn-raise-linalg", "::mlir::ModuleOp"> {
  let summary = "Raise linalg products of block-sparse matrices";
  let description = [{
    Asks each op that `linalg` ops become (`RaiseOpInterface`) to replace what it
    can do. A `linalg.matmul`, `linalg.batch_matmul`, `linalg.matvec` or
    `linalg.generic` that multiplies a matrix in upstream's block-sparse encoding
    by a dense one, or by a vector, becomes one op of `sattn`. What it adds to
    is `out`, with beta = 1; zeros that it adds to are not written, and beta
    is 0. A vector is a matrix of one column. Products of f32 have the option's
    `precision`.

    Copies of the encoded matrix, transposes and broadcasts to batches, are
    looked through. Where it is the right operand, as the weight of a linear
    layer, the product is computed transposed, (W x^T)^T, between
    `linalg.transpose` ops of the dense operand and of the result. Where rows of
    several dimensions are collapsed before the product and expanded after it,
    all but the last of them are batches of the product instead.

    Products over other encodings and other types stay as they are, for
    `sattn-unpack-bsr` to refuse. Values that are not stored are not multiplied:
    an infinity or NaN opposite to them does not show.

    Before:
    ```mlir
    %0 = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x?xf32>)
    %1 = linalg.matmul ins(%a, %b : tensor<512x256xf32, #bsr>, tensor<256x?xf32>)
                       outs(%0 : tensor<512x?xf32>)
    ```
    After:
    ```mlir
    %1 = sattn.bsr_addmm alpha(%one) beta(%zero)
        ins(%a, %b : tensor<512x256xf32, #bsr>, tensor<256x?xf32>)
        outs(%empty : tensor<512x?xf32>)
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"ieee\"",
           "Precision of products of f32: ieee or tf32">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "SAttnDialect"
  ];
}

def SAttnAllowInlining : Pass<"sattn-allow-inlining", "::mlir::ModuleOp"> {
  let summary = "Let the inliner take every call";
  let description = [{
    Removes `no_inline` from functions and calls: the runtime's host code makes
    no calls, so that a program has to become one function.

    Before:
    ```mlir
    func.func private @g(%b: tensor<?x?xbf16>) attributes {no_inline}
    ```
    After:
    ```mlir
    func.func private @g(%b: tensor<?x?xbf16>)
    ```
  }];
}

def SAttnResultsToArguments
    : Pass<"sattn-results-to-arguments", "::mlir::ModuleOp"> {
  let summary = "Compute results in memory that the caller passes";
  let description = [{
    A result of a public function with `sattn` ops that is computed in a
    `tensor.empty` is computed in an argument instead, which is appended to the
    others: the runtime takes no memory that a program allocates. The function
    still returns the tensor; what is the same memory is dropped later. Where
    sizes of the `tensor.empty` are computed, `sattn.extent_checks` says that the
    new argument must have them; one that depends on data is refused.

    Functions that others call, and results that are not made by
    destination-passing ops, stay as they are.

    Before:
    ```mlir
    func.func @f(...) -> tensor<512x?xf32> {
      %empty = tensor.empty(%n) : tensor<512x?xf32>
      %0 = sattn.bsr_addmm ... outs(%empty : tensor<512x?xf32>)
    ```
    After:
    ```mlir
    func.func @f(..., %out: tensor<512x?xf32>) -> tensor<512x?xf32> {
      %0 = sattn.bsr_addmm ... outs(%out : tensor<512x?xf32>)
    ```
  }];
}

def SAttnUnpackBsr : Pass<"sattn-unpack-bsr", "::mlir::ModuleOp"> {
  let summary = "Unpack matrices in upstream's block-sparse encoding";
  let description = [{
    A tensor in upstream's encoding of block-sparse matrices becomes three:
    offsets of the block rows (positions), block columns (coordinates) and
    blocks (values), in signatures of functions and in calls, in `scf.if`,
    `scf.for` and `scf.while`, in `arith.select` and `tensor.cast`, and as
    operand of ops with sparse operands (`StorageOpInterface`). Attributes of an
    argument or a result go to each of the three.

    Batches at levels of type `batch` are dimensions of all three. At levels of
    type `dense` they have one list of offsets, which stays as it is; at its use
    the offsets of a batch are taken out of it.

    Nothing encoded is left: bufferization would drop the encoding and take the
    tensor for a dense one. An encoding of another kind, and an op that is not
    among those above, is an error.

    Before:
    ```mlir
    func.func @f(%a: tensor<512x?xbf16, #bsr>, %b: tensor<?x?xbf16>, ...) {
      %0 = sattn.bsr_addmm ... ins(%a, %b : tensor<512x?xbf16, #bsr>, ...) ...
    ```
    After:
    ```mlir
    func.func @f(%crow: tensor<9xi32>, %col: tensor<?xi32>,
                 %values: tensor<?x64x64xbf16>, %b: tensor<?x?xbf16>, ...) {
      %0 = sattn.bsr_addmm ... ins(%crow, %col, %values, %b : tensor<9xi32>, ...) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SAttnRecordContracts
    : Pass<"sattn-record-contracts", "::mlir::ModuleOp"> {
  let summary = "Record which arguments of a function are operands of which op";
  let description = [{
    Puts the attribute `sattn.contracts` on every function that has an op with
    `ContractOpInterface` whose operands are arguments of the function (scalars
    may be constants), so that callers can check shapes, memory and index
    contents before they run the compiled code, and compute the same with the
    Reference. The op gives its operands and what must hold of them, as generic
    checks in the form of the manifest ([Manifest.md](../Manifest.md)). Where
    elementwise ops follow, the operand that is written is what the last of them
    writes, and `fused` says that it is not the op's own result.

    Of an op with operands that the function computes it records the indices and
    blocks of each sparse operand (`StorageOpInterface`), as `bsr_storage`, with
    its numbers of rows and columns as far as they are constants or dimensions of
    arguments.

    What the ops of a public function, and of the functions that it calls, require
    of extents and indices is recorded in `sattn.extent_checks`, in terms of the
    extents of the function's arguments: equal extents along a loop of a `linalg`
    op, slices and indices in bounds, sizes that are not negative, what
    `ExtentConstraintOpInterface` says of other ops. What is always so is left
    out. An op that is never defined, whose requirements do not follow from
    extents (an index that is read from a tensor and not clamped), or of which
    nothing is known, is an error. A loop or a branch that is not always taken
    requires what it would if it were; an empty loop of known bounds requires
    nothing. Functions with the unit attribute `sattn.unchecked` are left as they
    are.

    Before:
    ```mlir
    func.func @f(%alpha: f32, %crow: tensor<?xi32>, %col: tensor<?xi32>, ...) {
      %0 = sattn.bsr_addmm alpha(%alpha) beta(%zero) ins(%crow, %col, ...)
    ```
    After:
    ```mlir
    func.func @f(...) attributes {sattn.contracts = [{op = "bsr_addmm",
        operands = [{name = "alpha", argument = 0 : i64},
                    {name = "beta", constant = 0.0 : f32},
                    {name = "crow", argument = 1 : i64, rank = 1 : i64,
                     types = ["i32", "i64"]}, ...],
        batches = "out",
        checks = [{check = "multiple", what = "M", of = 64 : i64,
                   extent = {argument = 5 : i64, dimension = 0 : i64},
                   reason = "the block's 64 rows"}, ...]} ]}
    ```

    Before:
    ```mlir
    func.func @g(%x: tensor<?xf32>, %out: tensor<?xf32>) -> tensor<?xf32> {
      %0 = linalg.copy ins(%x : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
    ```
    After:
    ```mlir
    func.func @g(...) attributes {sattn.extent_checks = {
        checks = [{equal = affine_map<()[s0, s1] -> (s1, s0)>} ],
        extents = [array<i64: 0, 0>, array<i64: 1, 0>]}}
    ```
  }];
}

def SAttnInjectMeta : Pass<"sattn-inject-meta", "::mlir::ModuleOp"> {
  let summary = "Attach tile parameters to ops that have none";
  let description = [{
    Attaches `#sattn.meta` to every op with `TuningOpInterface` that has none; an
    explicit attribute wins, but the op may restrict it to what the target can
    have: a tile of several block rows becomes one of one for the CPU, which
    takes no plan either, and where columns without batches serve offsets with
    batches. With `device`, tables of tuned parameters are searched for a row
    ([MetaTable.md](../MetaTable.md)); where none has one, or without `device`, a
    computed default for the target chooses. An optimization remark, of the
    category "sattn-inject-meta" (`sparse-opt --remarks-filter=sattn-.*`,
    `sparse-translate --remarks`), says which row and rule, or that it was the
    default; a table that cannot be used and a row that fits no
    tile of the target are warnings.

    `row` gives the parameters of a row instead, by the names that tables have for
    them ("SPLIT_N=4,num_stages=3"), and is made to fit as a table's row is; one
    that is impossible or fits nothing is an error.

    Sizes that the types leave open may be given as `sizes`, for the search and
    the default alone: the program stays right for all sizes. The part of the
    blocks that is not stored follows from static types or is 0.5, unless
    `sparsity` says otherwise. `alpha` and `beta` that are no constants count as
    1.

    Before:
    ```mlir
    %0 = sattn.bsr_addmm ... ins(... : ..., tensor<?x64x64xbf16>, ...) ...
    ```
    After:
    ```mlir
    %0 = sattn.bsr_addmm ... {meta = #sattn.meta<tile = [64, 128, 64]>}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "Whose limits hold: cpu, sm_80, sm_86, sm_89 or sm_90a">,
    Option<"maxSharedBytes", "max-shared-bytes", "int64_t",
           /*default=*/"99 * 1024",
           "Shared memory of a thread block of the target">,
    Option<"device", "device", "std::string", /*default=*/"\"\"",
           "Device whose rows are searched, as its driver names it">,
    Option<"table", "table", "std::string", /*default=*/"\"\"",
           "File that is searched before all other tables">,
    ListOption<"sizes", "sizes", "int64_t",
               "M, N and K where the types leave them open; 0: not known">,
    Option<"sparsity", "sparsity", "double", /*default=*/"-1.0",
           "Part of the blocks that is not stored, 0 to 1">,
    Option<"recordOrigins", "record-origins", "bool", /*default=*/"false",
           "Leave on each op, as `sattn.tuning`, its parameters and where they "
           "came from">,
    Option<"exact", "exact", "bool", /*default=*/"false",
           "Take exact rows only, no near ones">,
    Option<"version", "version", "int64_t", /*default=*/"0",
           "Take rows of this version only">,
    ListOption<"row", "row", "std::string",
               "NAME=NUMBER: parameters to take instead of a table's row">
  ];
}

def SAttnPlanPanels : Pass<"sattn-plan-panels", "::mlir::func::FuncOp"> {
  let summary = "Plan the steps of tiles that are made of several block rows";
  let description = [{
    Gives every op whose tile has more rows than a block of its sparse operand
    (`StorageOpInterface`) a `sattn.plan` for panels of as many block rows. The tile program of a block
    row then walks its panel's steps, and the rows of a panel can share what
    they load of the dense operand. A panel has at most 32 block rows.

    Before:
    ```mlir
    %0 = sattn.bsr_addmm ... ins(%crow, %col, ... : ..., tensor<?x64x64xbf16>, ...) ...
        {meta = #sattn.meta<tile = [128, 256, 64]>}
    ```
    After:
    ```mlir
    %plan:2 = sattn.plan groups(2) columns(%n) ins(%crow, %col : ...) outs(%p, %s : ...)
    %0 = sattn.bsr_addmm ... ins(%crow, %col, ... : ...) ...
        plan(%plan#0, %plan#1 : tensor<?x4xi32>, tensor<?x3xi32>) ...
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SAttnTile : Pass<"sattn-tile", "::mlir::func::FuncOp"> {
  let summary = "Tile ops and write the sequential program of a tile";
  let description = [{
    Tiles every op of the `sattn` dialect by its `#sattn.meta`, through
    `TilingInterface`, to an `scf.forall` over output tiles, and replaces the
    tile-sized op by its tile program (`TileProgramOpInterface`): a loop over
    stored blocks and an epilogue, in `linalg` and `tensor` ops on static tiles.
    Ragged edges are pads. The same form serves the GPU and the CPU.

    Elementwise `linalg` ops after such an op (a bias, an activation, a cast) are
    merged into one, which is fused into the loop and computed on the same
    tiles: the op's own result is then in no memory. It has to be the only user
    of that result and to take its elements in their order; ops that make its
    other operands are merged with it where they are elementwise too. Where the
    op adds to its old `out`, of another type than the result that takes its
    place, nothing is fused.

    A tile program whose products `target` cannot multiply is refused here, at
    the op that it is of: for their element types, the sizes of their tiles, or
    the bytes of one step. The CPU takes them all.

    Before:
    ```mlir
    %0 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%crow, %col, %values, %b)
      outs(%out) {meta = #sattn.meta<tile = [64, 128, 64]>}
    ```
    After:
    ```mlir
    %0 = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 128)
        shared_outs(%o = %out) -> (tensor<?x?xbf16>) {
      %acc = scf.for %p = %begin to %end step %c1 iter_args(%a = %zeros)
          -> (tensor<64x128xf32>) {
        %left = tensor.extract_slice %values[%p, 0, 0] [1, 64, 64] [1, 1, 1]
        %right = tensor.pad (tensor.extract_slice %b[%k, %j] [64, %w] [1, 1])
        %next = linalg.matmul ins(%left, %right) outs(%a)
        scf.yield %next
      } {sattn.block_loop}
      ...
    } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "Whose limits hold: cpu, sm_80, sm_86, sm_89 or sm_90a">,
    Option<"maxSharedBytes", "max-shared-bytes", "int64_t",
           /*default=*/"99 * 1024",
           "Shared memory of a thread block of the target">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def SAttnTileLinalg : Pass<"sattn-tile-linalg", "::mlir::func::FuncOp"> {
  let summary = "Tile linalg ops that stand beside ops of sattn";
  let description = [{
    Tiles each `linalg` op on tensors that is in no loop over tiles to an
    `scf.forall` of its own, as `sattn-tile` does with ops of `sattn`: elementwise
    ops, transposes, broadcasts and fills, and contractions, whose tiles are
    accumulated in f32. Tiles have up to 64 rows and columns along the last two
    dimensions of the result, and one element along the others; ragged edges are
    pads.

    Products of f32 have the option's `precision`, as ops of `sattn` have it.

    Other reductions, and ops that use their index, stay as they are.

    Before:
    ```mlir
    %0 = linalg.transpose ins(%x : tensor<?x?xbf16>) outs(%init : tensor<?x?xbf16>)
        permutation = [1, 0]
    ```
    After:
    ```mlir
    %0 = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (64, 64)
        shared_outs(%o = %init) -> (tensor<?x?xbf16>) {
      %padded = tensor.pad (tensor.extract_slice %x[%j, %i] [%w, %h] [1, 1])
      %tile = linalg.generic ... ins(%padded : tensor<64x64xbf16>) ...
      ...
    } {mapping = [#gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"ieee\"",
           "Precision of products of f32: ieee or tf32">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def SAttnApproximateMath : Pass<"sattn-approximate-math"> {
  let summary = "Compute functions of f32 by polynomials";
  let description = [{
    `math.erf`, `math.exp`, `math.tanh` and their like, of f32 scalars and
    vectors, become upstream's approximations in `arith` and `math.fma`, whose
    errors are a few units in the last place: neither target has a library of
    such functions. Those of narrower types are widened before
    (`math-extend-to-supported-types`).

    Upstream has no polynomial of `math.exp2`; this pass has one, whose error is
    below 2 units in the last place. Powers below 2^-125 may be 0.

    With `keep-afn` a `math.exp2`, `math.log2` or `math.tanh` of f32 whose
    fast-math flags allow approximations (`afn`) stays: NVIDIA's GPUs have
    instructions for them.
  }];
  let options = [
    Option<"keepAfn", "keep-afn", "bool", /*default=*/"false",
           "Leave functions that the target approximates and afn allows it to">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def SAttnVectorizeTiles : Pass<"sattn-vectorize-tiles", "::mlir::func::FuncOp"> {
  let summary = "Vectorize whole tiles, for targets whose registers hold them";
  let description = [{
    Upstream's vectorization of every linalg op on static tiles inside an
    `scf.forall`, one vector a tile; pads become reads that are not in bounds,
    tiles carried by the block loop become vectors, and the clipped result
    becomes one write that is not in bounds. What remains are vectors between
    reads and writes of the function's tensors, so that bufferization allocates
    nothing.

    Before:
    ```mlir
    %padded = tensor.pad %slice low[0, 0] high[0, %h] { ... }
    %next = linalg.matmul ins(%left, %padded) outs(%acc)
    ```
    After:
    ```mlir
    %l = vector.transfer_read %left[%c0, %c0], %zero {in_bounds = [true, true]}
    %r = vector.transfer_read %slice[%c0, %c0], %zero {in_bounds = [true, false]}
    %next = vector.contract ... %l, %r, %acc
        : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // SATTN_DIALECT_SATTN_TRANSFORMS_PASSES_TD
