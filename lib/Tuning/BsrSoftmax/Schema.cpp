//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RowParameters.h"

#include "sattn/Tuning/BsrSoftmax.h"

static constexpr llvm::StringLiteral kKey[] = {"BM", "BK"};

const sattn::meta::OpSchema sattn::tuning::bsr_softmax::kSchema = {
    "bsr_softmax", kKey,    kRowParameters, std::nullopt, nullptr,
    nullptr,       nullptr, nullptr,        kRowHints};
