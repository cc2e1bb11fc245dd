//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where the vectors are read that the elements of an iteration need, as of a
// mask.

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_READFIRST_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_READFIRST_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace wgtile {

/// Reads the vectors of a loop's iterations before these wait for a stage:
/// their latency is then that of the first MMAs.
void readFirst(mlir::scf::ForOp loop);

/// The same for a branch of the block that an MMA is in, as of a loop's first
/// iteration that was peeled.
void readFirst(mlir::scf::IfOp branch);

/// Whether a warp's lanes can read a vector together, and the read by them.
bool canReadByLanes(ReadOp read);
ReadLanesOp createReadByLanes(mlir::OpBuilder &b, ReadOp read);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_READFIRST_H
