//===- TensorMapFields.cpp - Descriptions of tensors for TMA --------------===//

#include "sattn/Runtime/TensorMap.h"
#include "sattn/Runtime/Text.h"

#include <algorithm>
#include <iterator>

using namespace sattn::runtime;

namespace {

/// Alignment of the base, and of all strides except the innermost, in bytes.
constexpr int64_t alignment = 16;
constexpr int64_t strideLimit = int64_t(1) << 40;
constexpr int64_t extentLimit = int64_t(1) << 32;

/// CUtensorMapDataType; nothing for a type that TMA does not have.
std::optional<int> mapDataType(DType dtype) {
  switch (dtype) {
  case DType::I8:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    // TMA moves bytes; it has no signed ones, and no floats of 8 bits.
    return 0;
  case DType::I32:
    return 3;
  case DType::I64:
    return 5;
  case DType::F16:
    return 6;
  case DType::F32:
    return 7;
  case DType::F64:
    return 8;
  case DType::BF16:
    return 9;
  }
  return std::nullopt;
}

/// CUtensorMapSwizzle of a span in bytes.
std::optional<int> mapSwizzle(int64_t span) {
  switch (span) {
  case 0:
    return 0;
  case 32:
    return 1;
  case 64:
    return 2;
  case 128:
    return 3;
  default:
    return std::nullopt;
  }
}

/// The stride of a dimension in bytes, checked.
ErrorOr<int64_t> strideInBytes(const std::string &name,
                               const TensorView &tensor, size_t dim) {
  auto fail = [&](const char *expected) {
    return makeError(name, ": expected stride ", dim, " ", expected,
                     " for its tensor map, but got ", tensor.strides[dim],
                     " elements of ", byteWidth(tensor.dtype), " bytes");
  };
  int64_t bytes = 0;
  bool overflow = __builtin_mul_overflow(tensor.strides[dim],
                                         byteWidth(tensor.dtype), &bytes);
  if (tensor.strides[dim] < 0)
    return fail("to be at least 0");
  if (overflow || bytes >= strideLimit)
    return fail("to be below 2^40 bytes");
  if (bytes % alignment != 0)
    return fail("to be a multiple of 16 bytes");
  return bytes;
}

/// The same memory as a tensor whose rows have `columns` elements.
ErrorOr<TensorView> packRows(const std::string &name, const TensorView &tensor,
                             int64_t columns) {
  size_t last = tensor.shape.size() - 1;
  int64_t row = tensor.shape[last], elements = 0;
  bool overflow = last == 0 || __builtin_mul_overflow(
                                   row, tensor.shape[last - 1], &elements);
  if (overflow || tensor.strides[last - 1] != row || tensor.strides[last] != 1)
    return makeError(name, ": expected rows of ", row,
                     " elements one after another for its packed tensor map, "
                     "but got strides ",
                     listText(tensor.strides));
  if (elements % columns != 0)
    return makeError(name, ": expected whole rows of ", columns,
                     " elements for its packed tensor map, but got ", elements,
                     " elements");
  TensorView view = tensor;
  view.shape[last - 1] = elements / columns;
  view.strides[last - 1] = view.shape[last] = columns;
  return view;
}

} // namespace

bool TensorMapFields::operator==(const TensorMapFields &other) const {
  return dataType == other.dataType && rank == other.rank &&
         address == other.address && swizzle == other.swizzle &&
         std::equal(std::begin(extents), std::end(extents),
                    std::begin(other.extents)) &&
         std::equal(std::begin(strides), std::end(strides),
                    std::begin(other.strides)) &&
         std::equal(std::begin(box), std::end(box), std::begin(other.box));
}

