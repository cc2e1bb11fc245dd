//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_UNREADABLETEXT_H
#define SATTN_UNREADABLETEXT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace sattn {

/// Brackets inside brackets, or terms of one affine expression, that programs
/// may have.
inline constexpr int64_t kMaxTextNesting = 256;
/// Results of one op that programs may name, "%x#3", less one.
inline constexpr unsigned kMaxResultNumber = 65535;

/// Says where MLIR's parser, or what follows it, would end the process at a
/// program's text, "3:8: error: ..."; nothing if it would not. It calls itself
/// for each level of nesting, asks for the width of an index where an array
/// attribute has elements of that type, and makes room for as many results of
/// an op as are numbered. An alias counts as what it stands for. Bytecode is
/// not searched.
std::optional<std::string> findUnreadable(llvm::StringRef text);

} // namespace sattn

#endif // SATTN_UNREADABLETEXT_H
