//===- ContractContents.cpp - What index arrays hold ----------------------===//

#include "ContractParts.h"
#include "sattn/Runtime/Text.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

using namespace sattn::runtime;

namespace {

/// Rows of an array of indices: its last dimension, at each batch index.
class IndexRows {
public:
  explicit IndexRows(const TensorView &tensor)
      : tensor(tensor), batch(tensor.shape.begin(), tensor.shape.end() - 1) {}

  const std::vector<int64_t> &batchShape() const { return batch; }
  int64_t length() const { return tensor.shape.back(); }

  /// The offset of the row of a batch index, in elements. The index may have
  /// more dimensions than the array, or larger ones than its dimensions of 1:
  /// they broadcast.
  int64_t rowOffset(const std::vector<int64_t> &index) const {
    int64_t offset = 0;
    size_t lead = index.size() - batch.size();
    for (size_t dim = 0; dim < batch.size(); ++dim)
      if (batch[dim] != 1)
        offset += index[lead + dim] * tensor.strides[dim];
    return offset;
  }

  int64_t read(int64_t rowOffset, int64_t position) const {
    int64_t element = rowOffset + position * tensor.strides.back();
    if (tensor.dtype == DType::I32)
      return static_cast<const int32_t *>(tensor.data)[element];
    return static_cast<const int64_t *>(tensor.data)[element];
  }

  /// A text such as "[1, 0, 7]": the array's own index of a position.
  std::string position(const std::vector<int64_t> &index,
                       int64_t position) const {
    std::vector<int64_t> own;
    size_t lead = index.size() - batch.size();
    for (size_t dim = 0; dim < batch.size(); ++dim)
      own.push_back(batch[dim] == 1 ? 0 : index[lead + dim]);
    own.push_back(position);
    return listText(own);
  }

private:
  const TensorView &tensor;
  std::vector<int64_t> batch;
};

/// Calls `body` with every index of the shape, in row-major order, until one
/// fails.
template <class Body>
Error forEachIndex(const std::vector<int64_t> &shape, Body body) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return Error::success();
  std::vector<int64_t> index(shape.size(), 0);
  while (true) {
    if (Error err = body(index))
      return err;
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return Error::success();
  }
}

/// The shape that two batch shapes, both of which broadcast to out's, have
/// together.
std::vector<int64_t> jointShape(const std::vector<int64_t> &a,
                                const std::vector<int64_t> &b) {
  const std::vector<int64_t> &longer = a.size() >= b.size() ? a : b;
  const std::vector<int64_t> &shorter = a.size() >= b.size() ? b : a;
  std::vector<int64_t> joint = longer;
  size_t lead = longer.size() - shorter.size();
  for (size_t dim = 0; dim < shorter.size(); ++dim)
    if (joint[lead + dim] == 1)
      joint[lead + dim] = shorter[dim];
  return joint;
}

Error checkOffsets(const std::string &who, const IndexRows &crow,
                   int64_t stored, const std::string &what) {
  if (crow.length() < 1)
    return makeError(who, ": expected at least 1 offset, but got 0");
  return forEachIndex(
      crow.batchShape(), [&](const std::vector<int64_t> &index) {
        int64_t row = crow.rowOffset(index);
        int64_t former = 0;
        for (int64_t i = 0; i < crow.length(); ++i) {
          int64_t offset = crow.read(row, i);
          if (offset < 0 || offset > stored)
            return makeError(who, ": expected offsets in [0, ", stored,
                             "], the number of ", what, ", but got ", offset,
                             " at ", crow.position(index, i));
          if (offset < former)
            return makeError(who,
                             ": expected offsets that do not decrease, "
                             "but got ",
                             offset, " after ", former, " at ",
                             crow.position(index, i));
          former = offset;
        }
        return Error::success();
      });
}

