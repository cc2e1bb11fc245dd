//===- MemoryPool.h - Memory in the order of a stream -----------*- C++ -*-===//

#ifndef SATTN_RUNTIME_MEMORYPOOL_H
#define SATTN_RUNTIME_MEMORYPOOL_H

#include "sattn/Runtime/Device.h"

namespace sattn::runtime {

/// Memory that is allocated and freed in the order of a stream's work, so that
/// neither waits, and both work while the stream is captured into a graph.
/// Freed memory is kept for later allocations: the driver's own pool would
/// return it to the system at every synchronization.
class MemoryPool {
public:
  static ErrorOr<MemoryPool> create(const Device &device);

  MemoryPool(MemoryPool &&other) noexcept;
  MemoryPool &operator=(MemoryPool &&other) noexcept;
  /// Leaves memory that is not freed yet until it is freed.
  ~MemoryPool();

  /// Memory for work that follows on `stream`, aligned to 256 bytes; null for 0
  /// bytes. If memory is short, the error has the requested bytes. The device's
  /// context is current.
  ErrorOr<void *> allocate(size_t bytes, CUstream stream) const;

  /// Gives memory back after the work that `stream` has so far. Null is fine.
  Error release(void *memory, CUstream stream) const;

private:
  explicit MemoryPool(const Device &device) : device(&device) {}

  const Device *device;
  CUmemoryPool pool = nullptr;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_MEMORYPOOL_H
