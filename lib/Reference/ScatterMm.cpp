//===- ScatterMm.cpp - Definition of scatter_mm ---------------------------===//

#include "sattn/Reference/ScatterMm.h"

#include "Operands.h"

using namespace sattn::reference;
namespace runtime = sattn::runtime;
using sattn::runtime::DType;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

namespace {

class Evaluator {
public:
  explicit Evaluator(const ScatterMmOperands &op)
      : op(op), gridRank(op.r ? 2 : 1),
        batchRank(op.out.rank() - 2 - gridRank) {}

  Error check() const;
  ErrorOr<std::vector<double>> compute() const;

private:
  /// Accumulators with more bits than elements have.
  using Sums = std::vector<long double>;

  /// Reads an entry of `list`, which is `name` in messages.
  ErrorOr<int64_t> read(const char *name, const TensorView &list,
                        int64_t position) const;
  /// A matrix of `grid` by its number, or by its offset: what to add to the
  /// address of the batch, and its column in the grid.
  struct Place {
    Shape index;
    int64_t column = 0, row = 0;
  };
  ErrorOr<Place> locate(const char *name, const TensorView &list,
                        int64_t position, const TensorView &grid) const;
  /// Adds the products of an entry of the list to out's elements.
  Error addEntry(int64_t entry, Sums &result) const;
  Error addPair(int64_t block, const Place &other, const Place &target,
                Sums &result) const;

  int64_t across() const { return op.out.shape.end()[-3]; }
  int64_t rows() const { return op.blocks.shape[1]; }
  int64_t depth() const { return op.blocks.shape[2]; }
  int64_t columns() const { return op.out.shape.back(); }
  int64_t entries() const { return op.r ? op.r->shape[0] : op.out.shape[0]; }

  const ScatterMmOperands &op;
  int64_t gridRank, batchRank;
};
} // namespace

Error Evaluator::check() const {
  std::vector<std::pair<const char *, const TensorView *>> lists = {
      {"offsets", &op.offsets}, {"q", &op.q}};
  if (op.p)
    lists.push_back({"p", &*op.p});
  if (op.r)
    lists.push_back({"r", &*op.r});
  if (!op.p && !op.r)
    return expected("p or r", "neither");
  for (auto [name, list] : lists) {
    if (list->rank() != 1)
      return expected(std::string(name) + " of rank 1",
                      "rank " + str(list->rank()));
    if (list->dtype != DType::I32 && list->dtype != DType::I64)
      return expected(std::string(name) + " of type i32 or i64",
                      runtime::name(list->dtype));
  }
  if (op.blocks.rank() != 3)
    return expected("blocks of rank 3", "rank " + str(op.blocks.rank()));
  if (op.r ? batchRank < 0 : batchRank != 0)
    return expected(op.r ? "out of rank 4 or more" : "out of rank 3",
                    "rank " + str(op.out.rank()));
  for (auto [name, view] :
       {std::pair("blocks", &op.blocks), std::pair("out", &op.out)})
    if (!isFloat(view->dtype))
      return expected(std::string(name) + " of a float type",
                      runtime::name(view->dtype));
  if (op.others.dtype != op.blocks.dtype)
    return expected("others of the type of blocks, " +
                        std::string(runtime::name(op.blocks.dtype)),
                    runtime::name(op.others.dtype));
  Shape grid = op.out.shape;
  grid.end()[-2] = depth();
  if (op.others.rank() == op.out.rank())
    grid.end()[-2 - gridRank] = op.others.shape.end()[-2 - gridRank];
  if (op.others.shape != grid)
    return expected("others of shape " + str(grid) +
                        ", but for its number of matrices",
                    str(op.others.shape));
  if (op.out.shape.end()[-2] != rows())
    return expected("matrices of " + str(rows()) + " rows in out",
                    str(op.out.shape));
  int64_t offsets = (op.p ? entries() : op.out.shape.end()[-4]) + 1;
  if (op.offsets.shape[0] != offsets)
    return expected(str(offsets) + " offsets", str(op.offsets.shape[0]));
  if (op.p && op.p->shape != op.q.shape)
    return expected("p of as many entries as q, " + str(op.q.shape[0]),
                    str(op.p->shape[0]));
  return Error::success();
}

ErrorOr<int64_t> Evaluator::read(const char *name, const TensorView &list,
                                 int64_t position) const {
  if (position < 0 || position >= list.shape[0])
    return expected(std::string(name) + " of " + str(position + 1) +
                        " entries or more",
                    str(list.shape[0]));
  return loadIndex(list, position * list.strides[0]);
}

