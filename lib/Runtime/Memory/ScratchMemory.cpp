//===- ScratchMemory.cpp - Device memory for the time of a call -----------===//

#include "sattn/Runtime/ScratchMemory.h"

#include "sattn/Runtime/MemoryPool.h"

#include <algorithm>
#include <limits>

using namespace sattn::runtime;

namespace {

constexpr size_t alignment = 256;
/// The unit of a stream's memory, which is a multiple of it so that it seldom
/// grows.
constexpr size_t unitBytes = size_t(64) << 10;

/// The stream handle CU_STREAM_PER_THREAD.
CUstream perThreadStream() { return reinterpret_cast<CUstream>(uintptr_t(2)); }

size_t roundUp(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

} // namespace

//===----------------------------------------------------------------------===//
// Piece
//===----------------------------------------------------------------------===//

ScratchMemory::Piece::Piece(Piece &&other) noexcept
    : unsetMemory(other.unsetMemory), zeroMemory(other.zeroMemory),
      leftZeroMemory(other.leftZeroMemory), pool(other.pool),
      allocated(std::exchange(other.allocated, 0)), stream(other.stream),
      lock(std::move(other.lock)) {}

ScratchMemory::Piece::~Piece() {
  if (Error err = release()) {
    // The call failed for another reason, which its caller knows.
  }
}

Error ScratchMemory::Piece::release() {
  if (lock)
    lock.unlock();
  CUdeviceptr memory = std::exchange(allocated, 0);
  if (!memory)
    return Error::success();
  return pool->release(reinterpret_cast<void *>(memory), stream);
}

//===----------------------------------------------------------------------===//
// ScratchMemory
//===----------------------------------------------------------------------===//

ScratchMemory::ScratchMemory(const Device &device) : device(device) {}

ScratchMemory::~ScratchMemory() {
  if (streams.empty() && !slots)
    return;
  CurrentContext current(device);
  const CudaDriver &driver = device.driver();
  // Memory of a pool is given back at once, whoever still uses it.
  driver.ctxSynchronize();
  for (auto &[id, kept] : streams)
    for (CUdeviceptr memory : {kept.unset, kept.zeros})
      if (memory)
        driver.memFree(memory);
  if (slots)
    driver.memFree(slots);
}

Error ScratchMemory::open(bool leavesZeros) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!pool) {
    ErrorOr<MemoryPool> made = MemoryPool::create(device);
    if (!made)
      return made.takeError();
    pool = std::make_unique<MemoryPool>(std::move(*made));
  }
  if (leavesZeros && !slots)
    openSlots();
  return Error::success();
}

/// Allocates zeros on a stream of its own, since others may be captured.
void ScratchMemory::openSlots() {
  const CudaDriver &driver = device.driver();
  RelaxedCapture relaxed(driver);
  CUstream stream = nullptr;
  CUdeviceptr memory = 0;
  if (driver.streamCreate(&stream, cuda::streamNonBlocking) != cuda::success)
    return;
  if (driver.memAlloc(&memory, slotBytes) == cuda::success) {
    if (driver.memsetD8Async(memory, 0, slotBytes, stream) == cuda::success &&
        driver.streamSynchronize(stream) == cuda::success)
      slots = memory;
    else
      driver.memFree(memory);
  }
  driver.streamDestroy(stream);
}

/// Memory that is zero, for ever; none if only `heldBack` bytes are left.
CUdeviceptr ScratchMemory::takeSlot(size_t bytes, size_t heldBack) {
  std::lock_guard<std::mutex> lock(mutex);
  bytes = roundUp(bytes, leftZeroAlignment);
  if (!slots || bytes > slotBytes - heldBack ||
      slotsUsed > slotBytes - heldBack - bytes)
    return 0;
  CUdeviceptr slot = slots + slotsUsed;
  slotsUsed += bytes;
  return slot;
}

/// The memory that the calls on a stream leave zero: the same for all of them.
CUdeviceptr ScratchMemory::keptSlot(Kept &kept, size_t bytes) {
  if (bytes <= kept.leftZeroBytes)
    return kept.leftZeros;
  size_t room = roundUp(bytes, streamSlotBytes);
  CUdeviceptr slot = takeSlot(room, /*heldBack=*/0);
  if (slot) {
    kept.leftZeros = slot;
    kept.leftZeroBytes = room;
  }
  return slot;
}

