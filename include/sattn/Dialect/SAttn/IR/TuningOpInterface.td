//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_TUNINGOPINTERFACE_TD
#define SATTN_DIALECT_SATTN_IR_TUNINGOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def SAttn_TuningOpInterface : OpInterface<"TuningOpInterface"> {
  let cppNamespace = "::sattn";
  let description = [{
    An op with an attribute `meta`, the parameters of its tiles. Their choice (the
    key of a problem, the candidates and their constraints, the computed default)
    is plain C++ in `sattn/Tuning`, under the op's name; the op passes it what it
    knows of its operands, by name. `sattn-inject-meta` uses this interface alone.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/"The op's parameters; null if it has none.",
      /*retTy=*/"::sattn::MetaAttr", /*methodName=*/"getTileParameters",
      /*args=*/(ins), /*methodBody=*/"return $_op.getMetaAttr();">,
    InterfaceMethod<
      /*desc=*/"Gives the op parameters.",
      /*retTy=*/"void", /*methodName=*/"setTileParameters",
      /*args=*/(ins "::sattn::MetaAttr":$parameters),
      /*methodBody=*/"$_op.setMetaAttr(parameters);">,
    InterfaceMethod<
      /*desc=*/[{
        Drops parameters that the target does not use, changes given parameters
        that the target cannot take, and may give the op operands in a layout
        that it takes. Returns a description of the change of parameters ("tile of one block row, as the CPU takes"), or nothing if there is
        none.
      }],
      /*retTy=*/"::std::optional<::std::string>", /*methodName=*/"restrictTo",
      /*args=*/(ins "const ::sattn::tuning::Target &":$target)>,
    InterfaceMethod<
      /*desc=*/[{
        The facts of the op by their names (docs/MetaTable.md), from its types and
        `hints`, by which `sattn/Tuning` chooses parameters, declares what may be
        tuned and finds rows of tables.
      }],
      /*retTy=*/"::llvm::SmallVector<::sattn::tuning::NamedFact>",
      /*methodName=*/"getTuningFacts",
      /*args=*/(ins "const ::sattn::TuningHints &":$hints)>,
  ];
}

#endif // SATTN_DIALECT_SATTN_IR_TUNINGOPINTERFACE_TD
