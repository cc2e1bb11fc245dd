//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TEST_FUZZ_TOKENMUTATOR_H
#define SATTN_TEST_FUZZ_TOKENMUTATOR_H

#include <cstddef>
#include <cstdint>

namespace sattn::fuzz {

/// Changes a text of MLIR by a few of its words: one is taken out, doubled,
/// or replaced by another of the text or of a list. What comes out is mostly
/// well-formed, so that verifiers see it; changes of single bytes would end in
/// the lexer. Arguments and result as of LLVMFuzzerCustomMutator.
size_t mutateTokens(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

} // namespace sattn::fuzz

#endif // SATTN_TEST_FUZZ_TOKENMUTATOR_H
