//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Views that a kernel makes of its arguments (convert-vector-to-wgtile): with
// dimensions in another order, or an earlier end.

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_ARGUMENTVIEWS_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_ARGUMENTVIEWS_H

#include "mlir/IR/Value.h"

namespace wgtile {

/// The argument that memory is, or is a view of with the same rows; else null.
mlir::BlockArgument getViewedArgument(mlir::Value memory);

/// The users of an argument, and of its views that have the same rows, without
/// the views themselves.
llvm::SmallVector<mlir::Operation *>
getUsersThroughViews(mlir::BlockArgument argument);

/// Gives the views of a value the types that follow from its type.
void updateViews(mlir::Value memory);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_ARGUMENTVIEWS_H
