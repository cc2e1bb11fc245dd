//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/UnreadableText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace sattn;

namespace {
/// Reads text token by token, as far as is needed.
class TextScan {
public:
  explicit TextScan(StringRef text) : text(text), rest(text) {}

  std::optional<std::string> run() {
    while (!rest.empty()) {
      readToken();
      if (level() > kMaxTextNesting || terms > kMaxTextNesting)
        fault =
            ("text that is nested at most " + Twine(kMaxTextNesting) + " deep")
                .str();
      if (!fault.empty())
        return describe();
    }
    return std::nullopt;
  }

private:
  StringRef text, rest;
  /// Open brackets of each kind: one that is missing does not close others.
  int64_t open[4] = {};
  /// Operators since the last bracket or comma.
  int64_t terms = 0;
  /// The depth of the alias at hand, and those of aliases by name.
  int64_t used = 0;
  StringMap<int64_t> aliases;
  std::string defined;
  /// Aliases of the type index.
  StringSet<> indexAliases;
  /// The part of "array<index" that was read last.
  enum class ArrayPart { None, Name, Bracket } part = ArrayPart::None;
  /// The text that was expected in the place of the last token; empty if that
  /// can be read.
  std::string fault;

  /// Notes the type index, by its name or an alias.
  void readIndex() {
    if (part == ArrayPart::Bracket)
      fault = "an array of integers or floats, but got index";
    if (!defined.empty() && level() == used)
      indexAliases.insert(defined);
  }

  int64_t level() const { return open[0] + open[1] + open[2] + open[3] + used; }

  /// Begins a new item: the text at the front belongs to nothing before it.
  void begin() {
    defined.clear();
    used = 0;
  }

  void readToken() {
    char c = rest.front();
    if (rest.starts_with("//")) {
      // Programs of one file are apart.
      if (rest.starts_with("// -----")) {
        std::fill(std::begin(open), std::end(open), 0);
        terms = 0;
        aliases.clear();
        indexAliases.clear();
        begin();
      }
      rest = rest.drop_until([](char c) { return c == '\n'; });
    } else if (c == '"') {
      skipString();
    } else if (c == '#' || c == '!') {
      readAlias();
    } else if (isAlpha(c) || c == '_') {
      StringRef word = rest.take_while(isWordCharacter);
      terms += word == "floordiv" || word == "ceildiv" || word == "mod";
      if (word == "index")
        readIndex();
      part = word == "array" ? ArrayPart::Name : ArrayPart::None;
      rest = rest.drop_front(word.size());
    } else {
      readCharacter(c);
    }
  }

  static bool isWordCharacter(char c) {
    return isAlnum(c) || c == '_' || c == '$' || c == '.';
  }

  void skipString() {
    rest = rest.drop_front();
    while (!rest.empty() && rest.front() != '"' && rest.front() != '\n')
      rest = rest.substr(rest.front() == '\\' ? 2 : 1);
    rest = rest.substr(1);
  }

  /// Reads an alias: a definition at the start of a line, or a use.
  void readAlias() {
    bool isFirst = rest.data() == text.data() || rest.data()[-1] == '\n';
    StringRef name = rest.take_front(
        1 + rest.drop_front().take_while(isWordCharacter).size());
    rest = rest.drop_front(name.size());
    if (StringRef number = name.drop_front();
        !number.empty() && llvm::all_of(number, isDigit)) {
      unsigned value;
      if (number.getAsInteger(10, value) || value > kMaxResultNumber)
        fault = ("a result's number of at most " + Twine(kMaxResultNumber) +
                 ", but got " + number)
                    .str();
      return;
    }
    if (isFirst && rest.ltrim(' ').starts_with("=")) {
      begin();
      defined = name.str();
      aliases[name] = 0;
      return;
    }
    used = std::max(used, aliases.lookup(name));
    if (indexAliases.contains(name))
      readIndex();
    part = ArrayPart::None;
    if (!defined.empty())
      note();
  }

  /// How deep the alias at hand is, so far.
  void note() {
    int64_t &depth = aliases[defined];
    depth = std::max(depth, level() + 1);
  }

  void readCharacter(char c) {
    if (!isSpace(c))
      part = c == '<' && part == ArrayPart::Name ? ArrayPart::Bracket
                                                 : ArrayPart::None;
    if (rest.starts_with("->") || rest.starts_with(">=") ||
        rest.starts_with("<=")) {
      rest = rest.drop_front(2);
      return;
    }
    constexpr StringLiteral begins = "([{<", ends = ")]}>";
    if (size_t kind = begins.find(c); kind != StringRef::npos) {
      ++open[kind];
      terms = 0;
      if (!defined.empty())
        note();
    } else if (size_t kind = ends.find(c); kind != StringRef::npos) {
      open[kind] = std::max<int64_t>(0, open[kind] - 1);
      terms = 0;
    } else if (c == ',' || c == ':' || c == '=') {
      terms = 0;
    } else if (c == '+' || c == '-' || c == '*') {
      ++terms;
    } else if (c == '\n') {
      // A definition ends with its line, if its brackets do.
      if (defined.empty() || level() == used)
        begin();
    }
    rest = rest.drop_front();
  }

  std::string describe() const {
    StringRef before = text.drop_back(rest.size());
    size_t line = before.count('\n') + 1;
    size_t column = before.size() - (before.rfind('\n') + 1);
    return (Twine(line) + ":" + Twine(std::max<size_t>(column, 1)) +
            ": error: expected " + fault)
        .str();
  }
};
} // namespace

std::optional<std::string> sattn::findUnreadable(StringRef text) {
  constexpr StringLiteral bytecode("ML\xefR");
  if (text.starts_with(bytecode))
    return std::nullopt;
  return TextScan(text).run();
}
