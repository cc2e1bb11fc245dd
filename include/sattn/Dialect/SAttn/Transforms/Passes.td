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

def SAttnRaiseLinalg : Pass<"sattn-raise-linalg", "::mlir::ModuleOp"> {
  let summary = "Raise linalg matrix products with block-sparse matrices";
  let description = [{
    Calls each op with `RaiseOpInterface` to replace the `linalg` ops that it can
    compute. A `linalg.matmul`, `linalg.batch_matmul`, `linalg.matvec` or
    `linalg.generic` that multiplies a matrix in upstream's block-sparse encoding
    by a dense matrix or a vector becomes one op of `sattn`. Its accumulator is
    `out`, with beta = 1; an accumulator of zeros is not written, and beta is 0. A
    vector is a matrix of one column. Matrix products of f32 have the option's
    `precision`.

    The pass looks through copies of the encoded matrix, transposes and broadcasts
    to batches. If the encoded matrix is the right operand, as the weight of a
    linear layer, the matrix product is computed transposed, (W x^T)^T, between
    `linalg.transpose` ops of the dense operand and of the result. If rows of
    several dimensions are collapsed before the matrix product and expanded after
    it, all but the last of them become batches instead.

    A `linalg.generic` into an encoded matrix becomes an op, too, if its body adds a
    product of two dense matrices to what is stored, at stored elements alone: a
    `sparse_tensor.reduce`, by a sum from zero, of a `sparse_tensor.unary` of the
    result's element that has no `absent` region. The product may have a number as a
    third factor, and the right matrix may be transposed. If a `linalg.generic`
    before it sets all stored elements to zero, they are not read. A sum without
    `sparse_tensor.unary` is at all places, stored or not, and stays.

    Ops on other encodings and other types stay as they are, and `sattn-unpack-bsr`
    refuses them. Values that are not stored are not multiplied: an infinity or NaN
    opposite to them has no effect.

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
           "Precision of matrix products of f32: ieee or tf32">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "SAttnDialect"
  ];
}

def SAttnDecompose : Pass<"sattn-decompose", "::mlir::ModuleOp"> {
  let summary = "Replace ops by the simpler ones that they fuse";
  let description = [{
    Calls each op of the dialect that has upstream's `AggregatedOpInterface` to
    decompose itself. What such an op computes tile by tile is then in memory
    between its parts: the pass shows what an op means, and is what a fused op is
    compared with. No pipeline has it.

    Before:
    ```mlir
    %0 = sattn.bsr_attention scale(%scale)
        ins(%crow, %col, %q, %k, %v : ...)
        outs(%out : tensor<?x128xf32>) {block_size = array<i64: 64, 64>}
        -> tensor<?x128xf32>
    ```
    After:
    ```mlir
    %1 = sattn.sampled_addmm alpha(%scale) beta(%zero) ins(%crow, %col, %q, %k : ...)
        outs(%empty : tensor<?x64x64xf32>) {transpose_mat2} -> tensor<?x64x64xf32>
    %2 = sattn.bsr_softmax ins(%crow, %col, %1 : ...)
        outs(%empty : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
    %0 = sattn.bsr_addmm alpha(%one) beta(%zero) ins(%crow, %col, %2, %v : ...)
        outs(%out : tensor<?x128xf32>) -> tensor<?x128xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "SAttnDialect"
  ];
}

def SAttnDifferentiate : Pass<"sattn-differentiate", "::mlir::ModuleOp"> {
  let summary = "Add the derivatives of scalar functions";
  let description = [{
    Differentiates each function with the attribute `sattn.differentiate`, a list of
    argument numbers, into another function by reverse mode, and removes the attribute. The function `@f` has
    one block, without loops and branches, and gives one float; `@f_vjp` takes the
    arguments of `@f` and the cotangent of its result, and gives a cotangent for each
    of the arguments named: for a float one, for a tensor of floats one for each
    `tensor.extract` of the tensor, in their order. Cotangents are f32 for types that
    are narrower, else of the type itself.

    Ops between those arguments and the result are of `arith` and `math`. Their
    derivatives are those of PyTorch (2.15), where there are several too: equal operands
    of a maximum or minimum get a half each; `math.absf` at 0 gives 0; rounding,
    comparisons and integers give 0. A clamp or relu, which passes all or nothing at a
    bound, is an `arith.select`. What is not picked by `arith.select`, a maximum or a
    minimum gives 0 even where a derivative is infinite or NaN. An op without a rule is an
    error; `math.clampf` has none, since upstream's formula of it takes the bounds in the
    other order.

    Before:
    ```mlir
    func.func private @softcap(%score: f32) -> f32
        attributes {sattn.differentiate = array<i64: 0>} {
      %0 = math.tanh %score : f32
      return %0 : f32
    }
    ```
    After:
    ```mlir
    func.func private @softcap_vjp(%score: f32, %cotangent: f32) -> f32 {
      %0 = math.tanh %score : f32
      %1 = arith.mulf %0, %0 : f32
      %2 = arith.subf %one, %1 : f32
      %3 = arith.mulf %cotangent, %2 : f32
      return %3 : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def SAttnAllowInlining : Pass<"sattn-allow-inlining", "::mlir::ModuleOp"> {
  let summary = "Allow the inliner to inline every call";
  let description = [{
    Removes `no_inline` from functions and calls: the runtime's host code makes
    no calls, so a program has to become one function.

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
    Applies to results of public functions with `sattn` ops. A result that is
    computed in a `tensor.empty` is computed in an argument instead, which is
    appended to the others: the runtime takes no memory that a program allocates.
    The function still returns the tensor; a returned buffer that is an argument is
    dropped later. If sizes of the `tensor.empty` are computed,
    `sattn.extent_checks` requires them of the new argument; a size that depends on
    data is refused.

    Functions that others call, and results of ops that are not in
    destination-passing style, stay as they are.

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
    operand of ops with sparse operands (`StorageOpInterface`). The result of an op
    that writes such a matrix has the offsets and columns of the operand, and blocks
    of its own. Attributes of an argument or a result go to each of the three.

    Batches at levels of type `batch` are dimensions of all three. At levels of
    type `dense` they have one list of offsets, which stays as it is; each use
    extracts the offsets of its batch.

    No encoded tensor is left: bufferization would drop the encoding and treat the
    tensor as dense. An encoding of another kind, and an op that is not among those
    above, is an error.

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
    Reference. The op gives its operands and the conditions on them, as generic
    checks in the form of the manifest ([Manifest.md](../Manifest.md)). If
    elementwise ops follow, the written operand is that of the last of them, and
    `fused` says that it is not the op's own result.

    For an op with operands that the function computes, the pass records the
    indices and blocks of each sparse operand (`StorageOpInterface`), as
    `bsr_storage`, with its numbers of rows and columns if these are constants or
    dimensions of arguments.

    `sattn.extent_checks` records the requirements of a public function's ops, and
    of the functions that it calls, in terms of the extents of the function's
    arguments: equal extents along a loop of a `linalg` op, slices and indices in
    bounds, sizes that are not negative, and the constraints of ops with
    `ExtentConstraintOpInterface`. Requirements that always hold are left out. It
    is an error if an op is never defined, if its requirements do not follow from
    extents (an index that is read from a tensor and not clamped), or if they are
    unknown. A loop or a branch has the same requirements whether it is taken or
    not; an empty loop of known bounds has none. Functions with the unit attribute
    `sattn.unchecked` are left as they are.

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
    Attaches `#sattn.meta` to every op with `TuningOpInterface` that has none. An
    explicit attribute wins, but the op may restrict it to the target's limits: a
    tile of several block rows becomes a tile of one block row for the CPU, which
    takes no plan either, and for column indices without batches whose offsets have
    batches. With `device`, the pass searches tables of tuned parameters for a row
    ([MetaTable.md](../MetaTable.md)). Without a row, or without `device`, a
    computed default for the target chooses. An optimization remark of the category
    "sattn-inject-meta" (`sparse-opt --remarks-filter=sattn-.*`,
    `sparse-translate --remarks`) names the row and the rule, or the default. A
    table that cannot be used and a row that fits no tile of the target are
    warnings.

    `row` gives the parameters of a row instead, by the tables' names
    ("SPLIT_N=4,num_stages=3"), and is made to fit like a table's row; a row that is
    impossible or fits no tile is an error.

    `sizes` gives sizes that are dynamic in the types, for the search and the
    default alone: the program stays correct for all sizes. The fraction of blocks
    that are not stored follows from static types or is what the op says of itself
    (0.5 of a BSR matrix, 0 of lists of products), unless `sparsity` sets it.
    `alpha` and `beta` that are not constants count as 1.

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
           "Target whose limits hold: cpu, sm_80, sm_86, sm_89 or sm_90a">,
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"512",
           "Width of the CPU's vector registers in bits">,
    Option<"device", "device", "std::string", /*default=*/"\"\"",
           "Device whose rows are searched, as its driver names it">,
    Option<"table", "table", "std::string", /*default=*/"\"\"",
           "File that is searched before all other tables">,
    ListOption<"sizes", "sizes", "int64_t",
               "M, N and K that are dynamic in the types; 0: unknown">,
    Option<"sparsity", "sparsity", "double", /*default=*/"-1.0",
           "Fraction of blocks that are not stored, 0 to 1">,
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

def SAttnPlanRowBlockGroups : Pass<"sattn-plan-row-block-groups", "::mlir::func::FuncOp"> {
  let summary = "Plan the steps of tiles of several block rows";
  let description = [{
    Gives every op whose tile has more rows than a block of its sparse operand
    (`StorageOpInterface`) a `sattn.plan` for row-block groups of the tile's size.
    The tile program of a block row then walks the steps of its row-block group,
    whose rows can share their loads of the dense operand. A row-block group has at
    most 32 block rows. Ops that plan their tiles themselves do so
    (`planTiles` of `TileProgramOpInterface`), by a `sattn.merge` of lists.

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

    Elementwise `linalg` ops after an op of `sattn` (a bias, an activation, a cast)
    are merged into one, which is fused into the loop and computed on the same
    tiles: the result of the `sattn` op is then in no memory. The merged op must be
    the only user of that result and take its elements in their order, or in another
    one in which the `sattn` op can compute them, by its canonicalization: a result
    whose transpose is used is computed transposed. Elementwise ops that produce its
    other operands are merged with it. If the `sattn` op adds
    to its old `out`, whose type differs from the fused result's, nothing is fused.

    If `target` cannot compute the matrix products of a tile program, because of
    their element types, the sizes of their tiles or the bytes of one step, the op
    is refused here. The CPU takes all of them.

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
           "Target whose limits hold: cpu, sm_80, sm_86, sm_89 or sm_90a">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // SATTN_DIALECT_SATTN_TRANSFORMS_PASSES_TD
