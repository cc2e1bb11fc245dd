//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Builds the ops on register tiles that the programs of tiles are made of.

#ifndef LIB_DIALECT_SATTN_IR_TILEOPBUILDER_H
#define LIB_DIALECT_SATTN_IR_TILEOPBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sattn {

class TileOpBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  /// Gets a builder inside the op, and the inputs' elements and then that of
  /// the target.
  using Body = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                              mlir::ValueRange)>;

  mlir::Value index(int64_t value);
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value i32(int64_t value) { return integer(getI32Type(), value); }
  mlir::Value asValue(mlir::OpFoldResult value);
  /// An index as i32.
  mlir::Value asI32(mlir::OpFoldResult value);

  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  mlir::Value fill(mlir::Value value, mlir::Value target);
  mlir::Value fill(mlir::Value value, llvm::ArrayRef<int64_t> shape) {
    return fill(value, empty(shape, value.getType()));
  }
  /// A `linalg.generic` of `inputs` into `target`; loop dimensions that `map`
  /// lacks are reduced.
  mlir::Value generic(mlir::ValueRange inputs,
                      llvm::ArrayRef<mlir::AffineMap> inputMaps,
                      mlir::Value target, mlir::AffineMap map, Body body);
  /// Computes each element of `target` by `body`, from the inputs' elements at
  /// the same place.
  mlir::Value map(mlir::ValueRange inputs, mlir::Value target, Body body);
  /// A new tile of `type`, each element of which `body` computes from the
  /// inputs' elements and an undefined one.
  mlir::Value map(mlir::ValueRange inputs, llvm::ArrayRef<int64_t> shape,
                  mlir::Type type, Body body);
  /// first + the number of each element in row-major order, in i32.
  mlir::Value number(mlir::Value first, llvm::ArrayRef<int64_t> shape);

  /// The number that a tile's elements combine to.
  template <typename Combine>
  mlir::Value reduce(mlir::Value tile, int64_t neutral) {
    return reduce(
        tile, neutral,
        [](ImplicitLocOpBuilder &b, mlir::ValueRange args) -> mlir::Value {
          return Combine::create(b, args[0], args[1]);
        });
  }

  /// Converts all of a tile to a vector, and a vector to a tile.
  mlir::Value asVector(mlir::Value tile);
  mlir::Value asTile(mlir::Value vector);
  /// Compares each element with a number; the result is a vector.
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value tile,
                      mlir::Value number);
  /// Writes the elements of a tile for which a vector, `mask`, is true to
  /// places in a row, a tensor whose dimensions but the last are 1.
  mlir::Value scatter(mlir::Value tile, mlir::Value row, mlir::Value places,
                      mlir::Value mask);

private:
  mlir::Value reduce(mlir::Value tile, int64_t neutral, Body combine);
};

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_TILEOPBUILDER_H
