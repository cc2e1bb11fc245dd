//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectExtentConstraints.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
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

/// The last of the elementwise ops that are the only users of the op's result
/// and of each other's, or the op itself. They take its elements in place, so
/// that their result has the shape of the op's.
static DestinationStyleOpInterface
findLastConsumer(DestinationStyleOpInterface op) {
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

/// The memory of a tensor that ops write one after the other, each over the
/// last.
static Value findDestination(DestinationStyleOpInterface op) {
  Value value = op.getDpsInits()[0];
  while (auto producer = value.getDefiningOp<DestinationStyleOpInterface>())
    value = producer.getTiedOpOperand(cast<OpResult>(value))->get();
  return value;
}

namespace {
/// The checks of an op whose operands are all arguments of the function; a null
/// contract if they are not.
struct OpContract {
  DictionaryAttr contract;
  bool checksExtents = true;
};
} // namespace

static OpContract describe(func::FuncOp function, ContractOpInterface op) {
  Contract contract(function, op->getName().stripDialect());
  Value destination;
  auto writer = dyn_cast<DestinationStyleOpInterface>(op.getOperation());
  if (writer && writer->getNumResults() == 1)
    if (auto last = findLastConsumer(writer); last != writer)
      destination = findDestination(last);
  if (failed(op.describeContract(contract, destination)))
    return {};
  return {contract.getAttr(), contract.checksExtents()};
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

/// The tensor before casts of its type.
static Value lookThroughCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value;
}

/// The storage of a sparse operand of an op with other computed operands, its
/// values among them perhaps. Null if the indices are computed as well.
static DictionaryAttr describeStorage(func::FuncOp function,
                                      SparseOperand operand,
                                      ExtentConstraints &constraints) {
  if (operand.isEncoded())
    return {};
  Value list = findOneList(operand.crow);
  operand.crow = lookThroughCasts(list ? list : operand.crow);
  operand.col = lookThroughCasts(operand.col);
  Contract contract(function, "bsr_storage");
  if (operand.values) {
    operand.values = lookThroughCasts(operand.values);
    if (failed(contract.addTensor("values", operand.values, 3, {})))
      operand.values = {};
  }
  if (failed(contract.addTensor("col", operand.col, 1, kIndexTypes)) ||
      failed(contract.addTensor("crow", operand.crow, 1, kIndexTypes)))
    return {};
  auto describe = [&](const TensorDimension &size) -> DictionaryAttr {
    if (!size.tensor) // Nothing has it.
      return {};
    return constraints.describe(
        constraints.getExtent(size.tensor, size.dimension));
  };
  DictionaryAttr rows = describe(operand.rows);
  DictionaryAttr columns = describe(operand.columns);
  DictionaryAttr offsets = contract.getExtent(operand.crow, -1);
  std::string blockRows = std::to_string(operand.blockRows),
              blockColumns = std::to_string(operand.blockColumns);
  if (operand.values)
    contract.requireBlocks(operand);
  // The compiler has checked constants.
  if (columns && columns.contains("argument"))
    contract.requireMultiple(columns, "K", operand.blockColumns,
                             "the block's " + blockColumns + " columns");
  if (rows && rows.contains("argument"))
    contract.requireMultiple(rows, "M", operand.blockRows,
                             "the block's " + blockRows + " rows");
  contract.requireAtLeast(offsets, "offset", 1);
  if (rows && list)
    contract.requireStacked(offsets, "offset",
                            contract.compute(rows, operand.blockRows),
                            "M / " + blockRows);
  else if (rows)
    contract.requireEqual(offsets, "offsets",
                          contract.compute(rows, operand.blockRows, 1),
                          "M / " + blockRows + " + 1");
  contract.requireReadOnly({operand.crow, operand.col});
  contract.requireIndices(operand, columns);
  return contract.getAttr();
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
    llvm::MapVector<Operation *, OpContract> contractOf;
    function.walk([&](Operation *op) {
      if (auto described = dyn_cast<ContractOpInterface>(op))
        contractOf[op] = describe(function, described);
      else if (isa<StorageOpInterface>(op))
        contractOf[op] = {};
    });
    ExtentConstraints constraints(function);
    if (!function->hasAttr(kUncheckedAttrName) &&
        failed(
            collectExtentConstraints(function, constraints, [&](Operation *op) {
              return !contractOf.lookup(op).checksExtents;
            })))
      return failure();
    constraints.record();
    SmallVector<Attribute> contracts;
    for (const auto &[op, described] : contractOf) {
      if (described.contract) {
        contracts.push_back(described.contract);
        continue;
      }
      auto storage = dyn_cast<StorageOpInterface>(op);
      if (!storage)
        continue;
      for (const SparseOperand &operand : storage.getSparseOperands())
        if (auto attr = describeStorage(function, operand, constraints);
            attr && !llvm::is_contained(contracts, attr))
          contracts.push_back(attr);
    }
    if (!contracts.empty())
      function->setAttr(kContractsAttrName,
                        ArrayAttr::get(function.getContext(), contracts));
    return success();
  }
};
} // namespace
