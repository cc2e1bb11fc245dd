//===- RegionEvaluator.h - Runs scalar ops of arith -------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of scalar integer ops and reads of vectors, as a list of instructions
// that is made once and run for many arguments. Integers wrap.
//
//===----------------------------------------------------------------------===//

#ifndef TEST_UNIT_SATTN_REGIONEVALUATOR_H
#define TEST_UNIT_SATTN_REGIONEVALUATOR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <vector>

class RegionEvaluator {
public:
  /// Aborts on an op that it does not know.
  explicit RegionEvaluator(mlir::Block &block);

  /// The terminator's operands, for the values of the block's scalar arguments,
  /// in order; `vectors` are those of its vector arguments. Integers are
  /// sign-extended, but i1 is 0 or 1.
  std::vector<int64_t>
  run(const std::vector<int64_t> &arguments,
      const std::vector<std::vector<int32_t>> &vectors = {});

private:
  struct Instruction {
    mlir::Operation *op;
    int kind;
    unsigned width;
    unsigned operands[3];
    unsigned result;
    mlir::arith::CmpIPredicate predicate;
  };
  unsigned placeOf(mlir::Value value);
  int64_t compute(const Instruction &instruction) const;

  llvm::DenseMap<mlir::Value, unsigned> places;
  std::vector<Instruction> instructions;
  std::vector<int64_t> values;
  std::vector<unsigned> results;
  llvm::DenseMap<mlir::Value, unsigned> vectorOf;
  const std::vector<std::vector<int32_t>> *vectors = nullptr;
};

#endif // TEST_UNIT_SATTN_REGIONEVALUATOR_H