Error checkCounts(const std::string &who, const IndexRows &crow) {
  std::optional<int64_t> first;
  return forEachIndex(
      crow.batchShape(), [&](const std::vector<int64_t> &index) {
        int64_t row = crow.rowOffset(index);
        int64_t count = crow.read(row, crow.length() - 1) - crow.read(row, 0);
        if (!first)
          first = count;
        if (count != *first)
          return makeError(who, ": expected ", *first,
                           " stored blocks in every batch, as in the first, "
                           "but got ",
                           count, " in batch ", listText(index));
        return Error::success();
      });
}

/// Stands for a number of block columns that is not known.
constexpr int64_t kAnyIndex = std::numeric_limits<int64_t>::max();

Error checkIndices(const std::string &who, const IndexRows &crow,
                   const IndexRows &col, int64_t columns,
                   const std::string &what) {
  return forEachIndex(
      jointShape(crow.batchShape(), col.batchShape()),
      [&](const std::vector<int64_t> &index) {
        int64_t crowRow = crow.rowOffset(index), colRow = col.rowOffset(index);
        int64_t end = crow.read(crowRow, crow.length() - 1);
        for (int64_t i = crow.read(crowRow, 0); i < end; ++i) {
          int64_t column = col.read(colRow, i);
          if (column < 0 || column >= columns)
            return makeError(
                who, ": expected ", what, " ",
                columns == kAnyIndex ? std::string("of at least 0")
                                     : concat("in [0, ", columns, ")"),
                ", but got ", column, " at ", col.position(index, i));
        }
        return Error::success();
      });
}

/// Whether every batch reads the same array: no batch dimension but 1.
bool isShared(const Contract &contract, size_t argument,
              const TensorView &tensor) {
  size_t coreRank = 0;
  for (const ContractOperand &operand : contract.operands)
    if (operand.argument == argument)
      coreRank = operand.coreRank.value_or(0);
  return std::all_of(tensor.shape.begin(), tensor.shape.end() - coreRank,
                     [](int64_t extent) { return extent == 1; });
}

Error checkWithin(const Manifest &manifest, const WithinCheck &check,
                  const std::vector<Argument> &arguments) {
  IndexRows rows(tensorOf(arguments, check.argument));
  int64_t most = valueOf(check.most, arguments);
  return forEachIndex(
      rows.batchShape(), [&](const std::vector<int64_t> &index) {
        int64_t row = rows.rowOffset(index);
        for (int64_t i = 0; i < rows.length(); ++i)
          if (int64_t number = rows.read(row, i); number < 0 || number > most)
            return makeError(manifest.describeArgument(check.argument),
                             ": expected ", check.what, " in [0, ", most,
                             "], but got ", number, " at ",
                             rows.position(index, i));
        return Error::success();
      });
}

/// The shape that both broadcast to, where dimensions are equal or 1.
ErrorOr<std::vector<int64_t>> broadcast(const std::string &who,
                                        const std::vector<int64_t> &counts,
                                        const std::vector<int64_t> &lists) {
  std::vector<int64_t> joint = jointShape(counts, lists);
  for (size_t dim = 0; dim < joint.size(); ++dim)
    if ((counts[dim] != 1 && counts[dim] != joint[dim]) ||
        (lists[dim] != 1 && lists[dim] != joint[dim]))
      return makeError(who, ": expected lists of shape ", listText(counts),
                       ", one for each count, but got ", listText(lists));
  return joint;
}

Error checkListed(const Manifest &manifest, const ListedCheck &check,
                  const std::vector<Argument> &arguments) {
  std::string who = manifest.describeArgument(check.argument);
  const TensorView &numbers = tensorOf(arguments, check.counts);
  IndexRows lists(tensorOf(arguments, check.argument)), counts(numbers);
  int64_t below = valueOf(check.below, arguments);
  int64_t lastBelow = valueOf(check.lastBelow, arguments);
  ErrorOr<std::vector<int64_t>> shape =
      broadcast(who, numbers.shape, lists.batchShape());
  if (!shape)
    return shape.takeError();
  return forEachIndex(*shape, [&](const std::vector<int64_t> &index) {
    std::vector<int64_t> place(index.begin(), index.end() - 1);
    int64_t last = numbers.shape.back() == 1 ? 0 : index.back();
    int64_t count = counts.read(counts.rowOffset(place), last);
    if (count < 0 || count > lists.length())
      return makeError(manifest.describeArgument(check.counts),
                       ": expected counts in [0, ", lists.length(),
                       "], the length of a list of ", who, ", but got ", count,
                       " at ", counts.position(place, last));
    int64_t row = lists.rowOffset(index);
    for (int64_t i = 0; i < count; ++i) {
      int64_t end = i == count - 1 ? lastBelow : below;
      if (int64_t entry = lists.read(row, i); entry < 0 || entry >= end)
        return makeError(who, ": expected ", check.what, " in [0, ", end,
                         "), but got ", entry, " at ",
                         lists.position(index, i));
    }
    return Error::success();
  });
}

