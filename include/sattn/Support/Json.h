//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_JSON_H
#define SATTN_SUPPORT_JSON_H

#include "llvm/Support/JSON.h"

#include <algorithm>

namespace sattn {

/// The deepest nesting of JSON texts that are parsed: llvm::json parses nested
/// values by recursion without a limit.
inline constexpr int kMaxJsonNesting = 16;

/// Calls `visit` for each character outside of strings, and for each string,
/// with its text, quotes included.
template <typename Visit> void scanJson(llvm::StringRef text, Visit visit) {
  for (size_t i = 0; i < text.size(); ++i) {
    size_t start = i;
    if (text[i] == '"')
      while (++i < text.size() && text[i] != '"')
        if (text[i] == '\\')
          ++i;
    visit(text[start], text.slice(start, i + 1));
  }
}

/// How deep the arrays and objects of a text are nested.
inline int getJsonNesting(llvm::StringRef text) {
  int depth = 0, deepest = 0;
  scanJson(text, [&](char c, llvm::StringRef) {
    if (c == '[' || c == '{')
      deepest = std::max(deepest, ++depth);
    else if (c == ']' || c == '}')
      --depth;
  });
  return deepest;
}

/// llvm::json::parse, with an error for text that is nested deeper than
/// kMaxJsonNesting.
inline llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  if (int depth = getJsonNesting(text); depth > kMaxJsonNesting)
    return llvm::createStringError(
        "expected at most " + llvm::Twine(kMaxJsonNesting) +
        " nested arrays and objects, but got " + llvm::Twine(depth));
  return llvm::json::parse(text);
}

} // namespace sattn

#endif // SATTN_SUPPORT_JSON_H
