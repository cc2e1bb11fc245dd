//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_WGTILETONVVM_TILEREGISTERS_H
#define SATTN_LIB_CONVERSION_WGTILETONVVM_TILEREGISTERS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/Fragment.h"

#include "mlir/Transforms/DialectConversion.h"

namespace wgtile {

/// How the elements of a tile that one thread holds lie in registers: one
/// element a register, or, where neighbouring elements are 16 bits wide and
/// belong to neighbouring columns, two.
struct TileRegisters {
  mlir::RankedTensorType type;
  /// Elements that a thread holds.
  int64_t elements;
  /// Elements in a register, 1 or 2.
  int64_t packing;

  int64_t registers() const { return elements / packing; }
  /// Type of one register: the element type, or a vector of two.
  mlir::Type registerType() const;

  /// Layout of a tile; none for a type that is no tile with a layout.
  static std::optional<TileRegisters> get(mlir::Type type);
};

/// The accumulator fragment of which a tile or vector is (a slice of) one. The
/// columns of a row vector are unknown, and 8.
sattn::layout::AccumulatorFragment getFragment(mlir::RankedTensorType type);

/// Registers to elements and back, in the element type.
mlir::SmallVector<mlir::Value> unpack(mlir::OpBuilder &b, mlir::Location loc,
                                      const TileRegisters &layout,
                                      mlir::ValueRange registers);
mlir::SmallVector<mlir::Value> pack(mlir::OpBuilder &b, mlir::Location loc,
                                    const TileRegisters &layout,
                                    mlir::ArrayRef<mlir::Value> elements);

/// Tiles become their registers.
class TileTypeConverter : public mlir::TypeConverter {
public:
  TileTypeConverter();
};

/// Index of this thread in its thread block, and of its lane in its warp, i32.
mlir::Value createThreadId(mlir::OpBuilder &b, mlir::Location loc);
mlir::Value createLane(mlir::OpBuilder &b, mlir::Location loc);
mlir::Value createI32(mlir::OpBuilder &b, mlir::Location loc, int64_t value);

/// Address of a byte of the kernel's shared memory.
mlir::Value createSharedAddress(mlir::OpBuilder &b, mlir::Location loc,
                                int64_t offset);
inline constexpr llvm::StringLiteral kSharedSymbol = "wgtile_shared";

void populateComputePatterns(const TileTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
void populateElementwisePatterns(const TileTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateGlobalAccessPatterns(const TileTypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);
void populateLoadPatterns(const TileTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

/// Initializes the barriers of a kernel's loads, before anything else runs.
void initializeBarriers(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ArrayRef<LoadOp> loads);

} // namespace wgtile

#endif // SATTN_LIB_CONVERSION_WGTILETONVVM_TILEREGISTERS_H
