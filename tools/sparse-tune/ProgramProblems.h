//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETUNE_PROGRAMPROBLEMS_H
#define SATTN_TOOLS_SPARSETUNE_PROGRAMPROBLEMS_H

#include "sattn/Tuner/Problem.h"

namespace sattn::tune {

/// The problems of the ops of an MLIR file that have parameters, each once, by
/// what their types say. `sizes` (M, N, K; none, or all three) and `sparsity`,
/// in hundredths, stand for what types leave open. An error where the file
/// cannot be read or has no such op.
llvm::Expected<std::vector<tuner::Problem>>
readProgramProblems(const std::string &path, llvm::ArrayRef<int64_t> sizes,
                    std::optional<int64_t> sparsity);

} // namespace sattn::tune

#endif // SATTN_TOOLS_SPARSETUNE_PROGRAMPROBLEMS_H
