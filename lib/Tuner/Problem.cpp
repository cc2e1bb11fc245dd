//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuner/Problem.h"

#include "sattn/Support/Json.h"
#include "sattn/Support/RegularFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <charconv>
#include <cmath>

using namespace sattn;
using namespace sattn::tuner;
using llvm::StringRef;

std::vector<tuning::NamedFact> Problem::getNamedFacts() const {
  std::vector<tuning::NamedFact> named;
  for (const Fact &fact : facts) {
    tuning::NamedFact one{fact.name};
    if (const auto *text = std::get_if<std::string>(&fact.value))
      one.text = *text;
    else
      one.number = std::get<double>(fact.value);
    named.push_back(one);
  }
  return named;
}

double Problem::getNumber(StringRef name, double otherwise) const {
  for (const Fact &fact : facts)
    if (const auto *number = std::get_if<double>(&fact.value);
        number && fact.name == name)
      return *number;
  return otherwise;
}

StringRef Problem::getText(StringRef name) const {
  for (const Fact &fact : facts)
    if (const auto *text = std::get_if<std::string>(&fact.value);
        text && fact.name == name)
      return *text;
  return "";
}

/// The shortest text that reads as the number.
static std::string printNumber(double number) {
  char text[32];
  auto [end, error] = std::to_chars(text, std::end(text), number);
  return std::string(text, end);
}

std::string Problem::describe() const {
  std::string text = op;
  for (const Fact &fact : facts) {
    text += " " + fact.name + "=";
    if (const auto *number = std::get_if<double>(&fact.value))
      text += printNumber(*number);
    else
      text += std::get<std::string>(fact.value);
  }
  return text;
}

/// Sorts facts by their names; an error where two have one name.
static llvm::Error sortFacts(Problem &problem) {
  llvm::sort(problem.facts,
             [](const Fact &a, const Fact &b) { return a.name < b.name; });
  auto repeated = std::adjacent_find(
      problem.facts.begin(), problem.facts.end(),
      [](const Fact &a, const Fact &b) { return a.name == b.name; });
  if (repeated != problem.facts.end())
    return llvm::createStringError("expected each fact once, but got '" +
                                   repeated->name + "' twice");
  return llvm::Error::success();
}

llvm::Expected<Problem>
sattn::tuner::parseProblem(StringRef op, llvm::ArrayRef<std::string> words) {
  Problem problem{op.str(), {}};
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    if (name.empty() || value.empty() || !llvm::json::isUTF8(word))
      return llvm::createStringError(
          "expected a fact such as m=256, but got '" + word + "'");
    if (!llvm::isDigit(value.front()) && value.front() != '-') {
      problem.facts.push_back({name.str(), value.str()});
      continue;
    }
    double number;
    auto [end, error] = std::from_chars(value.begin(), value.end(), number);
    if (error != std::errc() || end != value.end() || !std::isfinite(number))
      return llvm::createStringError(
          "fact '" + name + "': expected a number, but got '" + value + "'");
    problem.facts.push_back({name.str(), number});
  }
  if (llvm::Error error = sortFacts(problem))
    return error;
  return problem;
}

/// A line of a file of problems.
static llvm::Expected<Problem> parseLine(StringRef line) {
  auto refuse = [&](const llvm::Twine &expected) {
    return llvm::createStringError("expected " + expected + ", but got '" +
                                   line.take_front(60) + "'");
  };
  llvm::Expected<llvm::json::Value> value = parseJson(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return refuse("an object of JSON");
  }
  const llvm::json::Object *object = value->getAsObject();
  std::optional<StringRef> op = object ? object->getString("op") : std::nullopt;
  const llvm::json::Object *facts =
      object ? object->getObject("facts") : nullptr;
  if (!op || !facts)
    return refuse("an object with a text \"op\" and an object \"facts\"");
  Problem problem{op->str(), {}};
  for (const auto &[name, fact] : *facts) {
    if (std::optional<StringRef> text = fact.getAsString())
      problem.facts.push_back({name.str(), text->str()});
    else if (std::optional<double> number = fact.getAsNumber();
             number && std::isfinite(*number))
      problem.facts.push_back({name.str(), *number});
    else if (std::optional<bool> flag = fact.getAsBoolean())
      problem.facts.push_back({name.str(), double(*flag)});
    else
      return refuse("facts that are numbers or texts");
  }
  if (llvm::Error error = sortFacts(problem))
    return error;
  return problem;
}

llvm::Expected<std::vector<Problem>>
sattn::tuner::readProblems(StringRef path) {
  auto file = readRegularFile(path);
  if (!file)
    return llvm::createStringError(
        "'" + path + "': expected a file that can be read, but got: " +
        llvm::toString(file.takeError()));
  std::vector<Problem> problems;
  llvm::StringSet<> seen;
  StringRef rest = (*file)->getBuffer();
  for (int64_t number = 1; !rest.empty(); ++number) {
    bool isWhole = rest.contains('\n');
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.trim().empty())
      continue;
    llvm::Expected<Problem> problem = parseLine(line);
    if (!problem && !isWhole) {
      llvm::consumeError(problem.takeError());
      break;
    }
    if (!problem)
      return llvm::createStringError("'" + path + "', line " +
                                     llvm::Twine(number) + ": " +
                                     llvm::toString(problem.takeError()));
    if (seen.insert(problem->describe()).second)
      problems.push_back(std::move(*problem));
  }
  return problems;
}
