//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// All of the dialect. A file that knows one op includes that op's header.

#ifndef SATTN_DIALECT_SATTN_IR_SATTN_H
#define SATTN_DIALECT_SATTN_IR_SATTN_H

#include "sattn/Dialect/SAttn/IR/BlockCounts/BlockCountsOp.h"
#include "sattn/Dialect/SAttn/IR/BlockLists/BlockListsOp.h"
#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"
#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"
#include "sattn/Dialect/SAttn/IR/BsrAttention/CombinePartsOp.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.h"
#include "sattn/Dialect/SAttn/IR/SAttnMergeOp.h"
#include "sattn/Dialect/SAttn/IR/SAttnPlanOp.h"
#include "sattn/Dialect/SAttn/IR/SAttnYieldOp.h"
#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"
#include "sattn/Dialect/SAttn/IR/ScatterMm/ScatterMmOp.h"

#endif // SATTN_DIALECT_SATTN_IR_SATTN_H