/// The memory of a stream that is not captured, or null if it must not keep
/// any.
ScratchMemory::Kept *ScratchMemory::keptBy(CUstream stream) {
  // The default stream is one for ever, and so needs no number.
  unsigned long long id = std::numeric_limits<unsigned long long>::max();
  if (stream == perThreadStream() ||
      (stream && device.driver().streamGetId(stream, &id) != cuda::success))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = streams.find(id);
  if (found != streams.end())
    return &found->second;
  return streams.size() < keptStreams ? &streams[id] : nullptr;
}

Error ScratchMemory::takeKept(Kept &kept, Piece &piece, size_t unsetBytes,
                              size_t zeroBytes) const {
  if (unsetBytes > kept.unsetBytes) {
    size_t bytes = roundUp(unsetBytes, unitBytes);
    ErrorOr<void *> memory = pool->allocate(bytes, piece.stream);
    if (!memory)
      return memory.takeError();
    Error released =
        pool->release(reinterpret_cast<void *>(kept.unset), piece.stream);
    kept.unset = reinterpret_cast<CUdeviceptr>(*memory);
    kept.unsetBytes = bytes;
    if (released)
      return released;
  }
  piece.unsetMemory = kept.unset;
  if (zeroBytes == 0)
    return Error::success();
  if (!kept.zeros) {
    ErrorOr<void *> memory = pool->allocate(zerosBytes, piece.stream);
    if (!memory)
      return memory.takeError();
    kept.zeros = reinterpret_cast<CUdeviceptr>(*memory);
  }
  if (kept.zerosUsed + zeroBytes > zerosBytes) {
    // The calls that used them come before in the stream.
    const CudaDriver &driver = device.driver();
    if (Error err = driver.check(
            driver.memsetD8Async(kept.zeros, 0, zerosBytes, piece.stream),
            "cuMemsetD8Async"))
      return err;
    kept.zerosUsed = 0;
  }
  piece.zeroMemory = kept.zeros + kept.zerosUsed;
  kept.zerosUsed += zeroBytes;
  return Error::success();
}

ErrorOr<ScratchMemory::Piece> ScratchMemory::take(const ScratchBytes &bytes,
                                                  CUstream stream) {
  if (Error err = open())
    return err;
  const CudaDriver &driver = device.driver();
  Piece piece;
  piece.stream = stream;
  // A failure shows in the call's own commands.
  int capture = cuda::streamCaptureNone;
  bool isKnown = driver.streamIsCapturing(stream, &capture) == cuda::success;
  bool isCaptured = isKnown && capture != cuda::streamCaptureNone;
  size_t zeroRoom = roundUp(bytes.zero, alignment);
  size_t leftZeroRoom = roundUp(bytes.leftZero, alignment);
  Kept *kept = nullptr;
  // A captured stream has no number.
  if (isKnown && !isCaptured && bytes.unset <= keptBytes &&
      zeroRoom + leftZeroRoom <= zerosBytes)
    kept = keptBy(stream);
  if (kept)
    piece.lock = std::unique_lock<std::mutex>(kept->mutex);
  if (bytes.leftZero > 0 && kept)
    piece.leftZeroMemory = keptSlot(*kept, bytes.leftZero);
  else if (bytes.leftZero > 0 && isCaptured)
    piece.leftZeroMemory =
        takeSlot(bytes.leftZero, keptStreams * streamSlotBytes);
  bool fillsLeftZero = bytes.leftZero > 0 && !piece.leftZeroMemory;
  if (fillsLeftZero)
    zeroRoom += leftZeroRoom;
  if (kept) {
    if (Error err = takeKept(*kept, piece, bytes.unset, zeroRoom))
      return err;
  } else if (bytes.unset + zeroRoom > 0) {
    piece.pool = pool.get();
    ErrorOr<void *> memory = pool->allocate(bytes.unset + zeroRoom, stream);
    if (!memory)
      return memory.takeError();
    piece.allocated = reinterpret_cast<CUdeviceptr>(*memory);
    piece.unsetMemory = piece.allocated;
    piece.zeroMemory = piece.allocated + bytes.unset;
    size_t zeros =
        fillsLeftZero ? zeroRoom - leftZeroRoom + bytes.leftZero : bytes.zero;
    if (zeros > 0)
      if (Error err = driver.check(
              driver.memsetD8Async(piece.zeroMemory, 0, zeros, stream),
              "cuMemsetD8Async"))
        return err;
  }
  if (fillsLeftZero)
    piece.leftZeroMemory = piece.zeroMemory + zeroRoom - leftZeroRoom;
  return piece;
}
