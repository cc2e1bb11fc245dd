//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TokenMutator.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <random>
#include <vector>

static const char *const kNumbers[] = {"0",
                                       "1",
                                       "2",
                                       "3",
                                       "7",
                                       "8",
                                       "16",
                                       "24",
                                       "32",
                                       "63",
                                       "64",
                                       "128",
                                       "136",
                                       "256",
                                       "-1",
                                       "4096",
                                       "2147483648",
                                       "4611686018427387904",
                                       "9223372036854775807"};

static const char *const kWords[] = {
    "?",          "x",          "*",         "i1",
    "i32",        "i64",        "index",     "f16",
    "bf16",       "f32",        "f64",       "tf32",
    "tensor",     "memref",     "vector",    "<",
    ">",          "[",          "]",         "(",
    ")",          ",",          "ins",       "outs",
    "alpha",      "beta",       "input",     "left",
    "right",      "plan",       "groups",    "meta",
    "tile",       "stages",     "warps",     "raster_group",
    "ieee",       "columns",    "precision", "dense",
    "compressed", "batch",      "floordiv",  "mod",
    "posWidth",   "crdWidth",   "i8",        "none",
    "true",       "false",      "async",     "aligned",
    "mma_sync",   "persistent", "swizzle",   "pending",
    "from",       "warpgroups", "read",      "@f"};

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

namespace {
/// One change of a text.
class Mutation {
public:
  Mutation(const std::string &text, std::minstd_rand &random)
      : random(random), tokens(split(text)) {}

  std::string run() {
    if (tokens.empty())
      return "module";
    size_t place = below(tokens.size());
    std::string &token = tokens[place];
    switch (below(9)) {
    case 0:
      tokens.erase(tokens.begin() + place);
      break;
    case 1:
      tokens.insert(tokens.begin() + place, std::string(token));
      break;
    case 2:
      token = std::string(tokens[below(tokens.size())]);
      break;
    case 3:
      setWord(place, kWords[below(std::size(kWords))]);
      break;
    case 4:
      return moveLine();
    case 5:
      replaceValue();
      break;
    case 6:
      replaceNumber(/*everywhere=*/false);
      break;
    default:
      replaceNumber(/*everywhere=*/true);
    }
    return join();
  }

  std::string replaceNumber() {
    replaceNumber(/*everywhere=*/false);
    return join();
  }

private:
  std::minstd_rand &random;
  std::vector<std::string> tokens;

  size_t below(size_t count) { return random() % count; }

  std::string join() const {
    std::string text;
    for (const std::string &token : tokens)
      text += token;
    return text;
  }

  std::string getWord(size_t place) const {
    const std::string &token = tokens[place];
    return token.substr(0, token.find_first_of(" \t\r\n"));
  }

  /// With the same whitespace, so that a comment does not grow.
  void setWord(size_t place, const std::string &word) {
    tokens[place] = word + tokens[place].substr(getWord(place).size());
  }

  std::vector<size_t> findNumbers() const {
    std::vector<size_t> numbers;
    for (size_t i = 0; i < tokens.size(); ++i)
      if (std::isdigit(tokens[i][0]))
        numbers.push_back(i);
    return numbers;
  }

  /// So that types that must agree do.
  void replaceNumber(bool everywhere) {
    std::vector<size_t> numbers = findNumbers();
    if (numbers.empty())
      return;
    size_t place = numbers[below(numbers.size())];
    std::string old = getWord(place);
    std::string word = kNumbers[below(std::size(kNumbers))];
    for (size_t other : numbers)
      if (other == place || (everywhere && getWord(other) == old))
        setWord(other, word);
  }

  void replaceValue() {
    std::vector<size_t> names;
    for (size_t i = 1; i < tokens.size(); ++i)
      if (tokens[i - 1] == "%")
        names.push_back(i);
    if (!names.empty())
      setWord(names[below(names.size())], getWord(names[below(names.size())]));
  }

  std::string moveLine() {
    std::vector<std::string> lines;
    std::string text = join();
    for (size_t start = 0; start < text.size();) {
      size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
      lines.push_back(text.substr(start, end - start));
      start = end;
    }
    size_t place = below(lines.size());
    std::string line = lines[place];
    // Taken out, moved or doubled.
    size_t kind = below(3);
    if (kind != 2)
      lines.erase(lines.begin() + place);
    if (kind != 0)
      lines.insert(lines.begin() + below(lines.size() + 1), line);
    text.clear();
    for (const std::string &kept : lines)
      text += kept;
    return text;
  }
};
} // namespace

std::string sattn::fuzz::mutateTokens(const std::string &text, unsigned seed) {
  std::minstd_rand random(seed);
  std::string result = text;
  for (size_t changes = 1 + random() % 3; changes > 0; --changes)
    result = Mutation(result, random).run();
  return result;
}

std::string sattn::fuzz::mutateNumber(const std::string &text, unsigned seed) {
  std::minstd_rand random(seed);
  return Mutation(text, random).replaceNumber();
}
