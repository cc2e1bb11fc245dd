//===- MaskCase.cpp - A mask and its blocks -------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskCase.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace sattn;

/// Arguments of a function of bounds: the block, b, h, then least and greatest
/// elements of each vector at the block's queries and at its keys.
static constexpr unsigned kNumBounds = 6 + 2 * 4;

MaskCase::MaskCase(MLIRContext &context, const std::string &body) {
  module = parseSourceString<ModuleOp>(
      "func.func @mask(%b: i32, %h: i32, %q: i32, %k: i32, %doc: "
      "tensor<?xi32>, %noise: tensor<?xi32>) -> i1 {\n" +
          body + "\nreturn %r : i1\n}",
      &context);
  EXPECT_TRUE(module) << body;
  if (module)
    mask = &(*module->getOps<func::FuncOp>().begin()).getBody();
}

/// A function of numbers of i64, erased after it ran.
Block &MaskCase::makeFunction(Block &at, unsigned arguments) {
  OpBuilder b = OpBuilder::atBlockEnd(&at);
  SmallVector<Type> types(arguments, b.getI64Type());
  auto function = func::FuncOp::create(b, b.getUnknownLoc(), "bounds",
                                       b.getFunctionType(types, {}));
  return *function.addEntryBlock();
}

static mask::BlockOperands makeOperands(Block &block) {
  auto at = [&](unsigned i) -> Value { return block.getArgument(i); };
  mask::BlockOperands operands;
  operands.query = {at(0), at(1)};
  operands.key = {at(2), at(3)};
  operands.batch = at(4);
  operands.head = at(5);
  operands.getElements = [=](unsigned capture, ValueRange, mask::Axis axis) {
    unsigned first = 6 + 4 * capture + (axis == mask::Axis::Key ? 2 : 0);
    return mask::Interval{at(first), at(first + 1)};
  };
  return operands;
}

static reference::MaskFunction
makeReference(RegionEvaluator &evaluator,
              const std::vector<std::vector<int32_t>> &vectors) {
  return [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    return evaluator.run({b, h, i, j, 0, 0}, vectors).front() != 0;
  };
}

MaskCounts MaskCase::count(const reference::MaskSizes &sizes,
                           const std::vector<std::vector<int32_t>> &vectors) {
  RegionEvaluator elements(mask->front());
  std::vector<reference::BlockKind> kinds =
      reference::classifyBlocks(makeReference(elements, vectors), sizes);
  Block &block = makeFunction(*module->getBody(), kNumBounds);
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  mask::Verdict verdict =
      mask::MaskBlocks(b, b.getUnknownLoc(), *mask, makeOperands(block))
          .getVerdict();
  func::ReturnOp::create(b, b.getUnknownLoc(),
                         ValueRange{verdict.any, verdict.all});
  RegionEvaluator blocks(block);
  MaskCounts counts;
  for (int64_t number = 0; number < static_cast<int64_t>(kinds.size());
       ++number) {
    int64_t column = number % sizes.columns(),
            row = number / sizes.columns() % sizes.rows(),
            lead = number / sizes.columns() / sizes.rows();
    int64_t firstQuery = row * sizes.blockQueries,
            firstKey = column * sizes.blockKeys;
    int64_t endQuery = std::min(firstQuery + sizes.blockQueries, sizes.queries),
            endKey = std::min(firstKey + sizes.blockKeys, sizes.keys);
    std::vector<int64_t> bounds = {firstQuery,         endQuery - 1,
                                   firstKey,           endKey - 1,
                                   lead / sizes.heads, lead % sizes.heads};
    for (const std::vector<int32_t> &vector : vectors)
      for (auto [begin, end] :
           {std::pair(firstQuery, endQuery), std::pair(firstKey, endKey)}) {
        auto [least, most] =
            std::minmax_element(vector.begin() + begin, vector.begin() + end);
        bounds.push_back(*least);
        bounds.push_back(*most);
      }
    std::vector<int64_t> found = blocks.run(bounds);
    ++counts.blocks;
    if ((found[0] == 0 && kinds[number] != reference::BlockKind::Empty) ||
        (found[1] != 0 && kinds[number] != reference::BlockKind::Full))
      ++counts.wrong;
    if (found[0] != 0 && found[1] == 0 &&
        kinds[number] != reference::BlockKind::Partial)
      ++counts.needless;
  }
  block.getParentOp()->erase();
  return counts;
}

std::optional<RangeCounts>
MaskCase::countRanges(const reference::MaskSizes &sizes,
                      const std::vector<std::vector<int32_t>> &vectors,
                      mask::Axis along, bool isNegated, unsigned most) {
  bool isTransposed = along == mask::Axis::Query;
  int64_t rows = isTransposed ? sizes.keys : sizes.queries;
  int64_t length = isTransposed ? sizes.queries : sizes.keys;
  int64_t unit = isTransposed ? sizes.blockKeys : sizes.blockQueries;
  RegionEvaluator elements(mask->front());
  reference::MaskFunction see = makeReference(elements, vectors);
  Block &block = makeFunction(*module->getBody(), 6);
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  mask::BlockOperands operands = makeOperands(block);
  operands.getElements = nullptr;
  operands.isTransposed = isTransposed;
  auto ranges = mask::MaskBlocks(b, b.getUnknownLoc(), *mask, operands)
                    .getKeyRanges(isNegated, most);
  std::optional<RangeCounts> counts;
  if (ranges) {
    SmallVector<Value> ends;
    for (mask::Interval &range : *ranges)
      llvm::append_values(ends, range.lower, range.upper);
    func::ReturnOp::create(b, b.getUnknownLoc(), ends);
    RegionEvaluator evaluator(block);
    counts.emplace();
    for (int64_t head = 0; head < sizes.heads; ++head)
      for (int64_t first = 0; first < rows; first += unit) {
        int64_t end = std::min(first + unit, rows);
        std::vector<int64_t> found =
            evaluator.run({first, end - 1, 0, length - 1, 0, head});
        for (int64_t place = 0; place < length; ++place) {
          bool isListed = false, isNeeded = false;
          for (size_t i = 0; i < found.size(); i += 2)
            isListed |= found[i] <= place && place <= found[i + 1];
          for (int64_t row = first; row < end; ++row)
            isNeeded |= (isTransposed ? see(0, head, place, row)
                                      : see(0, head, row, place)) != isNegated;
          counts->missing += isNeeded && !isListed;
          counts->needless += isListed && !isNeeded;
        }
      }
  }
  block.getParentOp()->erase();
  return counts;
}
