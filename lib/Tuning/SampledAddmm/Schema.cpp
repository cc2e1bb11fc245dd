//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RowParameters.h"

#include "sattn/Tuning/SampledAddmm.h"

static constexpr llvm::StringLiteral kKey[] = {"BM", "BK", "can_be_run==1",
                                               "K"};

/// Position of K in the key: a shorter sum's row does.
static constexpr unsigned kKeyK = 3;

const sattn::meta::OpSchema sattn::tuning::sampled_addmm::kSchema = {
    "sampled_addmm", kKey,    kRowParameters, kKeyK,    nullptr,
    nullptr,         nullptr, nullptr,        kRowHints};
