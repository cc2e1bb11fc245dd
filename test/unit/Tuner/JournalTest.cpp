//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include "sattn/Tuner/Journal.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace sattn::tuner;
namespace fs = llvm::sys::fs;

namespace {
class JournalTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("journal", folder));
    path = (folder + "/table.json.journal").str();
  }
  void TearDown() override { fs::remove_directories(folder); }

  Journal open(llvm::StringRef identity = "here") {
    llvm::Expected<Journal> journal = Journal::open(path, identity);
    EXPECT_TRUE(bool(journal));
    return std::move(*journal);
  }
  void append(llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error, fs::OF_Append) << text;
  }

  llvm::SmallString<128> folder;
  std::string path;
};
} // namespace

static Trial trialOf(int64_t columns, double ratio) {
  Trial trial;
  trial.parameters.rows = 64;
  trial.parameters.columns = columns;
  trial.parameters.depth = 32;
  trial.parameters.splitK = 2;
  trial.ratio = ratio;
  return trial;
}

TEST_F(JournalTest, HasWhatWasAdded) {
  {
    Journal journal = open();
    EXPECT_FALSE(bool(journal.add("a", trialOf(64, 0.5))));
    Trial failed = trialOf(128, 0);
    failed.reason = "it \"failed\"\n";
    EXPECT_FALSE(bool(journal.add("a", failed)));
    EXPECT_FALSE(bool(journal.addDone("b", "quick")));
  }
  Journal journal = open();
  ASSERT_EQ(journal.getTrials("a").size(), 2u);
  Trial trial = journal.getTrials("a")[0];
  EXPECT_EQ(trial.parameters.columns, 64);
  EXPECT_EQ(trial.parameters.splitK, 2);
  EXPECT_EQ(trial.parameters.stages, std::nullopt);
  EXPECT_EQ(trial.ratio, 0.5);
  EXPECT_EQ(journal.getTrials("a")[1].reason, "it \"failed\"\n");
  EXPECT_FALSE(journal.isDone("a", "quick"));
  EXPECT_TRUE(journal.isDone("b", "quick"));
  EXPECT_FALSE(journal.isDone("b", "full"));
}

TEST_F(JournalTest, OtherMachinesAndBuildsDoNotCount) {
  EXPECT_FALSE(bool(open("there").addDone("a", "quick")));
  EXPECT_FALSE(open().isDone("a", "quick"));
}

TEST_F(JournalTest, LineThatWasNotWrittenWholeIsLeftOut) {
  EXPECT_FALSE(bool(open().addDone("a", "quick")));
  append("{\"identity\": \"here\", \"prob");
  EXPECT_FALSE(bool(open().addDone("b", "quick")));
  Journal journal = open();
  EXPECT_TRUE(journal.isDone("a", "quick"));
  EXPECT_TRUE(journal.isDone("b", "quick"));
}

TEST_F(JournalTest, OneHolderAtATime) {
  {
    Journal first = open();
    llvm::Expected<Journal> second = Journal::open(path, "here");
    ASSERT_FALSE(bool(second));
    EXPECT_NE(llvm::toString(second.takeError())
                  .find("expected no other process that tunes"),
              std::string::npos);
  }
  open();
}

TEST_F(JournalTest, JunkIsLeftOut) {
  append("junk\n[1]\n{\"identity\": 3}\n" + std::string(100000, '[') + "\n");
  EXPECT_TRUE(open().getTrials("a").empty());
}

TEST_F(JournalTest, FolderThatIsMissingIsAnError) {
  llvm::Expected<Journal> journal = Journal::open(path + "/none", "here");
  ASSERT_FALSE(bool(journal));
  EXPECT_NE(llvm::toString(journal.takeError()).find("expected a file"),
            std::string::npos);
}
