//===- BsrAddmmTest.cpp - From facts to parameters ------------------------===//

#include "TestTable.h"

#include "sattn/Tuning/BsrAddmm.h"

using namespace sattn::meta;
using namespace sattn::tuning;
using sattn::tuning::bsr_addmm::Facts;

static Search search(llvm::StringRef target = "sm_90a",
                     llvm::StringRef device = "") {
  Search result = {*findTarget(target), device.str()};
  result.target.sharedBytes = 227 * 1024;
  return result;
}

static Facts facts(int64_t block = 64) {
  Facts result;
  result.m = result.n = result.k = 8192;
  result.blockRows = result.blockColumns = block;
  result.dtype = result.outDtype = "bf16";
  return result;
}

static Choice choose(const Facts &facts, const Search &where) {
  llvm::Expected<Choice> choice = bsr_addmm::choose({}, facts, where);
  EXPECT_TRUE(bool(choice));
  return choice ? *choice : Choice();
}

TEST(BsrAddmmTuningTest, SparsityFollowsFromStoredBlocksUnlessGiven) {
  Facts given = facts();
  int64_t blocks = 128 * 128;
  // Blocks of 64 share a tile up to a sparsity of 0.70.
  given.nnz = blocks * 3 / 10;
  EXPECT_EQ(choose(given, search()).parameters.rows, 128);
  given.nnz = blocks / 4;
  EXPECT_EQ(choose(given, search()).parameters.rows, 64);
  given.sparsity = 50;
  EXPECT_EQ(choose(given, search()).parameters.rows, 128);
  // Without K the stored blocks say nothing.
  given.sparsity.reset();
  given.k.reset();
  EXPECT_EQ(choose(given, search()).parameters.rows, 128);
}

TEST(BsrAddmmTuningTest, SharedColumnsLeaveOneBlockRow) {
  Facts given = facts();
  given.nnz = 128 * 128 / 2;
  given.sharesColumns = true;
  EXPECT_EQ(choose(given, search()).parameters.rows, 64);
}

TEST(BsrAddmmTuningTest, BytesOfAnElementFollowFromItsType) {
  Facts given = facts(128);
  EXPECT_EQ(choose(given, search()).parameters.depth, 64);
  given.dtype = given.outDtype = "f32";
  EXPECT_EQ(choose(given, search()).parameters.depth, 32);
}

TEST(BsrAddmmTuningTest, OriginSaysWhatIsNotKnown) {
  Facts given = facts();
  EXPECT_EQ(choose(given, search()).origin, "the computed default");
  given.n.reset();
  EXPECT_EQ(choose(given, search("sm_90a", "NVIDIA H200")).origin,
            "the computed default (a row is found by M, N and K, and N is not "
            "known)");
}

TEST(BsrAddmmTuningTest, RowGoesBeforeTables) {
  Table table = makeTable({SectionText{row(256, "1, 4, 3, 4")}.str()});
  Facts given = facts();
  given.m = given.k = 512;
  given.n = 256;
  given.nnz = 32;
  given.beta = 0;
  Search where = search("sm_90a", "NVIDIA A100-SXM4-80GB");
  llvm::Expected<Choice> choice = bsr_addmm::choose(table, given, where);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.stages, 3);
  where.row = {"SPLIT_N=2", "num_stages=2"};
  choice = bsr_addmm::choose(table, given, where);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->origin, "the option 'row'");
  EXPECT_EQ(choice->parameters.stages, 2);
  EXPECT_EQ(choice->parameters.columns, 128);
}

TEST(BsrAddmmTuningTest, RowThatCannotBeIsAnError) {
  auto reason = [](const Facts &facts, const Search &where) {
    llvm::Expected<Choice> choice = bsr_addmm::choose({}, facts, where);
    return choice ? "" : llvm::toString(choice.takeError());
  };
  Search where = search();
  where.row = {"SPLIT_N=3"};
  EXPECT_EQ(reason(facts(), where),
            "expected SPLIT_N to divide N = 8192, but got 3");
  Facts open = facts();
  open.k.reset();
  EXPECT_EQ(reason(open, where), "expected known M, N and K");
}

TEST(BsrAddmmTuningTest, SparsityIsRounded) {
  EXPECT_EQ(bsr_addmm::sparsityInHundredths(4, 64, 64, 192, 192),
            56); // 1 - 4/9
  EXPECT_EQ(bsr_addmm::sparsityInHundredths(0, 64, 64, 192, 192), 100);
  EXPECT_EQ(bsr_addmm::sparsityInHundredths(9, 64, 64, 192, 192), 0);
  EXPECT_EQ(bsr_addmm::sparsityInHundredths(0, 64, 64, 0, 192), 0);
  // More blocks than the matrix has, as where no row refers to some.
  EXPECT_EQ(bsr_addmm::sparsityInHundredths(20, 64, 64, 192, 192), 0);
  // Products of sizes above 2^63.
  EXPECT_EQ(bsr_addmm::sparsityInHundredths(int64_t(1) << 50, 1 << 10, 1 << 10,
                                            int64_t(1) << 36, int64_t(1) << 36),
            75);
}
