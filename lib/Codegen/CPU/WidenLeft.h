//===- WidenLeft.h - Left operands in the sum's type ------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_WIDENLEFT_H
#define SATTN_LIB_CODEGEN_CPU_WIDENLEFT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace sattn {

/// Makes `op` read its left operand, a window that the iterations of its tile
/// take one after the other, from a copy in elements of type `packed`: of the
/// whole tensor if the tiles read it often, else of the tile's windows. Windows
/// whose rows each register tile widens faster stay, and so do left operands of
/// other kinds.
void readWidened(mlir::RewriterBase &rewriter, mlir::linalg::MatmulOp op,
                 mlir::Type packed);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_WIDENLEFT_H
