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
    An op with an attribute `meta`, the parameters of its tiles. How they are
    chosen (the key of a problem, the candidates and their constraints, the
    computed default) is plain C++ in `sattn/Tuning`, under the op's name, which
    the op gives what it knows of its operands. `sattn-inject-meta` asks this
    interface alone.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/"The op's parameters; null where it has none.",
      /*retTy=*/"::sattn::MetaAttr", /*methodName=*/"getTileParameters",
      /*args=*/(ins), /*methodBody=*/"return $_op.getMetaAttr();">,
    InterfaceMethod<
      /*desc=*/"Gives the op parameters.",
      /*retTy=*/"void", /*methodName=*/"setTileParameters",
      /*args=*/(ins "::sattn::MetaAttr":$parameters),
      /*methodBody=*/"$_op.setMetaAttr(parameters);">,
    InterfaceMethod<
      /*desc=*/[{
        Drops what the target has no use for, and changes parameters that the
        program gave where the target cannot have them. Returns what became of
        them ("tile of one block row, as the CPU takes"), nothing where they are
        as they were.
      }],
      /*retTy=*/"::std::optional<::std::string>", /*methodName=*/"restrictTo",
      /*args=*/(ins "const ::sattn::tuning::Target &":$target)>,
    InterfaceMethod<
      /*desc=*/[{
        Chooses parameters by what the op's operands and `hints` tell. An error
        says why `search.row` cannot be, or fits no tile.
      }],
      /*retTy=*/"::llvm::Expected<::sattn::tuning::Choice>",
      /*methodName=*/"chooseParameters",
      /*args=*/(ins "::llvm::ArrayRef<::sattn::meta::Table>":$tables,
                    "const ::sattn::tuning::Search &":$search,
                    "const ::sattn::TuningHints &":$hints)>,
  ];
}

#endif // SATTN_DIALECT_SATTN_IR_TUNINGOPINTERFACE_TD
