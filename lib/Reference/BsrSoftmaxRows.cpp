//===- BsrSoftmaxRows.cpp - Rows of stored blocks -------------------------===//

#include "BsrSoftmaxRows.h"

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

double StoredRow::load(int64_t array, int64_t element) const {
  const Operand &input = (*inputs)[array];
  return input.load(offsets[array] +
                    (begin + element / columns) * input.stride(3) +
                    element % columns * input.stride(1));
}

void StoredRow::store(int64_t element, double value) const {
  result[(begin + element / columns) * blockSize + element % columns] = value;
}

Error StoredRows::check() {
  const Operand &values = inputs.front();
  std::string name = values.name;
  int64_t batchRank = values.view.rank() - 3;
  if (batchRank < 0)
    return expected(name + " of rank 3 or more",
                    "rank " + str(values.view.rank()));
  if (crow.view.rank() < 1 || crow.view.rank() > 1 + batchRank)
    return expected("crow of rank 1 to " + str(1 + batchRank),
                    "rank " + str(crow.view.rank()));
  if (crow.view.dtype != DType::I32 && crow.view.dtype != DType::I64)
    return expected("crow of type i32 or i64",
                    sattn::runtime::name(crow.view.dtype));
  std::vector<Operand *> arrays;
  for (Operand &input : inputs)
    arrays.push_back(&input);
  arrays.push_back(&out);
  for (const Operand *array : arrays)
    if (!isFloat(array->view.dtype))
      return expected(std::string(array->name) + " of a float type",
                      sattn::runtime::name(array->view.dtype));
  for (Operand *array : arrays) {
    if (array->view.shape != values.view.shape)
      return expected(std::string(array->name) + " of the shape of " + name +
                          ", " + str(values.view.shape),
                      str(array->view.shape));
    array->batchStrides.assign(array->view.strides.begin(),
                               array->view.strides.end() - 3);
  }
  if (crow.extent(1) < 1)
    return expected("crow of at least 1 offset", str(crow.view.shape));
  ErrorOr<Shape> strides = broadcast(crow, 1, getBatch());
  if (!strides)
    return expected("crow's batch dimensions to broadcast to those of " + name +
                        ", " + str(values.view.shape),
                    str(crow.view.shape));
  crow.batchStrides = *strides;
  return Error::success();
}

void StoredRows::loadOut(const Shape &batch, double *matrix) const {
  if (!out.view.data)
    return;
  int64_t first = out.offset(batch);
  for (int64_t block = 0; block < blocks(); ++block)
    for (int64_t row = 0; row < rows(); ++row)
      for (int64_t column = 0; column < columns(); ++column)
        *matrix++ = out.load(first + block * out.stride(3) +
                             row * out.stride(2) + column * out.stride(1));
}

Error StoredRows::computeBatch(
    const Shape &batch, double *matrix,
    const std::function<void(const StoredRow &)> &compute) const {
  StoredRow row;
  row.inputs = &inputs;
  row.columns = columns();
  row.blockSize = rows() * columns();
  int64_t list = crow.offset(batch), begin = 0;
  for (int64_t i = 0; i < crow.extent(1); ++i) {
    int64_t end = loadIndex(crow.view, list + i * crow.stride(1));
    if (end < begin || end > blocks())
      return expected("crow[" + str(i) + "] to be from " + str(begin) + " to " +
                          str(blocks()),
                      str(end));
    row.begin = begin;
    row.end = end;
    for (int64_t place = 0; i > 0 && place < rows(); ++place) {
      row.offsets.clear();
      for (const Operand &input : inputs)
        row.offsets.push_back(input.offset(batch) + place * input.stride(2));
      row.result = matrix + place * columns();
      compute(row);
    }
    begin = end;
  }
  return Error::success();
}

ErrorOr<std::vector<double>>
StoredRows::compute(const std::function<void(const StoredRow &)> &compute) {
  if (Error error = check())
    return error;
  std::vector<double> result(out.view.numElements(), 0.0);
  int64_t size = blocks() * rows() * columns();
  for (int64_t i = 0; size && i < int64_t(result.size()) / size; ++i) {
    Shape batch = indexOf(i, getBatch());
    double *matrix = result.data() + i * size;
    loadOut(batch, matrix);
    if (Error error = computeBatch(batch, matrix, compute))
      return error;
  }
  return result;
}
