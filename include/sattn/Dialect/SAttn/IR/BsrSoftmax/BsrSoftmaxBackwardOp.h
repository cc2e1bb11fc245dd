//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_BSRSOFTMAX_BSRSOFTMAXBACKWARDOP_H
#define SATTN_DIALECT_SATTN_IR_BSRSOFTMAX_BSRSOFTMAXBACKWARDOP_H

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_BSRSOFTMAX_BSRSOFTMAXBACKWARDOP_H
