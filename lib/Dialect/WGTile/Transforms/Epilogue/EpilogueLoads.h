//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The ways in which an epilogue's inputs arrive; wgtile-place-epilogue-loads
// chooses one for each read.

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_EPILOGUELOADS_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_EPILOGUELOADS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Utils/TensorMapArguments.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Stages the tiles of reads: TMA loads them into stages of the ring of the
/// tile's loop.
class EpilogueStaging {
public:
  EpilogueStaging(mlir::gpu::GPUFuncOp kernel, ForEachTileOp loop);

  /// Replaces a read by a load of a shared tile and a read of that tile.
  /// Returns the reason if it cannot, and an empty string otherwise.
  llvm::StringRef stage(ReadOp read);

private:
  mlir::gpu::GPUFuncOp kernel;
  ForEachTileOp loop;
  /// Types of the tiles that a stage of the ring can hold.
  llvm::DenseSet<mlir::Type> loopTiles;
  /// The kernel's stores to a memref.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<StoreOp>> stores;

  bool mayComeEarlier(ReadOp read) const;
};

/// Prefetches the tiles of reads into L2 at the start of a tile's program.
class EpiloguePrefetching {
public:
  EpiloguePrefetching(mlir::gpu::GPUFuncOp kernel, ForEachTileOp loop,
                      TensorMapArguments &maps)
      : kernel(kernel), program(&loop.getBody().front()), maps(maps),
        b(mlir::OpBuilder::atBlockBegin(program)) {}

  /// Plans the prefetch of a read. Returns the reason if it cannot, and an
  /// empty string otherwise.
  llvm::StringRef plan(ReadOp read);

  /// Emits the planned prefetches, each tile's once.
  void emit();

private:
  struct Prefetch {
    ReadOp read;
    /// Values at the start of the tile's program.
    llvm::SmallVector<mlir::Value> indices;
    /// The condition of the prefetch; null: always.
    mlir::Value condition;
  };
  /// Ops that do the same to the same operands are one key.
  struct EquivalentOps : llvm::DenseMapInfo<mlir::Operation *> {
    static unsigned getHashValue(const mlir::Operation *op);
    static bool isEqual(const mlir::Operation *lhs, const mlir::Operation *rhs);
  };
  using OpSet = llvm::DenseSet<mlir::Operation *, EquivalentOps>;

  mlir::gpu::GPUFuncOp kernel;
  mlir::Block *program;
  TensorMapArguments &maps;
  mlir::OpBuilder b;
  /// Values of the tile's program, computed at its start, and the ops that
  /// compute them.
  llvm::DenseMap<mlir::Value, mlir::Value> early;
  OpSet clones;
  llvm::SmallVector<Prefetch> prefetches;

  mlir::Value computeEarly(mlir::Value value);
  std::optional<mlir::Value> getCondition(mlir::Operation *op);
};

/// Moves the read of each epilogue subtile before the staged store of the
/// subtile before it, if that store does not touch what is read.
void hoistEpilogueLoads(mlir::gpu::GPUFuncOp kernel, ForEachTileOp loop);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_EPILOGUELOADS_H
