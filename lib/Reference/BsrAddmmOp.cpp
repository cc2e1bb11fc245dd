//===- BsrAddmmOp.cpp - bsr_addmm for tools -------------------------------===//

#include "sattn/Reference/BsrAddmm.h"
#include "sattn/Reference/ElementConversion.h"
#include "sattn/Reference/Op.h"

#include <algorithm>

using namespace sattn::reference;
using sattn::runtime::ErrorOr;
using sattn::runtime::TensorView;

static double scalarOf(const NamedOperands &operands, const char *name) {
  return std::get<double>(operands.find(name)->value);
}

static TensorView tensorOf(const NamedOperands &operands, const char *name) {
  return *operands.findTensor(name);
}

static std::optional<TensorView> optionalOf(const NamedOperands &operands,
                                            const char *name) {
  if (const TensorView *tensor = operands.findTensor(name))
    return *tensor;
  return std::nullopt;
}

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  ErrorOr<std::vector<double>> out = bsrAddmm(
      {scalarOf(operands, "alpha"), scalarOf(operands, "beta"),
       tensorOf(operands, "crow"), tensorOf(operands, "col"),
       tensorOf(operands, "values"), tensorOf(operands, "b"),
       optionalOf(operands, "input"), optionalOf(operands, "left"),
       optionalOf(operands, "right"), tensorOf(operands, "out"),
       optionalOf(operands, "order"), operands.find("transpose_a") != nullptr,
       operands.find("transpose_b") != nullptr,
       operands.find("transpose_out") != nullptr});
  if (!out)
    return out.takeError();
  return std::vector<Result>{{"out", std::move(*out)}};
}

/// The extent of a matrix's columns; of its rows, if it is transposed.
static int64_t columnsOf(const TensorView &matrix, bool isTransposed) {
  return matrix.shape.end()[isTransposed ? -2 : -1];
}

/// A text such as "[2, 3]".
static std::string listText(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  const TensorView *crow = operands.findTensor("crow");
  const TensorView *values = operands.findTensor("values");
  const TensorView *b = operands.findTensor("b");
  if (!crow || !values || !b || crow->rank() < 1 || values->rank() < 3 ||
      b->rank() < 2)
    return sattn::runtime::Error("");
  int64_t blockRows = std::max<int64_t>(crow->shape.back() - 1, 0), rows = 0;
  int64_t rowDim = operands.find("transpose_a") ? -1 : -2;
  if (__builtin_mul_overflow(blockRows, values->shape.end()[rowDim], &rows))
    return sattn::runtime::Error(
        operands.find("crow")->who +
        ": expected offsets of less than 2^63 rows, but got shape " +
        listText(crow->shape));
  int64_t columns = columnsOf(*b, operands.find("transpose_b"));
  if (operands.find("transpose_out"))
    return std::vector<int64_t>{columns, rows};
  return std::vector<int64_t>{rows, columns};
}

/// Entries between the first and the last offset of every batch of crow.
static int64_t countBlocks(const TensorView &crow) {
  int64_t rows = crow.shape.back(), total = 0;
  int64_t batches = rows == 0 ? 0 : crow.numElements() / rows;
  for (int64_t batch = 0; batch < batches; ++batch) {
    int64_t offset = 0, rest = batch;
    for (int64_t dim = crow.rank() - 2; dim >= 0; --dim) {
      offset += rest % crow.shape[dim] * crow.strides[dim];
      rest /= crow.shape[dim];
    }
    int64_t last = offset + (rows - 1) * crow.strides.back();
    total += loadIndex(crow, last) - loadIndex(crow, offset);
  }
  return total;
}

static Description describe(const NamedOperands &operands) {
  TensorView crow = tensorOf(operands, "crow"), b = tensorOf(operands, "b");
  TensorView values = tensorOf(operands, "values");
  TensorView out = tensorOf(operands, "out");
  bool isTransposed = operands.find("transpose_out");
  int64_t m = columnsOf(out, !isTransposed), n = columnsOf(out, isTransposed);
  int64_t k = columnsOf(b, !operands.find("transpose_b"));
  int64_t blockRows = columnsOf(values, !operands.find("transpose_a")),
          blockColumns = columnsOf(values, operands.find("transpose_a"));
  int64_t batch = 1, stored = 0;
  for (int64_t dim = 0; dim < out.rank() - 2; ++dim)
    batch *= out.shape[dim];
  int64_t rows = crow.shape.back();
  int64_t crowBatch = rows ? crow.numElements() / rows : 0;
  if (crowBatch)
    stored = countBlocks(crow) * (batch / crowBatch);
  std::string dtype = name(b.dtype), outDtype = name(out.dtype);

  auto text = [](int64_t number) { return std::to_string(number); };
  Description result;
  result.text = (batch == 1 ? "" : text(batch) + " x ") + text(m) + "x" +
                text(k) + " @ " + text(k) + "x" + text(n) + ", block " +
                text(blockRows) + "x" + text(blockColumns) + ", " +
                text(stored) + " stored blocks, " + dtype + " -> " + outDtype;
  result.members = {{"m", m},
                    {"k", k},
                    {"n", n},
                    {"batch", batch},
                    {"block", std::vector<int64_t>{blockRows, blockColumns}},
                    {"stored_blocks", stored},
                    {"dtype", dtype},
                    {"out_dtype", outDtype}};
  result.operations = 2.0 * stored * blockRows * blockColumns * n;
  result.sizes = {m, n, k};
  double all = double(m) * k * batch;
  double present = double(stored) * blockRows * blockColumns;
  result.sparsity = all > 0 ? std::clamp(1 - present / all, 0.0, 1.0) : 0;
  return result;
}

namespace sattn::reference {
extern const Op kBsrAddmmOp = {"bsr_addmm", "out", compute, inferShape,
                               describe};
} // namespace sattn::reference
