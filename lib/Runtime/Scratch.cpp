//===- Scratch.cpp - Scratch arrays of a call -----------------------------===//

#include "Scratch.h"

#include "Text.h"

using namespace sattn::runtime;

/// What cuMemAlloc gives, so that every array is aligned as if it were alone.
static constexpr int64_t alignment = 256;

ErrorOr<ScratchLayout> ScratchLayout::create(const Manifest &manifest,
                                             const std::vector<int64_t> &values,
                                             const std::vector<bool> &wanted) {
  ScratchLayout layout;
  int64_t total = 0;
  for (size_t i = 0; i < manifest.scratch.size(); ++i) {
    const ScratchSpec &spec = manifest.scratch[i];
    std::vector<int64_t> shape;
    int64_t bytes = byteWidth(spec.type);
    bool fits = true;
    for (size_t size : spec.sizes) {
      shape.push_back(values[size]);
      fits &= values[size] >= 0 &&
              !__builtin_mul_overflow(bytes, values[size], &bytes);
    }
    if (wanted[i] && fits) {
      layout.offsets.push_back(size_t(total));
      fits = !__builtin_add_overflow(total, bytes, &total) &&
             !__builtin_add_overflow(total, alignment - 1, &total);
      total = total / alignment * alignment;
    } else {
      layout.offsets.push_back(std::nullopt);
    }
    if (!fits)
      return makeError("program '", manifest.name, "': expected scratch[", i,
                       "] of a size that fits in memory, but got shape ",
                       listText(shape), " of ", name(spec.type));
    layout.arrays.push_back(rowMajorView(nullptr, spec.type, std::move(shape)));
  }
  layout.bytes = size_t(total);
  return layout;
}

Error ScratchLayout::clear(const Manifest &manifest, const CudaDriver &driver,
                           CUstream stream) const {
  for (size_t i = 0; i < arrays.size(); ++i) {
    size_t bytes = arrays[i].numElements() * byteWidth(arrays[i].dtype);
    if (!offsets[i] || !manifest.scratch[i].zero || bytes == 0)
      continue;
    auto address = reinterpret_cast<CUdeviceptr>(arrays[i].data);
    if (Error err = driver.check(
            driver.memsetD8Async(address, 0, bytes, stream), "cuMemsetD8Async"))
      return err;
  }
  return Error::success();
}

void ScratchLayout::place(void *memory) {
  for (size_t i = 0; i < arrays.size(); ++i)
    if (offsets[i])
      arrays[i].data = static_cast<char *>(memory) + *offsets[i];
}
