//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/Contract.h"

#include "sattn/Dialect/SAttn/IR/StorageOpInterface.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sattn;

Contract::Contract(func::FuncOp function, StringRef op)
    : function(function), b(function.getContext()) {
  entries.set("op", b.getStringAttr(op));
}

std::optional<int64_t> Contract::findArgument(Value value) const {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  auto owner = function;
  if (!argument || argument.getOwner() != &owner.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

IntegerAttr Contract::getArgument(Value value) const {
  std::optional<int64_t> argument = findArgument(value);
  assert(argument && "expected an operand that was added");
  return b.getI64IntegerAttr(*argument);
}

ArrayAttr Contract::getArguments(ArrayRef<Value> values) const {
  SmallVector<Attribute> arguments;
  for (Value value : values)
    arguments.push_back(getArgument(value));
  return b.getArrayAttr(arguments);
}

LogicalResult Contract::addScalar(StringRef name, Value value) {
  NamedAttrList operand;
  operand.set("name", b.getStringAttr(name));
  FloatAttr constant;
  if (std::optional<int64_t> argument = findArgument(value))
    operand.set("argument", b.getI64IntegerAttr(*argument));
  else if (matchPattern(value, m_Constant(&constant)))
    operand.set("constant", constant);
  else
    return failure();
  operands.push_back(std::move(operand));
  return success();
}

void Contract::addNumber(StringRef name, int64_t number) {
  NamedAttrList operand;
  operand.set("name", b.getStringAttr(name));
  operand.set("constant", b.getF64FloatAttr(static_cast<double>(number)));
  operands.push_back(std::move(operand));
}

LogicalResult Contract::addTensor(StringRef name, Value value, int64_t rank,
                                  ArrayRef<StringRef> types,
                                  StringRef sameTypeAs) {
  std::optional<int64_t> argument = findArgument(value);
  if (!argument)
    return failure();
  NamedAttrList operand;
  operand.set("name", b.getStringAttr(name));
  operand.set("argument", b.getI64IntegerAttr(*argument));
  operand.set("rank", b.getI64IntegerAttr(rank));
  if (!types.empty())
    operand.set("types", b.getStrArrayAttr(types));
  if (!sameTypeAs.empty())
    operand.set("type_of", b.getStringAttr(sameTypeAs));
  operands.push_back(std::move(operand));
  return success();
}

void Contract::setWritten() { operands.back().set("written", b.getUnitAttr()); }

void Contract::setBatches(StringRef name) {
  entries.set("batches", b.getStringAttr(name));
}

void Contract::setFused() { entries.set("fused", b.getUnitAttr()); }

DictionaryAttr Contract::getExtent(Value tensor, int64_t dimension) const {
  if (dimension < 0)
    dimension += cast<RankedTensorType>(tensor.getType()).getRank();
  NamedAttrList extent;
  extent.set("argument", getArgument(tensor));
  extent.set("dimension", b.getI64IntegerAttr(dimension));
  return extent.getDictionary(b.getContext());
}

DictionaryAttr Contract::getConstant(int64_t number) const {
  return b.getDictionaryAttr(
      b.getNamedAttr("constant", b.getI64IntegerAttr(number)));
}

DictionaryAttr Contract::compute(DictionaryAttr extent, int64_t divisor,
                                 int64_t plus) const {
  NamedAttrList result(extent);
  result.set("divided_by", b.getI64IntegerAttr(divisor));
  if (plus != 0)
    result.set("plus", b.getI64IntegerAttr(plus));
  return result.getDictionary(b.getContext());
}

DictionaryAttr Contract::computeCeil(DictionaryAttr extent,
                                     int64_t divisor) const {
  NamedAttrList result(compute(extent, divisor));
  result.set("rounded_up", b.getUnitAttr());
  return result.getDictionary(b.getContext());
}

void Contract::setChecksExtents() { isExtentsChecked = true; }

void Contract::addCheck(StringRef kind, NamedAttrList entries) {
  entries.set("check", b.getStringAttr(kind));
  checks.push_back(entries.getDictionary(b.getContext()));
}

void Contract::requireMultiple(DictionaryAttr extent, StringRef what,
                               int64_t factor, const Twine &reason) {
  NamedAttrList check;
  check.set("extent", extent);
  check.set("what", b.getStringAttr(what));
  check.set("of", b.getI64IntegerAttr(factor));
  check.set("reason", b.getStringAttr(reason));
  addCheck("multiple", std::move(check));
}

void Contract::requireEqual(DictionaryAttr extent, StringRef what,
                            DictionaryAttr expected, const Twine &reason) {
  NamedAttrList check;
  check.set("extent", extent);
  check.set("what", b.getStringAttr(what));
  check.set("to", expected);
  if (!reason.isTriviallyEmpty())
    check.set("reason", b.getStringAttr(reason));
  addCheck("equal", std::move(check));
}

void Contract::requireStacked(DictionaryAttr extent, StringRef what,
                              DictionaryAttr each, const Twine &reason) {
  NamedAttrList check;
  check.set("extent", extent);
  check.set("what", b.getStringAttr(what));
  check.set("each", each);
  check.set("reason", b.getStringAttr(reason));
  addCheck("stacked", std::move(check));
}

void Contract::requireAtLeast(DictionaryAttr extent, StringRef what,
                              int64_t least) {
  NamedAttrList check;
  check.set("extent", extent);
  check.set("what", b.getStringAttr(what));
  check.set("least", b.getI64IntegerAttr(least));
  addCheck("at_least", std::move(check));
}

void Contract::requireApart(Value tensor, ArrayRef<Value> others,
                            Value orExactly) {
  NamedAttrList check;
  check.set("argument", getArgument(tensor));
  check.set("from", getArguments(others));
  if (orExactly)
    check.set("or_exactly", getArgument(orExactly));
  addCheck("apart", std::move(check));
}

void Contract::requireReadOnly(ArrayRef<Value> tensors) {
  NamedAttrList check;
  check.set("arguments", getArguments(tensors));
  addCheck("read_only", std::move(check));
}

void Contract::requireBlocks(const SparseOperand &operand) {
  int64_t rowDim = operand.isTransposed ? -1 : -2;
  requireEqual(getExtent(operand.values, rowDim), "block rows",
               getConstant(operand.blockRows), "the block's");
  requireEqual(getExtent(operand.values, -3 - rowDim), "block columns",
               getConstant(operand.blockColumns), "the block's");
  requireEqual(getExtent(operand.col, -1), "stored blocks",
               getExtent(operand.values, -3));
}

void Contract::requireIndices(const SparseOperand &operand,
                              DictionaryAttr columns) {
  NamedAttrList offsets;
  offsets.set("argument", getArgument(operand.crow));
  offsets.set("into", getArgument(operand.col));
  // Without values, which may be computed, the rest still holds.
  SmallVector<Value> many = {operand.col};
  if (operand.values)
    many.push_back(operand.values);
  offsets.set("equally_many", getArguments(many));
  addCheck("offsets", std::move(offsets));
  NamedAttrList indices;
  indices.set("argument", getArgument(operand.col));
  indices.set("offsets", getArgument(operand.crow));
  if (columns)
    indices.set("below", compute(columns, operand.blockColumns));
  addCheck("indices", std::move(indices));
}

void Contract::requireIndices(Value offsets, Value list, StringRef entries,
                              DictionaryAttr below, StringRef what) {
  NamedAttrList range;
  range.set("argument", getArgument(offsets));
  range.set("into", getArgument(list));
  range.set("equally_many", b.getArrayAttr({}));
  range.set("what", b.getStringAttr(entries));
  addCheck("offsets", std::move(range));
  if (!below)
    return;
  NamedAttrList indices;
  indices.set("argument", getArgument(list));
  indices.set("offsets", getArgument(offsets));
  indices.set("below", below);
  indices.set("what", b.getStringAttr(what));
  addCheck("indices", std::move(indices));
}

void Contract::requireInGrid(Value list, Value grid, bool areDistinct) {
  NamedAttrList check;
  check.set("argument", getArgument(list));
  check.set("grid", getArgument(grid));
  if (areDistinct)
    check.set("distinct", b.getUnitAttr());
  addCheck("in_grid", std::move(check));
}

void Contract::requireWithin(Value tensor, StringRef what,
                             DictionaryAttr most) {
  NamedAttrList check;
  check.set("argument", getArgument(tensor));
  check.set("what", b.getStringAttr(what));
  check.set("most", most);
  addCheck("within", std::move(check));
}

void Contract::requireListed(Value lists, Value counts, StringRef what,
                             DictionaryAttr below, DictionaryAttr lastBelow) {
  NamedAttrList check;
  check.set("argument", getArgument(lists));
  check.set("counts", getArgument(counts));
  check.set("what", b.getStringAttr(what));
  check.set("below", below);
  if (lastBelow)
    check.set("last_below", lastBelow);
  addCheck("listed", std::move(check));
}

DictionaryAttr Contract::getAttr() const {
  NamedAttrList all = entries;
  SmallVector<Attribute> list;
  for (const NamedAttrList &operand : operands)
    list.push_back(operand.getDictionary(b.getContext()));
  all.set("operands", b.getArrayAttr(list));
  all.set("checks", b.getArrayAttr(checks));
  return all.getDictionary(b.getContext());
}
