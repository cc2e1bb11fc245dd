//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/Transforms/BufferizableOpInterfaceImpl.h"

#include "sattn/Dialect/SAttn/IR/SAttnMergeOp.h"
#include "sattn/Dialect/SAttn/IR/SAttnPlanOp.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace sattn;

namespace {
/// An op that prepares indices: on memrefs it is the same op without results,
/// whose destinations are its last operands.
template <typename Op>
struct IndexOpInterface
    : public DstBufferizableOpInterfaceExternalModel<IndexOpInterface<Op>, Op> {
  /// Whether an op reads an operand's memory: the old content of the
  /// destinations is not read, and elements that are left unwritten are
  /// unspecified.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    if (op->getNumResults() == 0)
      return success();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    mlir::clone(rewriter, op, TypeRange(), operands);
    replaceOpWithBufferizedValues(
        rewriter, op, ArrayRef(operands).take_back(op->getNumResults()));
    return success();
  }
};
} // namespace

void sattn::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SAttnDialect *) {
    PlanOp::attachInterface<IndexOpInterface<PlanOp>>(*context);
    MergeOp::attachInterface<IndexOpInterface<MergeOp>>(*context);
  });
}
