//===- ScratchMemory.h - Device memory for the time of a call ---*- C++ -*-===//

#ifndef SATTN_RUNTIME_SCRATCHMEMORY_H
#define SATTN_RUNTIME_SCRATCHMEMORY_H

#include "sattn/Runtime/CudaDriver.h"

#include <map>
#include <mutex>

namespace sattn::runtime {

class Device;
class MemoryPool;

/// The scratch memory that a call needs, in bytes.
struct ScratchBytes {
  /// Memory with any contents, a multiple of 256.
  size_t unset = 0;
  /// Memory that is zero when the call begins.
  size_t zero = 0;
  /// Memory that is zero when the call begins, and again when it ends.
  size_t leftZero = 0;
};

/// Memory of a device for the scratch of calls. A stream keeps what its calls
/// need: since its work is done in order, one call may use the memory of the
/// call before it, of any program, and a call costs neither an allocation nor,
/// most of the time, a fill. Zeros are taken from a piece that is filled once
/// for many calls; what a call leaves zero, is never filled again.
///
/// If that would be wrong, memory is allocated in the order of the stream and
/// freed after the call: while the stream is captured, since the graph may run
/// beside the stream's later calls; on the stream of each thread, whose handle
/// is that of many streams; for more than `keptBytes`; and on streams past the
/// first `keptStreams`. Streams are told apart by their number, which is never
/// used again, as a handle is.
///
/// A captured call has its own memory that it leaves zero, and keeps it for
/// ever, since its graph may run at any time: out of `slotBytes`, which are
/// filled once. Two
/// executable graphs of one capture have the same, and must not run at one time
/// (they would write the same results, too). A call that finds no more
/// allocates and fills.
///
/// A kernel that begins before the one in front of it in the stream has ended
/// touches no scratch before it has waited for that one
/// (wgtile-overlap-launches).
class ScratchMemory {
public:
  static constexpr size_t keptBytes = size_t(64) << 20;
  static constexpr size_t keptStreams = 64;
  /// Bytes of zeros that one fill makes.
  static constexpr size_t zerosBytes = size_t(64) << 10;
  /// Bytes of what calls leave zero, for all calls; their alignment; and bytes
  /// of them that a stream takes at once, which are held back for each.
  static constexpr size_t slotBytes = size_t(2) << 20;
  static constexpr size_t leftZeroAlignment = 32;
  static constexpr size_t streamSlotBytes = 256;

  explicit ScratchMemory(const Device &device);
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory &) = delete;
  ScratchMemory &operator=(const ScratchMemory &) = delete;

private:
  /// The memory of one stream. Locked from the first command of a call that
  /// uses it to the last, since calls of two threads must not mix.
  struct Kept {
    std::mutex mutex;
    CUdeviceptr unset = 0, zeros = 0, leftZeros = 0;
    size_t unsetBytes = 0, leftZeroBytes = 0;
    /// Bytes of `zeros` that calls have used; at zerosBytes none are left.
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
    void *leftZeros() const { return reinterpret_cast<void *>(leftZeroMemory); }

    /// Releases the memory, after the call's last command.
    Error release();

  private:
    friend class ScratchMemory;
    Piece() = default;

    CUdeviceptr unsetMemory = 0, zeroMemory = 0, leftZeroMemory = 0;
    /// Set where the memory is not kept.
    const MemoryPool *pool = nullptr;
    CUdeviceptr allocated = 0;
    CUstream stream = nullptr;
    std::unique_lock<std::mutex> lock;
  };

  /// Memory for work that follows on `stream`, aligned to 256 bytes, and to
  /// `leftZeroAlignment` where it is left zero. If memory is short, the error
  /// has the requested bytes. The device's context is current. May be called
  /// from several threads.
  ErrorOr<Piece> take(const ScratchBytes &bytes, CUstream stream);

  /// Makes sure of the pool that memory comes from, which the first `take` does
  /// otherwise. `leavesZeros`: and of what calls leave zero, for which it
  /// waits; if there is no memory for that, calls fill their own. The device's
  /// context is current.
  Error open(bool leavesZeros = false);

private:
  Kept *keptBy(CUstream stream);
  Error takeKept(Kept &kept, Piece &piece, size_t unsetBytes,
                 size_t zeroBytes) const;
  void openSlots();
  CUdeviceptr takeSlot(size_t bytes, size_t heldBack);
  CUdeviceptr keptSlot(Kept &kept, size_t bytes);

  const Device &device;
  std::mutex mutex;
  std::unique_ptr<MemoryPool> pool;
  std::map<unsigned long long, Kept> streams;
  CUdeviceptr slots = 0;
  size_t slotsUsed = 0;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_SCRATCHMEMORY_H
