//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AttentionSpace.h"

#include "sattn/Tuning/FlexAttentionDcapture.h"

static constexpr llvm::StringLiteral kKey[] = {
    "D", "Dv", "BQ", "BK", "is_causal==1", "shares_mask==1", "has_dropout==1",
    "H", "L"};

const sattn::meta::OpSchema sattn::tuning::flex_attention_dcapture::kSchema = {
    "flex_attention_dcapture",
    kKey,
    kRowParameters,
    std::size(kKey) - 1,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    attention::kZeroNames};
