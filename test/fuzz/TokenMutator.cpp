//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TokenMutator.h"

#include <cctype>
#include <cstring>
#include <random>
#include <string>
#include <vector>

static const char *const kWords[] = {"?",
                                     "0",
                                     "1",
                                     "2",
                                     "7",
                                     "8",
                                     "16",
                                     "63",
                                     "64",
                                     "128",
                                     "-1",
                                     "4096",
                                     "9223372036854775807",
                                     "x",
                                     "*",
                                     "i1",
                                     "i32",
                                     "i64",
                                     "index",
                                     "f16",
                                     "bf16",
                                     "f32",
                                     "f64",
                                     "tf32",
                                     "tensor",
                                     "memref",
                                     "vector",
                                     "<",
                                     ">",
                                     "[",
                                     "]",
                                     "(",
                                     ")",
                                     ",",
                                     "ins",
                                     "outs",
                                     "alpha",
                                     "beta",
                                     "input",
                                     "left",
                                     "right",
                                     "plan",
                                     "groups",
                                     "meta",
                                     "tile",
                                     "stages",
                                     "warps",
                                     "group",
                                     "ieee",
                                     "columns",
                                     "precision",
                                     "dense",
                                     "compressed",
                                     "batch",
                                     "floordiv",
                                     "mod",
                                     "posWidth",
                                     "crdWidth"};

/// Words, and single other characters with what whitespace follows them. The
/// extents of a type are apart from its `x`.
static std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    auto isWord = [&](char c) { return std::isalnum(c) || c == '_'; };
    if (std::isdigit(text[i]))
      while (end < text.size() && std::isdigit(text[end]))
        ++end;
    else if (text[i] == 'x' && end < text.size() &&
             (std::isdigit(text[end]) || text[end] == '?'))
      ;
    else if (isWord(text[i]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    while (end < text.size() && std::isspace(text[end]))
      ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

size_t sattn::fuzz::mutateTokens(uint8_t *data, size_t size, size_t maxSize,
                                 unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<std::string> tokens =
      split(std::string(reinterpret_cast<char *>(data), size));
  auto below = [&](size_t count) { return random() % count; };
  for (size_t changes = 1 + below(3); changes > 0; --changes) {
    if (tokens.empty())
      tokens.push_back("module");
    size_t place = below(tokens.size());
    std::string &token = tokens[place];
    switch (below(5)) {
    case 0:
      tokens.erase(tokens.begin() + place);
      break;
    case 1:
      tokens.insert(tokens.begin() + place, std::string(token));
      break;
    case 2:
      token = std::string(tokens[below(tokens.size())]);
      break;
    default:
      // The same whitespace, so that a comment does not grow.
      size_t word = 0;
      while (word < token.size() && !std::isspace(token[word]))
        ++word;
      token = kWords[below(std::size(kWords))] + token.substr(word);
    }
  }
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), length);
  return length;
}
