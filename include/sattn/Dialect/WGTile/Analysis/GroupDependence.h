//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_GROUPDEPENDENCE_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_GROUPDEPENDENCE_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace wgtile {

/// The values that differ between the tiles of the consumer groups of one
/// CTA. With i = q * G + g the index of a tile along the grouped
/// dimension, a value depends on the group if it depends on g: `i floordiv G`
/// does not, `i` and `i mod G` do.
class GroupDependence {
public:
  explicit GroupDependence(ForEachTileOp loop);

  bool dependsOnGroup(mlir::Value value) const {
    return values.contains(value);
  }
  /// Whether the op, or a branch around it, depends on the group.
  bool dependsOnGroup(mlir::Operation *op) const {
    return operations.contains(op);
  }

  /// The select of one of two numbers which do not depend on the group, if an
  /// op that runs for all groups depends on it by nothing else: then all groups
  /// together have two such ops at most. Null if there is none.
  mlir::arith::SelectOp findChoice(mlir::Operation *op) const;

private:
  void visit(mlir::Block &block, bool inDependentBranch);
  void visitLoop(mlir::scf::ForOp forOp, bool inDependentBranch);
  bool isQuotient(mlir::Operation *op);

  ForEachTileOp loop;
  llvm::DenseSet<mlir::Value> values;
  llvm::DenseSet<mlir::Operation *> operations;
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_GROUPDEPENDENCE_H
