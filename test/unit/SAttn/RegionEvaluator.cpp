//===- RegionEvaluator.cpp - Runs scalar ops of arith ---------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionEvaluator.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace {
enum Kind {
  Unknown,
  Add,
  Sub,
  Mul,
  DivS,
  RemS,
  FloorDiv,
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  MinS,
  MaxS,
  Abs,
  Cmp,
  Select,
  Sext,
  Zext,
  Read
};
} // namespace

static Kind kindOf(Operation *op) {
  return llvm::StringSwitch<Kind>(op->getName().getStringRef())
      .Case("arith.addi", Add)
      .Case("arith.subi", Sub)
      .Case("arith.muli", Mul)
      .Case("arith.divsi", DivS)
      .Case("arith.remsi", RemS)
      .Case("arith.floordivsi", FloorDiv)
      .Case("arith.andi", And)
      .Case("arith.ori", Or)
      .Case("arith.xori", Xor)
      .Case("arith.shli", Shl)
      .Case("arith.shrsi", ShrS)
      .Case("arith.minsi", MinS)
      .Case("arith.maxsi", MaxS)
      .Case("math.absi", Abs)
      .Case("arith.cmpi", Cmp)
      .Case("arith.select", Select)
      .Cases({"arith.extsi", "arith.trunci", "arith.index_cast"}, Sext)
      .Case("arith.extui", Zext)
      .Case("tensor.extract", Read)
      .Default(Unknown);
}

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// As the value of an integer type: i1 is 0 or 1.
static int64_t wrap(uint64_t value, unsigned width) {
  if (width == 64)
    return value;
  return width == 1 ? value & 1 : llvm::SignExtend64(value, width);
}

unsigned RegionEvaluator::placeOf(Value value) {
  auto [entry, isNew] = places.try_emplace(value, values.size());
  if (isNew)
    values.push_back(0);
  return entry->second;
}

RegionEvaluator::RegionEvaluator(Block &block) {
  for (BlockArgument argument : block.getArguments()) {
    placeOf(argument);
    if (isa<RankedTensorType>(argument.getType()))
      vectorOf[argument] = vectorOf.size();
  }
  for (Operation &op : block.without_terminator()) {
    APInt constant;
    if (op.getNumResults() == 1 &&
        matchPattern(op.getResult(0), m_ConstantInt(&constant))) {
      unsigned place = placeOf(op.getResult(0));
      values[place] = wrap(constant.getSExtValue(), constant.getBitWidth());
      continue;
    }
    Instruction instruction{};
    instruction.op = &op;
    instruction.kind = kindOf(&op);
    if (instruction.kind == Unknown)
      llvm::report_fatal_error("cannot run " + op.getName().getStringRef());
    instruction.width = widthOf(op.getResult(0).getType());
    if (instruction.kind == Read) {
      instruction.operands[0] = vectorOf.lookup(op.getOperand(0));
      instruction.operands[1] = placeOf(op.getOperand(1));
    } else {
      for (auto [i, operand] : llvm::enumerate(op.getOperands()))
        instruction.operands[i] = placeOf(operand);
    }
    if (auto cmp = dyn_cast<arith::CmpIOp>(op))
      instruction.predicate = cmp.getPredicate();
    instruction.result = placeOf(op.getResult(0));
    instructions.push_back(instruction);
  }
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(placeOf(value));
}

int64_t RegionEvaluator::compute(const Instruction &i) const {
  auto at = [&](unsigned number) { return values[i.operands[number]]; };
  auto bits = [&](unsigned number) { return uint64_t(at(number)); };
  switch (i.kind) {
  case Add:
    return wrap(bits(0) + bits(1), i.width);
  case Sub:
    return wrap(bits(0) - bits(1), i.width);
  case Mul:
    return wrap(bits(0) * bits(1), i.width);
  case DivS:
    return at(1) == 0 ? 0 : wrap(at(0) / at(1), i.width);
  case RemS:
    return at(1) == 0 ? 0 : at(0) % at(1);
  case FloorDiv:
    return at(1) == 0 ? 0
                      : wrap(at(0) / at(1) - (at(0) % at(1) != 0 &&
                                              (at(0) < 0) != (at(1) < 0)),
                             i.width);
  case And:
    return at(0) & at(1);
  case Or:
    return at(0) | at(1);
  case Xor:
    return at(0) ^ at(1);
  case Shl:
    return wrap(bits(0) << at(1), i.width);
  case ShrS:
    return at(0) >> at(1);
  case MinS:
    return std::min(at(0), at(1));
  case MaxS:
    return std::max(at(0), at(1));
  case Abs:
    return wrap(at(0) < 0 ? -bits(0) : bits(0), i.width);
  case Cmp: {
    APInt x(64, bits(0)), y(64, bits(1));
    return arith::applyCmpPredicate(i.predicate, x, y);
  }
  case Select:
    return at(0) ? at(1) : at(2);
  case Sext:
    return wrap(i.width > 1 && widthOf(i.op->getOperand(0).getType()) == 1
                    ? -bits(0)
                    : bits(0),
                i.width);
  case Zext: {
    unsigned from = widthOf(i.op->getOperand(0).getType());
    return bits(0) & (from == 64 ? ~uint64_t(0) : (uint64_t(1) << from) - 1);
  }
  case Read:
    return (*vectors)[i.operands[0]][at(1)];
  }
  llvm_unreachable("the constructor knows the kinds");
}

std::vector<int64_t>
RegionEvaluator::run(const std::vector<int64_t> &arguments,
                     const std::vector<std::vector<int32_t>> &given) {
  vectors = &given;
  std::copy(arguments.begin(), arguments.end(), values.begin());
  for (const Instruction &instruction : instructions)
    values[instruction.result] = compute(instruction);
  std::vector<int64_t> found;
  for (unsigned place : results)
    found.push_back(values[place]);
  return found;
}
