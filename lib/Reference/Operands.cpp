//===- Operands.cpp - Checked operands of references ----------------------===//

#include "Operands.h"

using namespace sattn::reference;
namespace runtime = sattn::runtime;
using runtime::Error;
using runtime::ErrorOr;

std::string sattn::reference::str(const Shape &shape) {
  std::string text = "(";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim ? ", " : "") + str(shape[dim]);
  return text + ")";
}

bool sattn::reference::isFloat(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32 ||
         dtype == DType::F64;
}

Error sattn::reference::checkProductTypes(const char *name, DType factor,
                                          DType out) {
  if (!isFloat(factor) && runtime::byteWidth(factor) != 1)
    return expected(std::string(name) + " of a float type or i8",
                    runtime::name(factor));
  if (isFloat(out) || (out == DType::I32 && factor == DType::I8))
    return Error::success();
  return expected(factor == DType::I8 ? "out of a float type or i32"
                                      : "out of a float type",
                  runtime::name(out));
}

bool sattn::reference::canMultiply(DType factor, DType other) {
  auto isFloat8 = [](DType dtype) {
    return dtype == DType::F8E4M3FN || dtype == DType::F8E5M2;
  };
  return factor == other || (isFloat8(factor) && isFloat8(other));
}

DType sattn::reference::addedType(DType factor, DType out) {
  return runtime::byteWidth(factor) == 1 ? out : factor;
}

Error sattn::reference::expected(const std::string &what,
                                 const std::string &got) {
  return Error("expected " + what + ", but got " + got);
}

ErrorOr<Shape> sattn::reference::broadcast(const Operand &operand, int trailing,
                                           const Shape &shape) {
  const TensorView &view = operand.view;
  size_t leading = view.shape.size() - trailing;
  Shape own(view.shape.begin(), view.shape.begin() + leading);
  Shape strides(shape.size(), 0);
  bool fits = leading <= shape.size();
  for (size_t dim = 0; fits && dim < leading; ++dim) {
    size_t target = shape.size() - leading + dim;
    if (own[dim] == shape[target])
      strides[target] = view.strides[dim];
    else
      fits = own[dim] == 1;
  }
  if (!fits)
    return expected(std::string(operand.name) + "'s " +
                        (trailing ? "batch dimensions" : "shape") +
                        " to broadcast to " + str(shape) + " of out",
                    str(own));
  return strides;
}

Error sattn::reference::checkView(const Operand &operand, int minRank,
                                  bool isRead) {
  const TensorView &view = operand.view;
  std::string name = operand.name;
  if (view.strides.size() != view.shape.size())
    return expected("a stride for each of the " + str(view.rank()) +
                        " dimensions of " + name,
                    str(view.strides.size()));
  if (view.rank() < minRank)
    return expected(name + " of rank " + str(minRank) + " or more",
                    "rank " + str(view.rank()));
  bool isEmpty = false;
  for (int64_t extent : view.shape) {
    if (extent < 0)
      return expected(name + " of no negative extent", str(view.shape));
    isEmpty |= extent == 0;
  }
  if (isRead && !isEmpty && !view.data)
    return expected("the elements of " + name, "a null pointer");
  return Error::success();
}

Shape sattn::reference::indexOf(int64_t number, const Shape &batch) {
  Shape index(batch.size());
  for (int64_t dim = batch.size() - 1; dim >= 0; --dim) {
    index[dim] = number % batch[dim];
    number /= batch[dim];
  }
  return index;
}

ErrorOr<Pattern> sattn::reference::loadPattern(const Operand &crow,
                                               const Operand &col, int64_t nnz,
                                               int64_t blockColumns,
                                               const Shape &batchIndex) {
  Pattern pattern;
  int64_t base = crow.offset(batchIndex);
  std::string where = batchIndex.empty() ? "" : " in batch " + str(batchIndex);
  for (int64_t i = 0; i < crow.extent(1); ++i) {
    int64_t offset = loadIndex(crow.view, base + i * crow.stride(1));
    int64_t least = i ? pattern.offsets.back() : 0;
    if (offset < least || offset > nnz)
      return expected("crow[" + str(i) + "]" + where + " to be from " +
                          str(least) + " to " + str(nnz),
                      str(offset));
    pattern.offsets.push_back(offset);
  }
  base = col.offset(batchIndex);
  for (int64_t p = pattern.offsets.front(); p < pattern.offsets.back(); ++p) {
    int64_t column = loadIndex(col.view, base + p * col.stride(1));
    if (column < 0 || column >= blockColumns)
      return expected("col[" + str(p) + "]" + where +
                          " to be from 0 to below " + str(blockColumns),
                      str(column));
    pattern.columns.push_back(column);
  }
  return pattern;
}
