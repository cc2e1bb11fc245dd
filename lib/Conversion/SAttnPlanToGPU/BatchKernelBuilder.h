//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_SATTNPLANTOGPU_BATCHKERNELBUILDER_H
#define SATTN_LIB_CONVERSION_SATTNPLANTOGPU_BATCHKERNELBUILDER_H

#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"

namespace sattn {

/// The common base of a plan's kernels, in which a CTA works on one matrix of a
/// batch.
class BatchKernelBuilder : public wgtile::KernelBuilder {
protected:
  using KernelBuilder::KernelBuilder;

  /// Indices of the CTA's matrix.
  llvm::SmallVector<mlir::Value> batch;

  /// Finds the CTA's matrix, where each has `count` CTAs and
  /// `crow` all but one of its dimensions for the batch. Returns the number of
  /// the CTA among those of its matrix.
  mlir::Value findBatch(mlir::Value crow, mlir::Value count);

  /// Indices of an element of that matrix.
  llvm::SmallVector<mlir::Value> at(mlir::ValueRange indices);
  /// An element of an array of indices of that matrix.
  mlir::Value entry(mlir::Value memref, mlir::Value position);
  /// Size of the last dimension, or one of those before it.
  mlir::Value lastDim(mlir::Value memref, int64_t fromEnd = 0);
};

} // namespace sattn

#endif // SATTN_LIB_CONVERSION_SATTNPLANTOGPU_BATCHKERNELBUILDER_H