Error sattn::runtime::checkTensorMapBox(DType dtype, int64_t rank,
                                        const std::vector<int64_t> &box,
                                        int64_t swizzle) {
  if (!mapDataType(dtype))
    return makeError("expected a type that a tensor map has, but got ",
                     name(dtype));
  if (rank < 1 || rank > tensorMapMaxRank)
    return makeError("expected a tensor of rank 1 to ", tensorMapMaxRank,
                     " for a tensor map, but got rank ", rank);
  if (int64_t(box.size()) != rank)
    return makeError("expected a box of ", rank, " extents, but got ",
                     listText(box));
  for (int64_t extent : box)
    if (extent < 1 || extent > tensorMapMaxBox)
      return makeError("expected a box of extents in [1, ", tensorMapMaxBox,
                       "], but got ", listText(box));
  if (!mapSwizzle(swizzle))
    return makeError("expected swizzle 0, 32, 64 or 128, but got ", swizzle);
  int64_t row = box.back() * byteWidth(dtype);
  if (row % alignment != 0)
    return makeError("expected a box whose rows are a multiple of ", alignment,
                     " bytes, but got ", row, " bytes");
  if (swizzle > 0 && row > swizzle)
    return makeError("expected a box whose rows are at most the swizzle's ",
                     swizzle, " bytes, but got ", row, " bytes");
  return Error::success();
}

ErrorOr<TensorMapFields> sattn::runtime::describeTensorMap(
    const std::string &name, const TensorView &tensor,
    const std::vector<int64_t> &box, int64_t swizzle, bool packed) {
  if (Error err = checkTensorMapBox(tensor.dtype, tensor.rank(), box, swizzle))
    return makeError(name, ": ", err.message());
  if (packed) {
    ErrorOr<TensorView> view = packRows(name, tensor, box.back());
    if (!view)
      return view.takeError();
    return describeTensorMap(name, *view, box, swizzle);
  }
  size_t rank = tensor.shape.size();
  int64_t width = byteWidth(tensor.dtype);
  auto address = reinterpret_cast<uintptr_t>(tensor.data);
  if (address % alignment != 0)
    return makeError(name, ": expected data aligned to ", alignment,
                     " bytes for its tensor map, but got an address that is ",
                     address % alignment, " past a multiple");
  if (tensor.shape[rank - 1] > 1 && tensor.strides[rank - 1] != 1)
    return makeError(name,
                     ": expected the innermost stride to be 1 for its "
                     "tensor map, but got ",
                     tensor.strides[rank - 1]);

  TensorMapFields fields;
  fields.dataType = *mapDataType(tensor.dtype);
  fields.rank = uint32_t(rank);
  fields.address = tensor.data;
  fields.swizzle = *mapSwizzle(swizzle);
  // Nothing is read from a tensor without elements.
  bool isEmpty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) !=
                 tensor.shape.end();
  for (size_t i = 0; i < rank; ++i) {
    size_t dim = rank - 1 - i;
    int64_t extent = tensor.shape[dim];
    if (extent < 0 || extent >= extentLimit)
      return makeError(name,
                       ": expected extents in [0, 2^32) for its tensor "
                       "map, but got ",
                       extent, " in dimension ", dim);
    fields.extents[i] = uint64_t(isEmpty ? 1 : extent);
    fields.box[i] = uint32_t(box[dim]);
    if (i == 0)
      continue;
    if (extent > 1 && !isEmpty) {
      ErrorOr<int64_t> stride = strideInBytes(name, tensor, dim);
      if (!stride)
        return stride.takeError();
      fields.strides[i - 1] = uint64_t(*stride);
    } else {
      // Never added to an address within bounds: any that TMA takes will do.
      int64_t row = int64_t(fields.extents[0]) * width;
      fields.strides[i - 1] =
          i == 1 ? uint64_t((row + alignment - 1) / alignment * alignment)
                 : fields.strides[i - 2];
    }
  }
  return fields;
}

bool sattn::runtime::isTMACompatible(const TensorView &tensor) {
  if (tensor.rank() < 1 || tensor.rank() > tensorMapMaxRank)
    return false;
  std::vector<int64_t> box(size_t(tensor.rank()), 1);
  box.back() = alignment / byteWidth(tensor.dtype);
  return bool(describeTensorMap("", tensor, box, /*swizzle=*/0));
}
