//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Parts of the op's declaration that are in files of their own.

#ifndef SATTN_LIB_TUNING_BSRADDMM_DECLARATION_H
#define SATTN_LIB_TUNING_BSRADDMM_DECLARATION_H

#include "../OpTuning.h"

#include "sattn/Tuning/BsrAddmm.h"

namespace sattn::tuning::bsr_addmm {

TableKey getKey(const Facts &facts);
void addParameters(Space &space, const Facts &facts, const Target &target);
std::string findTileProblem(const Facts &facts, const Parameters &tile,
                            const Target &target);
std::string findHintsProblem(const Facts &facts, const Parameters &parameters,
                             const Target &target);

} // namespace sattn::tuning::bsr_addmm

#endif // SATTN_LIB_TUNING_BSRADDMM_DECLARATION_H
