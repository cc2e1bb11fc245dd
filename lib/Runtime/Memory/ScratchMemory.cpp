//===- ScratchMemory.cpp - Device memory for the time of a call -----------===//

#include "sattn/Runtime/ScratchMemory.h"

#include "sattn/Runtime/MemoryPool.h"

#include <algorithm>
#include <limits>

using namespace sattn::runtime;

namespace {

constexpr size_t alignment = 256;
/// The memory of a stream is a multiple of this, so that it seldom grows.
constexpr size_t unitBytes = size_t(64) << 10;

/// CU_STREAM_PER_THREAD.
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
      pool(other.pool), allocated(std::exchange(other.allocated, 0)),
      stream(other.stream), lock(std::move(other.lock)) {}

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
  if (streams.empty())
    return;
  CurrentContext current(device);
  const CudaDriver &driver = device.driver();
  // Memory of a pool is given back at once, whoever still uses it.
  driver.ctxSynchronize();
  for (auto &[id, kept] : streams)
    for (CUdeviceptr memory : {kept.unset, kept.zeros})
      if (memory)
        driver.memFree(memory);
}

Error ScratchMemory::open() {
  std::lock_guard<std::mutex> lock(mutex);
  if (pool)
    return Error::success();
  ErrorOr<MemoryPool> made = MemoryPool::create(device);
  if (!made)
    return made.takeError();
  pool = std::make_unique<MemoryPool>(std::move(*made));
  return Error::success();
}

/// The memory of the stream, or null if it must not keep any.
ScratchMemory::Kept *ScratchMemory::keptBy(CUstream stream, size_t bytes) {
  const CudaDriver &driver = device.driver();
  int capture = 0;
  // The default stream is one for ever, and so needs no number.
  unsigned long long id = std::numeric_limits<unsigned long long>::max();
  // A captured stream has no number. Other failures show in the call's own
  // commands.
  if (bytes > keptBytes || stream == perThreadStream() ||
      driver.streamIsCapturing(stream, &capture) != cuda::success ||
      capture != cuda::streamCaptureNone ||
      (stream && driver.streamGetId(stream, &id) != cuda::success))
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

ErrorOr<ScratchMemory::Piece>
ScratchMemory::take(size_t unsetBytes, size_t zeroBytes, CUstream stream) {
  if (Error err = open())
    return err;
  Piece piece;
  piece.stream = stream;
  size_t zeroRoom = roundUp(zeroBytes, alignment);
  Kept *kept = zeroRoom <= zerosBytes
                   ? keptBy(stream, std::max(unsetBytes, zeroRoom))
                   : nullptr;
  if (kept) {
    piece.lock = std::unique_lock<std::mutex>(kept->mutex);
    if (Error err = takeKept(*kept, piece, unsetBytes, zeroRoom))
      return err;
    return piece;
  }
  piece.pool = pool.get();
  ErrorOr<void *> memory = pool->allocate(unsetBytes + zeroRoom, stream);
  if (!memory)
    return memory.takeError();
  piece.allocated = reinterpret_cast<CUdeviceptr>(*memory);
  piece.unsetMemory = piece.allocated;
  piece.zeroMemory = piece.allocated + unsetBytes;
  const CudaDriver &driver = device.driver();
  if (zeroBytes > 0)
    if (Error err = driver.check(
            driver.memsetD8Async(piece.zeroMemory, 0, zeroBytes, stream),
            "cuMemsetD8Async"))
      return err;
  return piece;
}
