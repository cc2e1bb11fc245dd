//===- SharedTile.cpp - Swizzled tiles in shared memory -------------------===//

#include "sattn/Layout/SharedTile.h"

using namespace sattn::layout;

/// Extent limit of a TMA box (cuTensorMapEncodeTiled, boxDim).
static constexpr int64_t kMaxBoxRows = 256;

/// The range of the address field of a wgmma descriptor.
static constexpr int64_t kMaxBytes = 1 << 18;

std::optional<std::string> SharedTile::invalidReason() const {
  auto but = [](int64_t value) { return ", but got " + std::to_string(value); };
  if (swizzle != 32 && swizzle != 64 && swizzle != 128)
    return "expected a swizzle of 32, 64 or 128 bytes" + but(swizzle);
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4)
    return "expected elements of 1, 2 or 4 bytes" + but(elementBytes);
  if (rows <= 0 || rows > kMaxBoxRows || rows % kSwizzleRows != 0)
    return "expected rows to be a positive multiple of " +
           std::to_string(kSwizzleRows) + " up to " +
           std::to_string(kMaxBoxRows) + but(rows);
  if (isPacked && (cols <= 0 || cols * elementBytes % kChunkBytes != 0 ||
                   rows * cols % boxColumns() != 0 || boxRows() > kMaxBoxRows))
    return "expected a packed tile of at most " + std::to_string(kMaxBoxRows) +
           " whole rows of " + std::to_string(swizzle) +
           " bytes, in rows of whole chunks of 16 bytes" + but(rows) + " x " +
           std::to_string(cols) + " elements of " +
           std::to_string(elementBytes) + " bytes";
  if (!isPacked && (cols <= 0 || cols % boxColumns() != 0))
    return "expected columns to be a positive multiple of " +
           std::to_string(boxColumns()) + but(cols);
  // Divided, not multiplied: the product may not be representable.
  if (cols > kMaxBytes / (rows * elementBytes))
    return "expected a tile of at most " + std::to_string(kMaxBytes) +
           " bytes, but got " + std::to_string(rows) + " x " +
           std::to_string(cols) + " elements of " +
           std::to_string(elementBytes) + " bytes";
  return std::nullopt;
}
