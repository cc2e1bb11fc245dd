//===- TensorMap.cpp - Tensor maps that the driver encodes ----------------===//

#include "sattn/Runtime/TensorMap.h"
#include "sattn/Runtime/Text.h"

using namespace sattn::runtime;

// CUtensorMapInterleave, CUtensorMapL2promotion, CUtensorMapFloatOOBfill.
constexpr int interleaveNone = 0;
constexpr int l2Promotion256B = 3;
constexpr int outOfBoundsZero = 0;

ErrorOr<TensorMap>
sattn::runtime::encodeTensorMap(const CudaDriver &driver,
                                const std::string &name,
                                const TensorMapFields &fields) {
  TensorMap map;
  if (!fields.address)
    return map;
  const uint32_t elementStrides[5] = {1, 1, 1, 1, 1};
  CUresult result = driver.tensorMapEncodeTiled(
      map.bytes, fields.dataType, fields.rank, fields.address, fields.extents,
      fields.strides, fields.box, elementStrides, interleaveNone,
      fields.swizzle, l2Promotion256B, outOfBoundsZero);
  if (result != cuda::success)
    return makeError(
        name, ": cuTensorMapEncodeTiled failed: ", driver.describe(result));
  return map;
}

size_t TensorMapCache::Hash::operator()(const TensorMapFields &fields) const {
  // Addresses differ most, then extents; boxes follow from the program.
  uint64_t hash = reinterpret_cast<uintptr_t>(fields.address);
  for (uint32_t i = 0; i < fields.rank; ++i)
    hash = hash * 0x9e3779b97f4a7c15 + fields.extents[i];
  hash = hash * 0x9e3779b97f4a7c15 + fields.strides[0] + fields.box[0];
  return size_t(hash ^ hash >> 32);
}

ErrorOr<TensorMap> TensorMapCache::get(const CudaDriver &driver,
                                       const std::string &name,
                                       const TensorMapFields &fields) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = maps.find(fields);
    if (found != maps.end())
      return found->second;
  }
  // Two threads may encode the same map; both results are the same.
  ErrorOr<TensorMap> map = encodeTensorMap(driver, name, fields);
  if (!map)
    return map;
  std::lock_guard<std::mutex> lock(mutex);
  if (!maps.emplace(fields, *map).second)
    return map;
  if (order.size() < capacity) {
    order.push_back(fields);
  } else {
    maps.erase(order[oldest]);
    order[oldest] = fields;
    oldest = (oldest + 1) % capacity;
  }
  return map;
}
