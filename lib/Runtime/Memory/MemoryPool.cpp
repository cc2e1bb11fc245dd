//===- MemoryPool.cpp - Memory in the order of a stream -------------------===//

#include "sattn/Runtime/MemoryPool.h"
#include "sattn/Runtime/Text.h"

#include <limits>

using namespace sattn::runtime;

ErrorOr<MemoryPool> MemoryPool::create(const Device &device) {
  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device.driver();
  MemoryPool result(device);
  cuda::MemPoolProperties properties;
  properties.allocationType = cuda::memAllocationTypePinned;
  properties.locationType = cuda::memLocationTypeDevice;
  properties.locationId = device.ordinal();
  if (Error err = driver.check(driver.memPoolCreate(&result.pool, &properties),
                               "cuMemPoolCreate"))
    return err;
  uint64_t keepAll = std::numeric_limits<uint64_t>::max();
  if (Error err = driver.check(
          driver.memPoolSetAttribute(result.pool, cuda::memPoolReleaseThreshold,
                                     &keepAll),
          "cuMemPoolSetAttribute"))
    return err;
  return result;
}

MemoryPool::MemoryPool(MemoryPool &&other) noexcept
    : device(other.device), pool(std::exchange(other.pool, nullptr)) {}

MemoryPool &MemoryPool::operator=(MemoryPool &&other) noexcept {
  std::swap(device, other.device);
  std::swap(pool, other.pool);
  return *this;
}

MemoryPool::~MemoryPool() {
  if (!pool)
    return;
  CurrentContext current(*device);
  device->driver().memPoolDestroy(pool);
}

ErrorOr<void *> MemoryPool::allocate(size_t bytes, CUstream stream) const {
  if (bytes == 0)
    return static_cast<void *>(nullptr);
  const CudaDriver &driver = device->driver();
  CUdeviceptr pointer = 0;
  CUresult result = driver.memAllocFromPoolAsync(&pointer, bytes, pool, stream);
  if (result == cuda::errorOutOfMemory)
    return makeError("out of device memory: could not allocate ", bytes,
                     " bytes of scratch on ", device->describe());
  if (Error err = driver.check(result, "cuMemAllocFromPoolAsync"))
    return err;
  return reinterpret_cast<void *>(pointer);
}

Error MemoryPool::release(void *memory, CUstream stream) const {
  if (!memory)
    return Error::success();
  const CudaDriver &driver = device->driver();
  return driver.check(
      driver.memFreeAsync(reinterpret_cast<CUdeviceptr>(memory), stream),
      "cuMemFreeAsync");
}
