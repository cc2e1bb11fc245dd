//===- ContractMemory.cpp - Where arguments lie in memory -----------------===//

#include "ContractParts.h"
#include "sattn/Runtime/Text.h"

#include <algorithm>

using namespace sattn::runtime;

namespace {

/// The dimensions that say where elements are, outermost first.
std::vector<std::pair<int64_t, int64_t>> placement(const TensorView &tensor) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim)
    if (tensor.shape[dim] != 1)
      dims.emplace_back(tensor.shape[dim], tensor.strides[dim]);
  return dims;
}

/// Whether two indices may name the same element. Exact for dimensions that
/// nest (each stride passes all that the smaller ones reach), which covers
/// slices, transposes and broadcasts of dense arrays; other layouts count as
/// overlapping.
bool overlapsItself(const TensorView &tensor) {
  if (tensor.numElements() == 0)
    return false;
  std::vector<std::pair<int64_t, int64_t>> dims = placement(tensor);
  auto magnitude = [](int64_t stride) { return stride < 0 ? -stride : stride; };
  std::sort(dims.begin(), dims.end(), [&](const auto &a, const auto &b) {
    return magnitude(a.second) < magnitude(b.second);
  });
  int64_t reach = 0;
  for (const auto &[extent, stride] : dims) {
    if (magnitude(stride) <= reach)
      return true;
    reach += (extent - 1) * magnitude(stride);
  }
  return false;
}

} // namespace

bool sattn::runtime::overlap(const TensorView &a, const TensorView &b) {
  std::optional<ByteRange> rangeA = byteRange(a), rangeB = byteRange(b);
  return rangeA && rangeB && rangeA->begin < rangeB->end &&
         rangeB->begin < rangeA->end;
}

bool sattn::runtime::isSameTensor(const TensorView &a, const TensorView &b) {
  return a.data == b.data && a.dtype == b.dtype && placement(a) == placement(b);
}

std::optional<ByteRange> sattn::runtime::byteRange(const TensorView &tensor) {
  int64_t low = 0, high = 0;
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    if (tensor.shape[dim] == 0)
      return ByteRange{};
    int64_t reach;
    if (__builtin_mul_overflow(tensor.shape[dim] - 1, tensor.strides[dim],
                               &reach))
      return std::nullopt;
    int64_t &end = reach < 0 ? low : high;
    if (__builtin_add_overflow(end, reach, &end))
      return std::nullopt;
  }
  int64_t width = byteWidth(tensor.dtype);
  auto address =
      static_cast<uint64_t>(reinterpret_cast<uintptr_t>(tensor.data));
  ByteRange range;
  if (__builtin_add_overflow(high, 1, &high) ||
      __builtin_mul_overflow(high, width, &high) ||
      __builtin_mul_overflow(low, width, &low) ||
      __builtin_add_overflow(address, low, &range.begin) ||
      __builtin_add_overflow(address, high, &range.end))
    return std::nullopt;
  return range;
}

Error sattn::runtime::checkPlacement(const std::string &who,
                                     const TensorView &tensor) {
  std::optional<ByteRange> range = byteRange(tensor);
  if (!range)
    return makeError(who,
                     ": expected extents and strides within the address "
                     "space, but got shape ",
                     listText(tensor.shape), " with strides ",
                     listText(tensor.strides));
  if (range->begin == range->end)
    return Error::success();
  if (!tensor.data)
    return makeError(who, ": expected a pointer to ", range->end - range->begin,
                     " bytes, but got null");
  auto address = reinterpret_cast<uintptr_t>(tensor.data);
  int64_t width = byteWidth(tensor.dtype);
  if (address % width != 0)
    return makeError(who, ": expected data aligned to the ", width,
                     " bytes of ", name(tensor.dtype),
                     ", but got an address that is ", address % width,
                     " past a multiple");
  return Error::success();
}

static Error makeOverlapError(const Manifest &manifest, size_t argument,
                              size_t other) {
  return makeError(
      manifest.describeArgument(argument), ": expected memory apart from ",
      manifest.describeArgument(other), ", but got memory that overlaps it");
}

static Error checkReadOnly(const Manifest &manifest, const ReadOnlyCheck &check,
                           const std::vector<Argument> &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto *tensor = std::get_if<TensorView>(&arguments[i]);
    if (!tensor || manifest.arguments[i].access == Access::Read)
      continue;
    for (size_t index : check.arguments)
      if (i != index && overlap(*tensor, tensorOf(arguments, index)))
        return makeOverlapError(manifest, i, index);
  }
  return Error::success();
}

static Error checkApart(const Manifest &manifest, const ApartCheck &check,
                        const std::vector<Argument> &arguments) {
  const TensorView &tensor = tensorOf(arguments, check.argument);
  if (overlapsItself(tensor))
    return makeError(manifest.describeArgument(check.argument),
                     ": expected every element to have memory of its "
                     "own, but got shape ",
                     listText(tensor.shape), " with strides ",
                     listText(tensor.strides));
  for (size_t other : check.others)
    if (overlap(tensor, tensorOf(arguments, other)))
      return makeOverlapError(manifest, check.argument, other);
  if (!check.orExactly || *check.orExactly == check.argument)
    return Error::success();
  const TensorView &same = tensorOf(arguments, *check.orExactly);
  if (overlap(tensor, same) && !isSameTensor(tensor, same))
    return makeError(manifest.describeArgument(check.argument),
                     ": expected memory apart from ",
                     manifest.describeArgument(*check.orExactly),
                     " or exactly its own, but got memory that overlaps it in "
                     "part");
  return Error::success();
}

Error sattn::runtime::checkAliasing(const Manifest &manifest,
                                    const Contract &contract,
                                    const std::vector<Argument> &arguments) {
  for (const ContractCheck &check : contract.checks) {
    if (const auto *apart = std::get_if<ApartCheck>(&check)) {
      if (Error err = checkApart(manifest, *apart, arguments))
        return err;
    } else if (const auto *readOnly = std::get_if<ReadOnlyCheck>(&check)) {
      if (Error err = checkReadOnly(manifest, *readOnly, arguments))
        return err;
    }
  }
  return Error::success();
}
