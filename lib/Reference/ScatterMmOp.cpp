//===- ScatterMmOp.cpp - scatter_mm for tools -----------------------------===//

#include "sattn/Reference/Op.h"
#include "sattn/Reference/ScatterMm.h"

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;
using sattn::runtime::TensorView;

static TensorView tensorOf(const NamedOperands &operands, const char *name) {
  return *operands.findTensor(name);
}

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  ScatterMmOperands op;
  op.offsets = tensorOf(operands, "offsets");
  op.q = tensorOf(operands, "q");
  op.blocks = tensorOf(operands, "blocks");
  op.others = tensorOf(operands, "others");
  if (const TensorView *p = operands.findTensor("p"))
    op.p = *p;
  if (const TensorView *r = operands.findTensor("r"))
    op.r = *r;
  op.out = tensorOf(operands, "out");
  op.overwrites = operands.find("overwrite");
  ErrorOr<std::vector<double>> out = scatterMm(op);
  if (!out)
    return out.takeError();
  return std::vector<Result>{{"out", std::move(*out)}};
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  const TensorView *offsets = operands.findTensor("offsets"),
                   *blocks = operands.findTensor("blocks"),
                   *others = operands.findTensor("others");
  bool isGrid = operands.findTensor("r");
  // In the format with both lists, no operand tells how many rows the grid has.
  if (!offsets || !blocks || !others || offsets->rank() != 1 ||
      blocks->rank() != 3 || others->rank() < (isGrid ? 4 : 3) ||
      (isGrid && operands.findTensor("p")))
    return Error("");
  std::vector<int64_t> shape = {offsets->shape[0] - 1};
  if (isGrid)
    shape.push_back(others->shape.end()[-3]);
  shape.push_back(blocks->shape[1]);
  shape.push_back(others->shape.back());
  return shape;
}

static Description describe(const NamedOperands &operands) {
  TensorView offsets = tensorOf(operands, "offsets"),
             q = tensorOf(operands, "q"), blocks = tensorOf(operands, "blocks"),
             out = tensorOf(operands, "out");
  bool hasP = operands.findTensor("p"), hasR = operands.findTensor("r");
  int64_t blockRows = blocks.shape[1], blockColumns = blocks.shape[2],
          n = out.shape.back(), batch = 1;
  for (int64_t dim = 0; hasR && dim < out.rank() - 4; ++dim)
    batch *= out.shape[dim];
  int64_t entries = hasR ? operands.findTensor("r")->shape[0] : out.shape[0];
  std::string format = !hasR  ? "scatter_mm"
                       : hasP ? "bsr_strided_mm"
                              : "bsr_strided_mm_compressed";
  std::string dtype = sattn::runtime::name(blocks.dtype),
              outDtype = sattn::runtime::name(out.dtype);
  auto text = [](int64_t number) { return std::to_string(number); };
  Description result;
  result.text = (batch == 1 ? "" : text(batch) + " x ") + format + ", " +
                text(entries) + " sums of " + text(q.shape[0]) + " products, " +
                text(blockRows) + "x" + text(blockColumns) + " @ " +
                text(blockColumns) + "x" + text(n) + ", " + dtype + " -> " +
                outDtype;
  result.members = {{"format", format},
                    {"entries", entries},
                    {"pairs", q.shape[0]},
                    {"batch", batch},
                    {"block", std::vector<int64_t>{blockRows, blockColumns}},
                    {"n", n},
                    {"dtype", dtype},
                    {"out_dtype", outDtype}};
  result.operations = 2.0 * batch * q.shape[0] * blockRows * blockColumns * n;
  return result;
}

namespace sattn::reference {
extern const Op kScatterMmOp = {"scatter_mm", "out", compute, inferShape,
                                describe};
} // namespace sattn::reference
