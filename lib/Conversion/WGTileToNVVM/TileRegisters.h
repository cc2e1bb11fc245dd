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

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// Registers to elements and back, in the element type.
mlir::SmallVector<mlir::Value> unpack(mlir::OpBuilder &b, mlir::Location loc,
                                      const TileRegisters &layout,
                                      mlir::ValueRange registers);
mlir::SmallVector<mlir::Value> pack(mlir::OpBuilder &b, mlir::Location loc,
                                    const TileRegisters &layout,
                                    mlir::ArrayRef<mlir::Value> elements);

/// Converts tiles to their registers.
class TileTypeConverter : public mlir::TypeConverter {
public:
  TileTypeConverter();
};

/// Index of this thread, i32: in its CTA; among the threads that hold the same
/// register tiles; among all threads that hold register tiles; and in its warp.
mlir::Value createThreadId(mlir::OpBuilder &b, mlir::Location loc);
mlir::Value createTileThreadId(mlir::OpBuilder &b, mlir::Location loc);
mlir::Value createConsumerThreadId(mlir::OpBuilder &b, mlir::Location loc);
/// Which group of consumers this thread belongs to, i32: the same register for
/// all threads of a warp.
mlir::Value createGroupId(mlir::OpBuilder &b, mlir::Location loc);
mlir::Value createLane(mlir::OpBuilder &b, mlir::Location loc);

/// Index of this thread's warp among those that hold the register tiles, i32.
mlir::Value createTileWarp(mlir::OpBuilder &b, mlir::Location loc);

/// AccumulatorFragment::threadRow and threadColumn of this thread, i32.
mlir::Value createThreadRow(mlir::OpBuilder &b, mlir::Location loc,
                            const sattn::layout::AccumulatorFragment &fragment);
mlir::Value
createThreadColumn(mlir::OpBuilder &b, mlir::Location loc,
                   const sattn::layout::AccumulatorFragment &fragment);
mlir::Value createI32(mlir::OpBuilder &b, mlir::Location loc, int64_t value);

/// The bits of a number.
uint64_t bitsOf(mlir::TypedAttr number);

/// Takes a constant that is added to an index out of it and gives it back:
/// slices of a tile then share what the rest computes.
int64_t peelConstant(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::Value &index);

/// Inline assembly, with operands $0, $1, ..., that is neither moved over other
/// such nor left out.
mlir::LLVM::InlineAsmOp createInlineAsm(mlir::OpBuilder &b, mlir::Location loc,
                                        mlir::TypeRange results,
                                        mlir::ValueRange operands,
                                        llvm::StringRef text,
                                        llvm::StringRef constraints);

/// Creates inline assembly with one result and without effects.
mlir::Value createPureAsm(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Type result, mlir::ValueRange operands,
                          llvm::StringRef text, llvm::StringRef constraints);

/// Address of a byte of the kernel's shared memory.
mlir::Value createSharedAddress(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::Value offset);
mlir::Value createSharedAddress(mlir::OpBuilder &b, mlir::Location loc,
                                int64_t offset);

/// Expects the bytes of a tile on a barrier, arriving at it or not, and starts
/// the copies that bring them. `offset` is the tile's place in the kernel's
/// shared memory.
void createTileCopy(mlir::OpBuilder &b, mlir::Location loc, SharedType tile,
                    mlir::Value offset, mlir::Value map,
                    mlir::ValueRange indices, mlir::Value barrier, bool arrive);

/// Address of a tensor map.
mlir::Value createDescriptor(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Value map);

/// Prefetches a box of a tensor map into the L2 cache.
void createBoxPrefetch(mlir::OpBuilder &b, mlir::Location loc, mlir::Value map,
                       mlir::ValueRange indices);

/// Arrives at a barrier, under a predicate if there is one.
void createArrive(mlir::OpBuilder &b, mlir::Location loc, mlir::Value barrier,
                  mlir::Value predicate = mlir::Value());

/// Starts the copy of a tile from global memory to an offset of the kernel's
/// shared memory (i32, bytes) by the threads of the block, `threads` of them:
/// cp.async of 16 bytes, where `aligned`, or element by element. Rows and
/// columns outside the memref become zeros; rows of padding are left alone.
void createThreadCopy(mlir::OpBuilder &b, mlir::Location loc, SharedType tile,
                      mlir::Value offset,
                      mlir::TypedValue<mlir::MemRefType> source,
                      mlir::ValueRange indices, bool aligned, int64_t threads);

/// Clears the rows of an MMA's right operand from `rows` on, an index; `offset`
/// is the tile's place in the kernel's shared memory.
void clearRows(mlir::OpBuilder &b, MmaOpInterface mma, mlir::Value offset,
               mlir::Value rows);

/// Threads of the block of the kernel around an op.
int64_t getBlockThreads(mlir::Operation *op);

/// Waits until a barrier has passed the phase, i32.
void createBarrierWait(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value barrier, mlir::Value phase);
inline constexpr llvm::StringLiteral kSharedSymbol = "wgtile_shared";

void populateBitsPatterns(const TileTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
void populateTileLoopPatterns(const TileTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateClusterPatterns(const TileTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
void populateComputePatterns(const TileTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
void populateDelayPatterns(const TileTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
void populateElementwisePatterns(const TileTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateGlobalAccessPatterns(const TileTypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);
void populateFmaPatterns(const TileTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);
void populateLaneReadPatterns(const TileTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);
void populateLoadPatterns(const TileTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
void populateMmaSyncPatterns(const TileTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
void populateOrderPatterns(const TileTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
void populatePeekPatterns(const TileTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
void populateRowReducePatterns(const TileTypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
void populateTileReducePatterns(const TileTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);
void populateRingPatterns(const TileTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);
void populateStagingPatterns(const TileTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

/// A barrier of the kernel and the number of arrivals that ends its phase.
struct BarrierInit {
  int64_t offset, arrivals;
};

/// Initializes the kernel's barriers, before anything else runs, and requests
/// its tensor maps.
void initializeBarriers(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ArrayRef<BarrierInit> barriers,
                        mlir::ValueRange tensorMaps);

/// Makes branches of roles, when everything in them is lowered.
void lowerRoles(mlir::Operation *kernel);

} // namespace wgtile

#endif // SATTN_LIB_CONVERSION_WGTILETONVVM_TILEREGISTERS_H
