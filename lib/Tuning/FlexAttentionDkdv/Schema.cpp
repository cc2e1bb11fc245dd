//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AttentionSpace.h"

#include "sattn/Tuning/FlexAttentionDkdv.h"

static constexpr llvm::StringLiteral kKey[] = {"D",
                                               "Dv",
                                               "BQ",
                                               "BK",
                                               "is_causal==1",
                                               "shares_mask==1",
                                               "has_dropout==1",
                                               "is_one_gradient==1",
                                               "G",
                                               "H",
                                               "L"};

const sattn::meta::OpSchema sattn::tuning::flex_attention_dkdv::kSchema = {
    "flex_attention_dkdv",
    kKey,
    kRowParameters,
    std::size(kKey) - 1,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    attention::kZeroNames};
