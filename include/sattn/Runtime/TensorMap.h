//===- TensorMap.h - Descriptions of tensors for TMA ------------*- C++ -*-===//
//
// Source of the requirements: the CUDA driver API's documentation of
// cuTensorMapEncodeTiled. The driver answers a broken one with "invalid
// argument", so each is checked here first, with a message of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_TENSORMAP_H
#define SATTN_RUNTIME_TENSORMAP_H

#include "sattn/Runtime/CudaDriver.h"
#include "sattn/Runtime/Tensor.h"

#include <mutex>
#include <string>
#include <unordered_map>

namespace sattn::runtime {

/// The driver's opaque map, passed to kernels by value.
struct alignas(64) TensorMap {
  unsigned char bytes[128] = {};
};

/// The parameters of cuTensorMapEncodeTiled. Dimensions innermost first.
struct TensorMapFields {
  int dataType = 0;
  uint32_t rank = 0;
  void *address = nullptr;
  uint64_t extents[5] = {};
  /// Strides in bytes of dimensions 1 to rank - 1.
  uint64_t strides[4] = {};
  uint32_t box[5] = {};
  int swizzle = 0;

  bool operator==(const TensorMapFields &other) const;
};

/// The greatest rank, and the greatest extent of a box, that TMA takes.
constexpr int64_t tensorMapMaxRank = 5;
constexpr int64_t tensorMapMaxBox = 256;

/// Checks of a box that need no tensor: as many dimensions as the tensor, 1 to
/// 5; extents 1 to 256; the innermost a multiple of 16 bytes, and no longer
/// than the swizzle's span. `swizzle` is 0, 32, 64 or 128 bytes. The message is
/// of the form "expected ..., but got ...".
Error checkTensorMapBox(DType dtype, int64_t rank,
                        const std::vector<int64_t> &box, int64_t swizzle);

/// Whether describeTensorMap takes the tensor, with a box that suits it.
bool isTMACompatible(const TensorView &tensor);

/// Checks the tensor and the box (outermost first), and translates them: the
/// innermost stride is 1, the base is aligned to 16 bytes, the other strides
/// are multiples of 16 bytes in [0, 2^40), extents are below 2^32. Extents of 0
/// become 1, for TMA has none; a dimension of extent 1 may have any stride.
/// A packed map sees the last two dimensions, whose rows follow one another, as
/// rows of as many elements as the box's. `name` begins the messages:
/// "argument 'b'".
ErrorOr<TensorMapFields> describeTensorMap(const std::string &name,
                                           const TensorView &tensor,
                                           const std::vector<int64_t> &box,
                                           int64_t swizzle,
                                           bool packed = false);

/// Encodes a map with element strides of 1, no interleave, 256-byte L2
/// promotion, and zeros out of bounds. A null address, which only an empty
/// tensor has, gives a map of zeros that must not be read through.
ErrorOr<TensorMap> encodeTensorMap(const CudaDriver &driver,
                                   const std::string &name,
                                   const TensorMapFields &fields);

/// Maps made before, by their fields, since encoding one costs about as much as
/// a launch. A map follows from its fields alone, whatever memory holds. Holds
/// the last `capacity`; safe to use from several threads.
class TensorMapCache {
public:
  static constexpr size_t capacity = 512;

  ErrorOr<TensorMap> get(const CudaDriver &driver, const std::string &name,
                         const TensorMapFields &fields);

private:
  struct Hash {
    size_t operator()(const TensorMapFields &fields) const;
  };

  std::mutex mutex;
  std::unordered_map<TensorMapFields, TensorMap, Hash> maps;
  /// The maps' fields in the order of their insertion, from `oldest` on.
  std::vector<TensorMapFields> order;
  size_t oldest = 0;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_TENSORMAP_H
