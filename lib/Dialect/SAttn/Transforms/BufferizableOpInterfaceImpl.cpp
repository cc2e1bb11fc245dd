//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/Transforms/BufferizableOpInterfaceImpl.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace sattn;

namespace {
struct PlanOpInterface
    : public DstBufferizableOpInterfaceExternalModel<PlanOpInterface, PlanOp> {
  /// The old content of the destinations is not read: what a plan leaves
  /// unwritten is unspecified.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto plan = cast<PlanOp>(op);
    if (plan.getResults().empty())
      return success();
    SmallVector<Value> buffers;
    for (Value tensor : {plan.getCrow(), plan.getCol(),
                         plan.getRowBlockGroups(), plan.getSteps()}) {
      FailureOr<Value> buffer = getBuffer(rewriter, tensor, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    PlanOp::create(rewriter, op->getLoc(), TypeRange(), plan.getGroups(),
                   plan.getColumns(), buffers[0], buffers[1], buffers[2],
                   buffers[3]);
    replaceOpWithBufferizedValues(rewriter, op, ArrayRef(buffers).take_back(2));
    return success();
  }
};
} // namespace

void sattn::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SAttnDialect *) {
    PlanOp::attachInterface<PlanOpInterface>(*context);
  });
}
