//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The ops of the dialect, each in a file of its own.

#ifndef SATTN_DIALECT_SATTN_IR_SATTNOPS_TD
#define SATTN_DIALECT_SATTN_IR_SATTNOPS_TD

include "sattn/Dialect/SAttn/IR/BlockCounts/BlockCountsOp.td"
include "sattn/Dialect/SAttn/IR/BlockLists/BlockListsOp.td"
include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.td"
include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.td"
include "sattn/Dialect/SAttn/IR/BsrAttention/CombinePartsOp.td"
include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.td"
include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.td"
include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.td"
include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.td"
include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.td"
include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.td"
include "sattn/Dialect/SAttn/IR/SAttnMergeOp.td"
include "sattn/Dialect/SAttn/IR/SAttnPlanOp.td"
include "sattn/Dialect/SAttn/IR/SAttnYieldOp.td"
include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.td"
include "sattn/Dialect/SAttn/IR/ScatterMm/ScatterMmOp.td"

#endif // SATTN_DIALECT_SATTN_IR_SATTNOPS_TD
