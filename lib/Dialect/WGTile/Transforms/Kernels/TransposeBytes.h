//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_TRANSPOSEBYTES_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_TRANSPOSEBYTES_H

#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"

namespace wgtile {

/// Rows and columns of the square that a CTA transposes.
inline constexpr int64_t kTransposedTile = 128;
/// Elements of 8 bits that a thread moves at a time. Both of a matrix's sizes
/// are multiples of it.
inline constexpr int64_t kTransposedChunk = 16;

/// A kernel that swaps the last two dimensions of matrices of 8-bit elements.
/// Its arguments are the source and the destination, of `type`, whose rows have
/// no gaps and begin at multiples of 16 bytes, and the numbers of squares along
/// the source's columns and rows.
mlir::gpu::GPUFuncOp createByteTranspose(llvm::StringRef name,
                                         mlir::Location loc,
                                         mlir::MemRefType type,
                                         mlir::gpu::GPUModuleOp module,
                                         mlir::SymbolTable &symbols);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_TRANSPOSEBYTES_H
