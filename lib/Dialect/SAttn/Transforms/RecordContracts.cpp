//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNRECORDCONTRACTS
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Position of an argument of the function as an i64, the constant as an f32,
/// or null.
static Attribute describe(OpBuilder &b, func::FuncOp function, Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  if (argument && argument.getOwner() == &function.getBody().front())
    return b.getI64IntegerAttr(argument.getArgNumber());
  FloatAttr constant;
  if (value && matchPattern(value, m_Constant(&constant)))
    return constant;
  return {};
}

/// Null unless the function's arguments are all that the op works on.
static DictionaryAttr describe(OpBuilder &b, func::FuncOp function,
                               BsrAddmmOp op) {
  if (op.isEncoded())
    return {};
  NamedAttrList entries;
  entries.set("op", b.getStringAttr("bsr_addmm"));
  entries.set("block", b.getDenseI64ArrayAttr(
                           {op.getBlockRows(), op.getBlockColumns()}));
  std::pair<StringRef, Value> operands[] = {
      {"alpha", op.getAlpha()},   {"beta", op.getBeta()},
      {"crow", op.getCrow()},     {"col", op.getCol()},
      {"values", op.getValues()}, {"b", op.getB()},
      {"input", op.getInput()},   {"left", op.getLeft()},
      {"right", op.getRight()},   {"out", op.getOut()}};
  for (auto [name, value] : operands) {
    if (!value)
      continue;
    Attribute attr = describe(b, function, value);
    if (!attr)
      return {};
    entries.set(name, attr);
  }
  return entries.getDictionary(b.getContext());
}

namespace {
struct RecordContractsPass
    : public sattn::impl::SAttnRecordContractsBase<RecordContractsPass> {
  void runOnOperation() override {
    OpBuilder b(&getContext());
    getOperation().walk([&](func::FuncOp function) {
      SmallVector<Attribute> contracts;
      function.walk([&](BsrAddmmOp op) {
        if (DictionaryAttr contract = describe(b, function, op))
          contracts.push_back(contract);
      });
      if (!contracts.empty())
        function->setAttr(kContractsAttrName, b.getArrayAttr(contracts));
    });
  }
};
} // namespace
