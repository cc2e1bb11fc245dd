//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "RegionDerivative.h"
#include "RegionFunction.h"

#include "sattn/Dialect/SAttn/IR/ScoreOpInterface.h"
#include "sattn/Reference/ElementConversion.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::run;
using runtime::Error;
using runtime::ErrorOr;
using Outside = llvm::DenseMap<Value, runtime::Argument>;

static func::FuncOp getEntry(ProgramSource &program) {
  return program.module->lookupSymbol<func::FuncOp>(program.entry);
}

static Operation *findOp(ProgramSource &program, StringRef name) {
  Operation *found = nullptr;
  getEntry(program).walk([&](Operation *op) {
    if (op->getName().stripDialect() != name)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// The values of the entry's arguments.
static Outside getArguments(ProgramSource &program,
                            const std::vector<runtime::Argument> &values) {
  Outside outside;
  for (auto [argument, value] :
       llvm::zip(getEntry(program).getArguments(), values))
    outside[argument] = value;
  return outside;
}

/// The values of the captures of an attention's region, its last arguments.
static ErrorOr<Outside> findCaptures(Region &region, OperandRange captures,
                                     const Outside &arguments) {
  Outside outside;
  for (auto [argument, capture] :
       llvm::zip(region.getArguments().take_back(captures.size()), captures)) {
    auto found = arguments.find(capture);
    if (found == arguments.end())
      return Error("expected captures that are arguments of the function, but "
                   "got others");
    outside[argument] = found->second;
  }
  return outside;
}

/// The first arguments of a score_mod.
static SmallVector<Scalar, 5> placeOf(double score, int64_t b, int64_t h,
                                      int64_t i, int64_t j) {
  SmallVector<Scalar, 5> found(1);
  found[0].real = score;
  for (int64_t number : {b, h, i, j})
    found.emplace_back().integer = number;
  return found;
}

/// Gives `operands` the derivatives of a score_mod that the op's reference
/// reads: by the score, and by the capture that the op is the gradient of.
static Error addDerivatives(ScoreOpInterface op, const Outside &captures,
                            reference::NamedOperands &operands) {
  Block &block = op.getScoreMod().front();
  auto derive = [&](BlockArgument wanted, auto &target) -> Error {
    ErrorOr<RegionDerivative> derivative =
        RegionDerivative::create(block, wanted, captures);
    if (!derivative)
      return derivative.takeError();
    target = [derivative = *derivative](double score, double cotangent,
                                        int64_t b, int64_t h, int64_t i,
                                        int64_t j) {
      return derivative(cotangent, placeOf(score, b, h, i, j));
    };
    return Error::success();
  };
  if (auto number = op->getAttrOfType<IntegerAttr>("number")) {
    ArrayRef<BlockArgument> own =
        block.getArguments().take_back(op.getCaptures().size());
    return derive(own[number.getInt()], operands.numberCotangent);
  }
  return derive(block.getArgument(0), operands.scoreCotangent);
}

Error sattn::run::addFunctions(ProgramSource &program, const std::string &name,
                               const std::vector<runtime::Argument> &values,
                               reference::NamedOperands &operands) {
  auto op = dyn_cast_or_null<ScoreOpInterface>(findOp(program, name));
  if (!op)
    return Error::success();
  Outside arguments = getArguments(program, values);
  if (!op.getScoreMod().empty()) {
    ErrorOr<Outside> captures =
        findCaptures(op.getScoreMod(), op.getCaptures(), arguments);
    if (!captures)
      return captures.takeError();
    ErrorOr<RegionFunction> function =
        RegionFunction::create(op.getScoreMod().front(), *captures);
    if (!function)
      return function.takeError();
    operands.scoreMod = [function = *function](double score, int64_t b,
                                               int64_t h, int64_t i,
                                               int64_t j) {
      return function(placeOf(score, b, h, i, j)).real;
    };
    if (operands.findTensor("grad_out"))
      if (Error error = addDerivatives(op, *captures, operands))
        return error;
  }
  if (!op.getMaskMod().empty()) {
    ErrorOr<Outside> captures =
        findCaptures(op.getMaskMod(), op.getCaptures(), arguments);
    if (!captures)
      return captures.takeError();
    ErrorOr<RegionFunction> function =
        RegionFunction::create(op.getMaskMod().front(), *captures);
    if (!function)
      return function.takeError();
    operands.maskMod = [function = *function](int64_t b, int64_t h, int64_t i,
                                              int64_t j) {
      return function(ArrayRef(placeOf(0, b, h, i, j)).drop_front()).integer !=
             0;
    };
  }
  return Error::success();
}

/// Where an operand's element is for the places of loops.
static int64_t findOffset(AffineMap map, ArrayRef<int64_t> loops,
                          ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (auto [dim, stride] : llvm::enumerate(strides))
    offset += loops[map.getDimPosition(dim)] * stride;
  return offset;
}

static std::vector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

/// Applies one op to the tensor `input`, whose elements become those of the
/// op's result, of the same shape.
static Error applyConsumer(linalg::LinalgOp op, Value input,
                           const Outside &arguments, ArrayRef<int64_t> shape,
                           std::vector<double> &elements) {
  auto refuse = [&] {
    return Error("expected an elementwise op of one result after the op, but "
                 "got '" +
                 op->getName().getStringRef().str() + "'");
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto isProjection = [](AffineMap map) {
    return map.isProjectedPermutation();
  };
  OpOperand *own = nullptr;
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == input)
      own = &operand;
  if (op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(maps, isProjection) || !own ||
      !maps.back().isPermutation() ||
      op.getMatchingIndexingMap(own) != maps.back())
    return refuse();
  std::vector<int64_t> loops(shape.size());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    loops[maps.back().getDimPosition(dim)] = shape[dim];
  Outside outside = arguments;
  ErrorOr<RegionFunction> function =
      RegionFunction::create(*op.getBlock(), outside);
  if (!function)
    return function.takeError();

  std::vector<int64_t> strides = rowMajorStrides(shape);
  std::vector<double> found(elements.size());
  SmallVector<int64_t> place(loops.size(), 0);
  for (size_t count = 0; count < elements.size(); ++count) {
    SmallVector<Scalar> given;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      Scalar &value = given.emplace_back();
      value.real = 0;
      auto argument = outside.find(operand.get());
      double number = 0;
      if (operand.get() == input)
        number = elements[findOffset(map, place, strides)];
      else if (argument != outside.end())
        if (auto *view = std::get_if<runtime::TensorView>(&argument->second))
          number = reference::loadElement(
              *view, findOffset(map, place, view->strides));
        else
          number = std::get<double>(argument->second);
      else if (!op.isDpsInit(&operand))
        return refuse();
      if (isa<FloatType>(getElementTypeOrSelf(operand.get().getType())))
        value.real = number;
      else
        value.integer = static_cast<int64_t>(number);
    }
    found[findOffset(maps.back(), place, strides)] = (*function)(given).real;
    for (size_t dim = place.size(); dim-- > 0;) {
      if (++place[dim] < loops[dim])
        break;
      place[dim] = 0;
    }
  }
  elements = std::move(found);
  return Error::success();
}

Error sattn::run::applyConsumers(ProgramSource &program,
                                 const std::string &name,
                                 const std::vector<runtime::Argument> &values,
                                 const std::vector<int64_t> &shape,
                                 std::vector<double> &elements) {
  Operation *op = findOp(program, name);
  Value current = op->getResult(0);
  Outside arguments = getArguments(program, values);
  for (;;) {
    Operation *consumer = nullptr;
    for (Operation *user : current.getUsers()) {
      // These users need only its extents.
      if (isa<tensor::DimOp>(user) || user == consumer)
        continue;
      if (consumer)
        return Error("expected one op after the result of another, but got "
                     "several");
      consumer = user;
    }
    if (!consumer || isa<func::ReturnOp>(consumer))
      return Error::success();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(consumer);
    if (!linalgOp)
      return Error("expected elementwise linalg ops after the op, but got '" +
                   consumer->getName().getStringRef().str() + "'");
    if (Error error =
            applyConsumer(linalgOp, current, arguments, shape, elements))
      return error;
    current = consumer->getResult(0);
  }
}
