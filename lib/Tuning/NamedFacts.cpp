//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Tuning/NamedFacts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace sattn::tuning;

/// Whole numbers up to here are exact as double.
static constexpr double kMostExact = int64_t(1) << 53;

NamedFacts::NamedFacts(llvm::ArrayRef<NamedFact> facts) : facts(facts) {
  llvm::StringSet<> seen;
  for (const NamedFact &fact : facts)
    if (!seen.insert(fact.name).second)
      refuse("expected each fact once, but got '" + fact.name + "' twice");
}

void NamedFacts::refuse(const llvm::Twine &why) {
  if (reason.empty())
    reason = why.str();
}

const NamedFact *NamedFacts::read(llvm::StringRef name, bool isText) {
  names.insert(name);
  const NamedFact *fact = llvm::find_if(
      facts, [&](const NamedFact &one) { return one.name == name; });
  if (fact == facts.end())
    return nullptr;
  if (fact->text.has_value() == isText)
    return fact;
  refuse("fact '" + name + "': expected a " + (isText ? "text" : "number") +
         ", but got a " + (isText ? "number" : "text"));
  return nullptr;
}

std::optional<int64_t> NamedFacts::find(llvm::StringRef name, int64_t least) {
  const NamedFact *fact = read(name, /*isText=*/false);
  if (!fact)
    return std::nullopt;
  double value = fact->number;
  if (std::floor(value) == value && value >= least &&
      std::fabs(value) <= kMostExact)
    return static_cast<int64_t>(value);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  refuse("fact '" + name + "': expected a whole number of at least " +
         llvm::Twine(least) + ", but got " + text);
  return std::nullopt;
}

std::optional<int64_t> NamedFacts::findHundredths(llvm::StringRef name) {
  std::optional<int64_t> value = find(name);
  if (value && *value > 100) {
    refuse("fact '" + name + "': expected hundredths from 0 to 100, but got " +
           llvm::Twine(*value));
    return std::nullopt;
  }
  return value;
}

int64_t NamedFacts::require(llvm::StringRef name, int64_t least) {
  std::optional<int64_t> value = find(name, least);
  if (!value)
    refuse("expected the fact '" + name + "'");
  return value.value_or(least);
}

bool NamedFacts::isSet(llvm::StringRef name) {
  int64_t value = find(name).value_or(0);
  if (value > 1)
    refuse("fact '" + name + "': expected 0 or 1, but got " +
           llvm::Twine(value));
  return value == 1;
}

double NamedFacts::number(llvm::StringRef name, double otherwise) {
  const NamedFact *fact = read(name, /*isText=*/false);
  return fact ? fact->number : otherwise;
}

std::string NamedFacts::requireText(llvm::StringRef name,
                                    llvm::ArrayRef<llvm::StringRef> allowed) {
  const NamedFact *fact = read(name, /*isText=*/true);
  if (!fact)
    refuse("expected the fact '" + name + "'");
  else if (!llvm::is_contained(allowed, *fact->text))
    refuse("fact '" + name + "': expected one of " + llvm::join(allowed, ", ") +
           ", but got '" + *fact->text + "'");
  return fact ? fact->text->str() : std::string();
}

std::string NamedFacts::findElement(int64_t &bytes) {
  static constexpr std::pair<llvm::StringLiteral, int64_t> kTypes[] = {
      {"f16", 2}, {"bf16", 2},     {"f32", 4},   {"f64", 8},
      {"i8", 1},  {"f8E4M3FN", 1}, {"f8E5M2", 1}};
  std::optional<int64_t> given = find("element_bytes", /*least=*/1);
  if (!read("dtype", /*isText=*/true)) {
    if (!given)
      refuse("expected the fact 'dtype' or 'element_bytes'");
    bytes = given.value_or(1);
    return {};
  }
  llvm::SmallVector<llvm::StringRef> names;
  for (const auto &[name, size] : kTypes)
    names.push_back(name);
  std::string dtype = requireText("dtype", names);
  const auto *type = llvm::find_if(
      kTypes, [&](const auto &entry) { return entry.first == dtype; });
  bytes = type == std::end(kTypes) ? 1 : type->second;
  if (given && *given != bytes)
    refuse("fact 'element_bytes': expected " + llvm::Twine(bytes) + " of " +
           dtype + ", but got " + llvm::Twine(*given));
  return dtype;
}

llvm::SmallVector<llvm::StringRef> NamedFacts::getNames() const {
  llvm::SmallVector<llvm::StringRef> known(names.keys());
  llvm::sort(known);
  return known;
}

llvm::Error NamedFacts::takeError() {
  for (const NamedFact &fact : facts)
    if (!names.contains(fact.name)) {
      refuse("expected a fact out of " + llvm::join(getNames(), ", ") +
             ", but got '" + fact.name + "'");
    }
  return reason.empty() ? llvm::Error::success()
                        : llvm::createStringError(reason);
}
