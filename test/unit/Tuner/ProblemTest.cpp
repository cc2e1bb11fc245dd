//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include "sattn/Tuner/Problem.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace sattn::tuner;

static llvm::Expected<std::vector<Problem>> read(llvm::StringRef text) {
  int file;
  llvm::SmallString<128> path;
  EXPECT_FALSE(
      llvm::sys::fs::createTemporaryFile("problems", "jsonl", file, path));
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
  llvm::Expected<std::vector<Problem>> problems = readProblems(path);
  llvm::sys::fs::remove(path);
  return problems;
}

static std::string errorOf(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  return text.substr(text.find("line"));
}

TEST(ProblemTest, WordsAreNumbersOrTexts) {
  llvm::Expected<Problem> problem =
      parseProblem("bsr_addmm", {"m=256", "dtype=bf16", "beta=-0.5"});
  ASSERT_TRUE(bool(problem));
  EXPECT_EQ(problem->describe(), "bsr_addmm beta=-0.5 dtype=bf16 m=256");
  EXPECT_EQ(problem->getNumber("m", 0), 256);
  EXPECT_EQ(problem->getNumber("k", 7), 7);
  EXPECT_EQ(problem->getText("dtype"), "bf16");
}

TEST(ProblemTest, WordsThatAreNoFacts) {
  auto messageOf = [](std::vector<std::string> words) {
    return llvm::toString(parseProblem("bsr_addmm", words).takeError());
  };
  EXPECT_EQ(messageOf({"m"}), "expected a fact such as m=256, but got 'm'");
  EXPECT_EQ(messageOf({"m=2x"}), "fact 'm': expected a number, but got '2x'");
  EXPECT_EQ(messageOf({"m=1", "m=2"}),
            "expected each fact once, but got 'm' twice");
}

TEST(ProblemTest, LinesOfAFile) {
  llvm::Expected<std::vector<Problem>> problems =
      read("{\"op\": \"a\", \"facts\": {\"m\": 2, \"t\": \"x\"}}\n\n"
           "{\"facts\": {\"t\": \"x\", \"m\": 2}, \"op\": \"a\"}\n"
           "{\"op\": \"a\", \"facts\": {\"m\": 3, \"f\": true}}\n"
           "{\"op\": \"a\", \"fa");
  ASSERT_TRUE(bool(problems));
  ASSERT_EQ(problems->size(), 2u);
  EXPECT_EQ((*problems)[0].describe(), "a m=2 t=x");
  EXPECT_EQ((*problems)[1].describe(), "a f=1 m=3");
}

TEST(ProblemTest, LinesThatAreNoProblems) {
  EXPECT_EQ(errorOf(read("{}\n{\n").takeError()),
            "line 1: expected an object with a text \"op\" and an object "
            "\"facts\", but got '{}'");
  EXPECT_EQ(errorOf(read("junk\n").takeError()),
            "line 1: expected an object of JSON, but got 'junk'");
  EXPECT_EQ(
      errorOf(read("{\"op\": \"a\", \"facts\": {\"m\": []}}\n").takeError())
          .substr(0, 45),
      "line 1: expected facts that are numbers or te");
}
