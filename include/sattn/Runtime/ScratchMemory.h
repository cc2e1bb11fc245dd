//===- ScratchMemory.h - Device memory for the time of a call ---*- C++ -*-===//

#ifndef SATTN_RUNTIME_SCRATCHMEMORY_H
#define SATTN_RUNTIME_SCRATCHMEMORY_H

#include "sattn/Runtime/CudaDriver.h"

#include <map>
#include <mutex>

namespace sattn::runtime {

class Device;
class MemoryPool;

/// Memory of a device for the scratch of calls. A stream keeps what its calls
/// need: since its work is done in order, one call may use the memory of the
/// call before it, of any program, and a call costs neither an allocation nor,
/// most of the time, a fill. Zeros are taken from a piece that is filled once
/// for many calls.
///
/// If that would be wrong, memory is allocated in the order of the stream and
/// freed after the call: while the stream is captured, since the graph may run
/// beside the stream's later calls; on the stream of each thread, whose handle
/// is that of many streams; for more than `keptBytes`; and on streams past the
/// first `keptStreams`. Streams are told apart by their number, which is never
/// used again, as a handle is.
///
/// Nothing here knows of kernels that begin before the one in front of them in
/// the stream has ended: the runtime launches none.
class ScratchMemory {
public:
  static constexpr size_t keptBytes = size_t(64) << 20;
  static constexpr size_t keptStreams = 64;
  /// Bytes of zeros that one fill makes.
  static constexpr size_t zerosBytes = size_t(64) << 10;

  explicit ScratchMemory(const Device &device);
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory &) = delete;
  ScratchMemory &operator=(const ScratchMemory &) = delete;

private:
  /// The memory of one stream. Locked from the first command of a call that
  /// uses it to the last, since calls of two threads must not mix.
  struct Kept {
    std::mutex mutex;
    CUdeviceptr unset = 0, zeros = 0;
    size_t unsetBytes = 0;
    /// Of `zeros`; none are left where this is zerosBytes.
    size_t zerosUsed = zerosBytes;
  };

public:
  /// Memory of one call.
  class Piece {
  public:
    Piece(Piece &&other) noexcept;
    Piece &operator=(Piece &&) = delete;
    /// Gives back what `release` has not.
    ~Piece();

    void *unset() const { return reinterpret_cast<void *>(unsetMemory); }
    void *zeros() const { return reinterpret_cast<void *>(zeroMemory); }

    /// After the call's last command.
    Error release();

  private:
    friend class ScratchMemory;
    Piece() = default;

    CUdeviceptr unsetMemory = 0, zeroMemory = 0;
    /// Set where the memory is not kept.
    const MemoryPool *pool = nullptr;
    CUdeviceptr allocated = 0;
    CUstream stream = nullptr;
    std::unique_lock<std::mutex> lock;
  };

  /// Memory for work that follows on `stream`: `unsetBytes` of any contents,
  /// which is a multiple of 256, and `zeroBytes` of zeros; each aligned to 256
  /// bytes. If memory is short, the error has the requested bytes. The device's
  /// context is current. May be called from several threads.
  ErrorOr<Piece> take(size_t unsetBytes, size_t zeroBytes, CUstream stream);

  /// Makes sure of the pool that memory comes from, which the first `take` does
  /// otherwise.
  Error open();

private:
  Kept *keptBy(CUstream stream, size_t bytes);
  Error takeKept(Kept &kept, Piece &piece, size_t unsetBytes,
                 size_t zeroBytes) const;

  const Device &device;
  std::mutex mutex;
  std::unique_ptr<MemoryPool> pool;
  std::map<unsigned long long, Kept> streams;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_SCRATCHMEMORY_H
