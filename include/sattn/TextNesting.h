//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_TEXTNESTING_H
#define SATTN_TEXTNESTING_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace sattn {

/// Brackets inside brackets, or terms of one affine expression, that programs
/// may have.
inline constexpr int64_t kMaxTextNesting = 256;

/// Says where a program's text is nested too deep, "3:8: error: ..."; nothing
/// if it is not. MLIR's parser and what follows it call themselves for each
/// level, and would end the process. An alias counts with what it stands for.
/// Bytecode is not searched.
std::optional<std::string> findDeepNesting(llvm::StringRef text);

} // namespace sattn

#endif // SATTN_TEXTNESTING_H