ErrorOr<Evaluator::Place> Evaluator::locate(const char *name,
                                            const TensorView &list,
                                            int64_t position,
                                            const TensorView &grid) const {
  ErrorOr<int64_t> entry = read(name, list, position);
  if (!entry)
    return entry.takeError();
  int64_t number = *entry, height = grid.shape.end()[-2];
  Place place;
  bool fits = number >= 0;
  if (!op.r) {
    fits &= number < grid.shape[0];
    place.index = {number};
  } else if (fits) {
    int64_t size = columns() * across() * height;
    fits = size > 0;
    if (fits) {
      place.row = number / size;
      place.column = number % size / columns();
      fits = number % columns() == 0 && place.column < across() &&
             place.row < grid.shape.end()[-4];
    }
    place.index = {place.row, place.column};
  }
  if (!fits)
    return expected(std::string(name) + "[" + str(position) + "] to be the " +
                        (op.r ? "offset" : "number") + " of a matrix of " +
                        str(grid.shape),
                    str(number));
  return place;
}

Error Evaluator::addPair(int64_t block, const Place &other, const Place &target,
                         Sums &result) const {
  if (block < 0 || block >= op.blocks.shape[0])
    return expected("blocks of more than " + str(block) + " matrices",
                    str(op.blocks.shape[0]));
  Shape batches(op.out.shape.begin(), op.out.shape.begin() + batchRank);
  int64_t count = 1;
  for (int64_t extent : batches)
    count *= extent;
  Shape strides = runtime::rowMajorStrides(op.out.shape);
  for (int64_t i = 0; i < count; ++i) {
    Shape batch = indexOf(i, batches);
    int64_t from = 0, to = 0;
    for (int64_t dim = 0; dim < batchRank; ++dim) {
      from += batch[dim] * op.others.strides[dim];
      to += batch[dim] * strides[dim];
    }
    for (int64_t dim = 0; dim < gridRank; ++dim) {
      from += other.index[dim] * op.others.strides[batchRank + dim];
      to += target.index[dim] * strides[batchRank + dim];
    }
    for (int64_t row = 0; row < rows(); ++row)
      for (int64_t k = 0; k < depth(); ++k) {
        long double left =
            loadElement(op.blocks, block * op.blocks.strides[0] +
                                       row * op.blocks.strides[1] +
                                       k * op.blocks.strides[2]);
        for (int64_t column = 0; column < columns(); ++column)
          result[to + row * columns() + column] +=
              left *
              loadElement(op.others, from + k * op.others.strides.end()[-2] +
                                         column * op.others.strides.back());
      }
  }
  return Error::success();
}

Error Evaluator::addEntry(int64_t entry, Sums &result) const {
  Place target;
  target.index = {entry};
  if (op.r) {
    ErrorOr<Place> place = locate("r", *op.r, entry, op.out);
    if (!place)
      return place.takeError();
    target = *place;
  }
  int64_t list = op.p ? entry : target.row;
  ErrorOr<int64_t> begin = read("offsets", op.offsets, list);
  ErrorOr<int64_t> end = read("offsets", op.offsets, list + 1);
  if (!begin || !end)
    return begin ? end.takeError() : begin.takeError();
  if (*begin < 0 || *begin > *end)
    return expected("offsets[" + str(list + 1) + "] to be " + str(*begin) +
                        " or more",
                    str(*end));
  int64_t first = 0;
  if (!op.p)
    first = (across() - 1) * *begin + target.column * (*end - *begin);
  for (int64_t pair = *begin; pair < *end; ++pair) {
    ErrorOr<int64_t> block = pair;
    if (op.p)
      block = read("p", *op.p, pair);
    if (!block)
      return block.takeError();
    ErrorOr<Place> other = locate("q", op.q, first + pair, op.others);
    if (!other)
      return other.takeError();
    if (Error error = addPair(*block, *other, target, result))
      return error;
  }
  return Error::success();
}

ErrorOr<std::vector<double>> Evaluator::compute() const {
  Sums result;
  int64_t elements = op.out.numElements();
  if (op.overwrites)
    result.resize(elements);
  for (int64_t i = result.size(); i < elements; ++i) {
    Shape index = indexOf(i, op.out.shape);
    int64_t offset = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      offset += index[dim] * op.out.strides[dim];
    result.push_back(loadElement(op.out, offset));
  }
  for (int64_t entry = 0; entry < entries(); ++entry)
    if (Error error = addEntry(entry, result))
      return error;
  return std::vector<double>(result.begin(), result.end());
}

ErrorOr<std::vector<double>>
sattn::reference::scatterMm(const ScatterMmOperands &operands) {
  Evaluator evaluator(operands);
  if (Error error = evaluator.check())
    return error;
  return evaluator.compute();
}
