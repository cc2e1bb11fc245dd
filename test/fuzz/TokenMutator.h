//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TEST_FUZZ_TOKENMUTATOR_H
#define SATTN_TEST_FUZZ_TOKENMUTATOR_H

#include <string>

namespace sattn::fuzz {

/// Changes a text of MLIR by a few of its words: one is taken out, doubled, or
/// replaced by another of the text or of a list; a number is replaced wherever
/// it occurs, a value by another value, and a line is taken out, doubled or
/// moved. What comes out is mostly well-formed, so that verifiers and passes
/// see it; changes of single bytes would end in the lexer.
std::string mutateTokens(const std::string &text, unsigned seed);

/// Replaces one number of a text, if it has any.
std::string mutateNumber(const std::string &text, unsigned seed);

} // namespace sattn::fuzz

#endif // SATTN_TEST_FUZZ_TOKENMUTATOR_H
