//===- ScratchMemoryTest.cpp - Device memory for the time of a call -------===//

#include "sattn/Runtime/ScratchMemory.h"
#include "StubCuda.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

using namespace sattn::runtime;

namespace {

class ScratchMemoryTest : public StubCudaTest {
protected:
  ScratchMemoryTest() : current(*device) {}

  /// Takes memory for one call and gives it back; null where that fails.
  std::pair<char *, char *> use(size_t unset, size_t zeros,
                                uintptr_t stream = 0) {
    ErrorOr<ScratchMemory::Piece> piece = device->scratch().take(
        {unset, zeros, 0}, reinterpret_cast<CUstream>(stream));
    EXPECT_TRUE(bool(piece)) << messageOf(piece);
    if (!piece)
      return {};
    auto *first = static_cast<char *>(piece->unset());
    auto *second = static_cast<char *>(piece->zeros());
    EXPECT_TRUE(std::all_of(second, second + zeros,
                            [](char byte) { return byte == 0; }));
    // A kernel leaves arbitrary bytes.
    std::fill_n(first, unset, char(1));
    std::fill_n(second, zeros, char(1));
    EXPECT_EQ(messageOf(piece->release()), "<success>");
    return {first, second};
  }

  /// The same of memory that the call leaves zero.
  char *leaveZero(size_t bytes, uintptr_t stream = 0) {
    ErrorOr<ScratchMemory::Piece> piece = device->scratch().take(
        {0, 0, bytes}, reinterpret_cast<CUstream>(stream));
    EXPECT_TRUE(bool(piece)) << messageOf(piece);
    if (!piece)
      return nullptr;
    auto *memory = static_cast<char *>(piece->leftZeros());
    EXPECT_TRUE(std::all_of(memory, memory + bytes,
                            [](char byte) { return byte == 0; }));
    EXPECT_EQ(messageOf(piece->release()), "<success>");
    return memory;
  }

  /// As the load of a program does that leaves zeros.
  void openSlots() {
    EXPECT_EQ(messageOf(device->scratch().open(/*leavesZeros=*/true)),
              "<success>");
  }

  CurrentContext current;
};

} // namespace

TEST_F(ScratchMemoryTest, AStreamKeepsItsMemory) {
  auto first = use(1024, 16, 0x100), second = use(512, 300, 0x100);
  EXPECT_EQ(first.first, second.first);
  EXPECT_NE(first.second, second.second);
  EXPECT_EQ(logged("scratch").size(), 2u);
  EXPECT_EQ(logged("set").size(), 1u);
  // Another stream has its own.
  auto other = use(1024, 16, 0x200);
  EXPECT_NE(first.first, other.first);
  EXPECT_NE(first.second, other.second);
  EXPECT_EQ(logged("scratch").size(), 4u);
  EXPECT_TRUE(logged("free-scratch").empty());
}

TEST_F(ScratchMemoryTest, MemoryGrows) {
  use(1024, 0);
  use(size_t(1) << 20, 0);
  ASSERT_EQ(logged("scratch").size(), 2u);
  EXPECT_TRUE(contains(logged("scratch")[1], "scratch 1048576 at"));
  EXPECT_EQ(logged("free-scratch").size(), 1u);
  use(size_t(1) << 19, 0);
  EXPECT_EQ(logged("scratch").size(), 2u);
}

TEST_F(ScratchMemoryTest, OneFillServesManyCalls) {
  // `use` looks whether each has zeros.
  size_t calls = ScratchMemory::zerosBytes / 256;
  for (size_t i = 0; i < calls; ++i)
    use(0, 4);
  EXPECT_EQ(logged("set").size(), 1u);
  use(0, 4);
  EXPECT_EQ(logged("set").size(), 2u);
}

TEST_F(ScratchMemoryTest, AFillThatFailedIsDoneAgain) {
  use(0, ScratchMemory::zerosBytes);
  {
    ScopedVariable fail{"STUB_CUDA_FAIL", "cuMemsetD8Async:1"};
    EXPECT_TRUE(contains(messageOf(device->scratch().take({0, 4, 0}, nullptr)),
                         "cuMemsetD8Async failed"));
  }
  use(0, 4);
}

TEST_F(ScratchMemoryTest, NothingIsKeptWhereThatWouldBeWrong) {
  use(1024, 16);
  size_t allocated = logged("scratch").size();
  auto isOwn = [&](size_t unset, size_t zeros, uintptr_t stream) {
    size_t before = logged("free-scratch").size();
    use(unset, zeros, stream);
    return logged("scratch").size() == ++allocated &&
           logged("free-scratch").size() == before + 1;
  };
  {
    ScopedVariable capture{"STUB_CUDA_CAPTURE", "1"};
    EXPECT_TRUE(isOwn(1024, 16, 0));
    EXPECT_TRUE(contains(logged("set").back(), "set 16 to 0"));
  }
  for (const char *failure : {"cuStreamIsCapturing:906", "cuStreamGetId:1"}) {
    ScopedVariable fail{"STUB_CUDA_FAIL", failure};
    EXPECT_TRUE(isOwn(1024, 16, 0x100)) << failure;
  }
  // CU_STREAM_PER_THREAD.
  EXPECT_TRUE(isOwn(1024, 16, 2));
  EXPECT_TRUE(isOwn(ScratchMemory::keptBytes + 256, 0, 0));
  EXPECT_TRUE(isOwn(0, ScratchMemory::zerosBytes + 1, 0));
  for (size_t i = 1; i < ScratchMemory::keptStreams; ++i)
    use(256, 0, 0x1000 * i);
  allocated = logged("scratch").size();
  EXPECT_TRUE(isOwn(256, 0, 0x999));
}

