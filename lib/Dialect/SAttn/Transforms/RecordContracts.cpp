//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectExtentConstraints.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNRECORDCONTRACTS
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// The number of the function's argument that a value is; of null none.
static std::optional<int64_t> findArgument(func::FuncOp function, Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Position of an argument of the function as an i64, the constant as an f32,
/// or null.
static Attribute describe(OpBuilder &b, func::FuncOp function, Value value) {
  if (std::optional<int64_t> argument = findArgument(function, value))
    return b.getI64IntegerAttr(*argument);
  FloatAttr constant;
  if (value && matchPattern(value, m_Constant(&constant)))
    return constant;
  return {};
}

/// The last of the elementwise ops that are the only users of the op's result
/// and of each other's, or the op itself. They take its elements as they are,
/// so that what they write has the shape of the op's result.
static DestinationStyleOpInterface findLastConsumer(BsrAddmmOp op) {
  DestinationStyleOpInterface last = op;
  while (!last->use_empty() && llvm::all_equal(last->getUsers())) {
    OpOperand &use = *last->use_begin();
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!user || user->getNumResults() != 1 || !linalg::isElementwise(user) ||
        !user.getMatchingIndexingMap(&use).isIdentity() ||
        !user.getMatchingIndexingMap(user.getDpsInitOperand(0)).isIdentity())
      break;
    last = cast<DestinationStyleOpInterface>(user.getOperation());
  }
  return last;
}

/// Where a tensor lies that ops write to in turn, each over the last.
static Value findDestination(DestinationStyleOpInterface op) {
  Value value = op.getDpsInits()[0];
  while (auto producer = value.getDefiningOp<DestinationStyleOpInterface>())
    value = producer.getTiedOpOperand(cast<OpResult>(value))->get();
  return value;
}

/// Null unless the function's arguments are all that the op works on.
static DictionaryAttr describe(OpBuilder &b, func::FuncOp function,
                               BsrAddmmOp op) {
  if (op.isEncoded())
    return {};
  Value input = op.getInput(), out = op.getOut();
  DestinationStyleOpInterface last = findLastConsumer(op);
  NamedAttrList entries;
  if (last != op) {
    entries.set("fused", b.getUnitAttr());
    out = findDestination(last);
    FloatAttr beta;
    bool isAdded = !matchPattern(op.getBeta(), m_Constant(&beta)) ||
                   !beta.getValue().isZero();
    if (!input && isAdded && out != op.getOut()) {
      if (getElementTypeOrSelf(op.getOut()) != getElementTypeOrSelf(op.getB()))
        return {};
      input = op.getOut();
    }
  }
  entries.set("op", b.getStringAttr("bsr_addmm"));
  entries.set("block", b.getDenseI64ArrayAttr(
                           {op.getBlockRows(), op.getBlockColumns()}));
  std::pair<StringRef, Value> operands[] = {
      {"alpha", op.getAlpha()},   {"beta", op.getBeta()},
      {"crow", op.getCrow()},     {"col", op.getCol()},
      {"values", op.getValues()}, {"b", op.getB()},
      {"input", input},           {"left", op.getLeft()},
      {"right", op.getRight()},   {"out", out}};
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

/// The argument that holds the offsets of all batches in one list, from which
/// `sattn-unpack-bsr` generates a matrix of them, or null.
static Value findOneList(Value crow) {
  auto generate = crow.getDefiningOp<tensor::GenerateOp>();
  if (!generate)
    return {};
  auto extracts = generate.getBody().getOps<tensor::ExtractOp>();
  if (!llvm::hasSingleElement(extracts))
    return {};
  Value list = (*extracts.begin()).getTensor();
  return cast<RankedTensorType>(list.getType()).getRank() == 1 ? list : Value();
}

/// Of an op with operands that the program computes: its sparse operand's
/// storage. Null where that is computed as well.
static DictionaryAttr describeStorage(OpBuilder &b, func::FuncOp function,
                                      BsrAddmmOp op,
                                      ExtentConstraints &constraints) {
  if (op.isEncoded())
    return {};
  NamedAttrList entries;
  Value crow = op.getCrow();
  if (Value list = findOneList(crow)) {
    crow = list;
    entries.set("one_list", b.getUnitAttr());
  }
  entries.set("op", b.getStringAttr("bsr_storage"));
  entries.set("block", b.getDenseI64ArrayAttr(
                           {op.getBlockRows(), op.getBlockColumns()}));
  std::pair<StringRef, Value> operands[] = {
      {"crow", crow}, {"col", op.getCol()}, {"values", op.getValues()}};
  for (auto [name, value] : operands) {
    while (auto cast = value.getDefiningOp<tensor::CastOp>())
      value = cast.getSource();
    Attribute attr = describe(b, function, value);
    if (!attr)
      return {};
    entries.set(name, attr);
  }
  std::pair<StringRef, Value> sizes[] = {{"rows", op.getOut()},
                                         {"columns", op.getB()}};
  for (auto [name, tensor] : sizes)
    if (Attribute attr =
            constraints.describe(constraints.getExtent(tensor, -2)))
      entries.set(name, attr);
  return entries.getDictionary(b.getContext());
}

namespace {
struct RecordContractsPass
    : public sattn::impl::SAttnRecordContractsBase<RecordContractsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal() &&
          failed(record(function)))
        return signalPassFailure();
  }

private:
  static LogicalResult record(func::FuncOp function) {
    OpBuilder b(function.getContext());
    llvm::MapVector<Operation *, DictionaryAttr> contractOf;
    function.walk(
        [&](BsrAddmmOp op) { contractOf[op] = describe(b, function, op); });
    ExtentConstraints constraints(function);
    if (!function->hasAttr(kUncheckedAttrName) &&
        failed(
            collectExtentConstraints(function, constraints, [&](Operation *op) {
              return bool(contractOf.lookup(op));
            })))
      return failure();
    constraints.record();
    SmallVector<Attribute> contracts;
    for (auto [op, contract] : contractOf) {
      if (!contract)
        contract =
            describeStorage(b, function, cast<BsrAddmmOp>(op), constraints);
      if (contract)
        contracts.push_back(contract);
    }
    if (!contracts.empty())
      function->setAttr(kContractsAttrName, b.getArrayAttr(contracts));
    return success();
  }
};
} // namespace