/// Checks entries of a grid. Products of extents are compared by division,
/// since they may pass 2^63.
Error checkInGrid(const Manifest &manifest, const GridCheck &check,
                  const std::vector<Argument> &arguments) {
  std::string who = manifest.describeArgument(check.argument);
  IndexRows offsets(tensorOf(arguments, check.argument));
  const std::vector<int64_t> &shape = tensorOf(arguments, check.grid).shape;
  int64_t down = shape.end()[-4], across = shape.end()[-3],
          rows = shape.end()[-2], columns = shape.end()[-1];
  bool isEmpty = across == 0 || rows == 0 || columns == 0;
  std::unordered_map<int64_t, int64_t> places;
  for (int64_t i = 0; i < offsets.length(); ++i) {
    int64_t offset = offsets.read(0, i);
    bool fits = !isEmpty && offset >= 0 && offset % columns == 0;
    if (fits) {
      int64_t unit = offset / columns, row = unit / across;
      fits = row % rows == 0 && row / rows < down;
    }
    if (!fits)
      return makeError(who, ": expected offsets of matrices of ", rows, " x ",
                       columns, " in a grid of ", down, " x ", across,
                       " such matrices, but got ", offset, " at [", i, "]");
    if (!check.areDistinct)
      continue;
    auto [former, isNew] = places.insert({offset, i});
    if (!isNew)
      return makeError(who, ": expected offsets that differ, but got ", offset,
                       " at [", former->second, "] and at [", i, "]");
  }
  return Error::success();
}

} // namespace

Error sattn::runtime::checkContents(const Manifest &manifest,
                                    const Contract &contract,
                                    const std::vector<Argument> &arguments) {
  for (const ContractCheck &check : contract.checks) {
    if (const auto *offsets = std::get_if<OffsetsCheck>(&check)) {
      IndexRows rows(tensorOf(arguments, offsets->argument));
      std::string who = manifest.describeArgument(offsets->argument);
      int64_t stored = tensorOf(arguments, offsets->stored).shape.back();
      if (Error err = checkOffsets(who, rows, stored, offsets->what))
        return err;
      bool areShared = std::all_of(
          offsets->counted.begin(), offsets->counted.end(), [&](size_t other) {
            return isShared(contract, other, tensorOf(arguments, other));
          });
      if (!areShared)
        if (Error err = checkCounts(who, rows))
          return err;
    } else if (const auto *indices = std::get_if<IndicesCheck>(&check)) {
      int64_t below =
          indices->below ? valueOf(*indices->below, arguments) : kAnyIndex;
      if (Error err =
              checkIndices(manifest.describeArgument(indices->argument),
                           IndexRows(tensorOf(arguments, indices->offsets)),
                           IndexRows(tensorOf(arguments, indices->argument)),
                           below, indices->what))
        return err;
    } else if (const auto *within = std::get_if<WithinCheck>(&check)) {
      if (Error err = checkWithin(manifest, *within, arguments))
        return err;
    } else if (const auto *listed = std::get_if<ListedCheck>(&check)) {
      if (Error err = checkListed(manifest, *listed, arguments))
        return err;
    } else if (const auto *grid = std::get_if<GridCheck>(&check)) {
      if (Error err = checkInGrid(manifest, *grid, arguments))
        return err;
    }
  }
  return Error::success();
}
