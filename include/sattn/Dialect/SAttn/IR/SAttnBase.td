//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNBASE_TD
#define SATTN_DIALECT_SATTN_IR_SATTNBASE_TD

include "mlir/IR/OpBase.td"

def SAttn_Dialect : Dialect {
  let name = "sattn";
  let cppNamespace = "::sattn";
  let summary = "Block-sparse linear algebra and attention on tensors";
  let description = [{
    The dialect says what to compute: one op per mathematical operation on tensors,
    in destination-passing style. The `wgtile` dialect says how a CTA computes
    it.

    Mathematical ops live on tensors only: every lowering tiles them first and
    bufferizes the tiles. `sattn.plan` and `sattn.merge`, which prepare indices for
    the tiles, are bufferized themselves.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::sparse_tensor::SparseTensorDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

// A number that an op multiplies by, or compares with.
def SAttn_Scalar : AnyTypeOf<[F32, F64]>;

// A scalar has the type of the arithmetic on `tensor`'s elements.
class SAttn_ScalarOf<string scalar, string tensor>
    : OptionalTypesMatchWith<"'" # scalar # "' is f64 with '" # tensor
                               # "' of f64, else f32",
                             tensor, scalar,
                             "::sattn::getScalarType($_self)">;

class SAttn_Op<string mnemonic, list<Trait> traits = []>
    : Op<SAttn_Dialect, mnemonic, traits>;

#endif // SATTN_DIALECT_SATTN_IR_SATTNBASE_TD