TEST_F(ScratchMemoryTest, CallsOfTwoThreadsDoNotMix) {
  constexpr int threadCount = 4, callCount = 300;
  std::vector<int> mixed(threadCount);
  std::vector<std::thread> threads;
  threads.reserve(threadCount);
  for (int thread = 0; thread < threadCount; ++thread)
    threads.emplace_back([&, thread] {
      CurrentContext own(*device);
      for (int i = 0; i < callCount; ++i) {
        ErrorOr<ScratchMemory::Piece> piece = device->scratch().take(
            {256, 4, 0}, reinterpret_cast<CUstream>(0x100));
        ASSERT_TRUE(bool(piece)) << messageOf(piece);
        auto *unset = static_cast<volatile int *>(piece->unset());
        *unset = thread;
        std::this_thread::sleep_for(std::chrono::microseconds(10));
        mixed[thread] += *unset != thread;
        mixed[thread] += *static_cast<int *>(piece->zeros()) != 0;
        *static_cast<int *>(piece->zeros()) = 1;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(mixed, std::vector<int>(threadCount));
  EXPECT_EQ(logged("scratch").size(), 2u);
}

TEST_F(ScratchMemoryTest, OutOfMemorySaysHowMuch) {
  ScopedVariable memory{"STUB_CUDA_MEMORY", "100000"};
  EXPECT_TRUE(
      contains(messageOf(device->scratch().take({100096, 0, 0}, nullptr)),
               "out of device memory: could not allocate 131072 bytes "
               "of scratch on device 0 'Stub GPU'"));
  // It is not taken for kept memory afterwards.
  ScopedVariable more{"STUB_CUDA_MEMORY", "1000000"};
  use(100096, 0);
}

TEST_F(ScratchMemoryTest, WhatAStreamLeavesZeroIsFilledOnce) {
  openSlots();
  EXPECT_EQ(logged("set").size(), 1u);
  char *first = leaveZero(4, 0x100);
  for (size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(leaveZero(4, 0x100), first);
  EXPECT_EQ(leaveZero(40, 0x100), first);
  EXPECT_NE(leaveZero(4, 0x200), first);
  EXPECT_EQ(logged("set").size(), 1u);
  EXPECT_TRUE(logged("scratch").empty());
  // More than the stream has: others, of which it keeps the last.
  char *large = leaveZero(1000, 0x100);
  EXPECT_NE(large, first);
  EXPECT_EQ(leaveZero(4, 0x100), large);
}

TEST_F(ScratchMemoryTest, ACapturedCallHasItsZerosForEver) {
  openSlots();
  std::set<char *> seen{leaveZero(4)};
  ScopedVariable capture{"STUB_CUDA_CAPTURE", "global"};
  for (size_t i = 0; i < 1000; ++i) {
    char *memory = leaveZero(4);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) %
                  ScratchMemory::leftZeroAlignment,
              0u);
    EXPECT_TRUE(seen.insert(memory).second);
  }
  EXPECT_EQ(logged("set").size(), 1u);
  EXPECT_TRUE(logged("scratch").empty());
}

TEST_F(ScratchMemoryTest, ZerosMayBeMadeDuringACapture) {
  ScopedVariable capture{"STUB_CUDA_CAPTURE", "global"};
  openSlots();
  leaveZero(4);
  EXPECT_TRUE(logged("scratch").empty());
  // The thread has its own mode again.
  CUdeviceptr memory = 0;
  EXPECT_NE(device->driver().memAlloc(&memory, 4), cuda::success);
}

TEST_F(ScratchMemoryTest, CapturesLeaveZerosForStreams) {
  openSlots();
  {
    ScopedVariable capture{"STUB_CUDA_CAPTURE", "1"};
    size_t most = ScratchMemory::slotBytes -
                  ScratchMemory::keptStreams * ScratchMemory::streamSlotBytes;
    leaveZero(most - 32);
    EXPECT_TRUE(logged("scratch").empty());
    leaveZero(32);
    EXPECT_TRUE(logged("scratch").empty());
    // Then each fills its own, as without the zeros.
    leaveZero(32);
    EXPECT_EQ(logged("scratch").size(), 1u);
    EXPECT_EQ(logged("free-scratch").size(), 1u);
    EXPECT_EQ(logged("set").back(), "set 32 to 0");
  }
  for (size_t i = 0; i < ScratchMemory::keptStreams; ++i)
    leaveZero(4, 0x1000 * i);
  EXPECT_EQ(logged("scratch").size(), 1u);
}

TEST_F(ScratchMemoryTest, WithoutRoomCallsFillWhatTheyLeaveZero) {
  for (const char *failure : {"cuMemAlloc_v2:2", "cuMemsetD8Async:1",
                              "cuStreamCreate:2", "cuStreamSynchronize:1"}) {
    ScopedVariable fail{"STUB_CUDA_FAIL", failure};
    openSlots();
  }
  size_t fills = logged("set").size();
  // Out of the stream's zeros, of which none is used twice.
  char *first = leaveZero(4), *second = leaveZero(4);
  EXPECT_NE(first, second);
  EXPECT_EQ(logged("set").size(), fills + 1);
  {
    ScopedVariable capture{"STUB_CUDA_CAPTURE", "1"};
    ErrorOr<ScratchMemory::Piece> piece =
        device->scratch().take({256, 4, 4}, nullptr);
    ASSERT_TRUE(bool(piece)) << messageOf(piece);
    auto *unset = static_cast<char *>(piece->unset());
    EXPECT_EQ(piece->zeros(), unset + 256);
    EXPECT_EQ(piece->leftZeros(), unset + 512);
    EXPECT_EQ(logged("set").back(), "set 260 to 0");
  }
  // A later load finds room.
  openSlots();
  fills = logged("set").size();
  leaveZero(4);
  EXPECT_EQ(logged("set").size(), fills);
}
