//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The facts of a sattn.bsr_addmm that its parameters are chosen by.

#include "../ProductTypes.h"
#include "../TuningFacts.h"

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace sattn;

static std::optional<int64_t> known(int64_t size) {
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return size;
}

/// The size of a dimension counted from the last, -1.
static int64_t sizeOf(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getDimSize(type.getRank() + dim);
}

static std::optional<int64_t> known(Value tensor, int64_t dim) {
  return known(sizeOf(tensor, dim));
}

/// The product of two sizes, at most 2^63 - 1.
static int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? std::numeric_limits<int64_t>::max()
                                         : result;
}

/// A scalar that is known only at run time counts as 1, its default in
/// torch.addmm.
static double scalarOrOne(Value scalar) {
  FloatAttr attr;
  if (!matchPattern(scalar, m_Constant(&attr)))
    return 1;
  return attr.getValue().convertToDouble();
}

/// Whether a scalar is a constant 0.
static bool isZero(Value scalar) {
  FloatAttr attr;
  return matchPattern(scalar, m_Constant(&attr)) && attr.getValue().isZero();
}

/// Whether a tile may have several block rows, by a plan. There is none where
/// all batches of offsets have one list of columns, since it merges block rows
/// of one batch's own blocks, and it is of no use where no block is read.
static bool takesPlan(BsrAddmmOp op) {
  if (isZero(op.getAlpha()))
    return false;
  return op.isEncoded() ||
         op.getCol().getType().getRank() == op.getCrow().getType().getRank();
}

/// Adapts the op to the target. A plan is an order of blocks for the GPU alone,
/// where the block rows of a tile share loads by the plan; a program with such
/// a tile runs without it, too. Where the GPU's MMAs take b along K alone, it
/// gets a copy that lies so.
std::optional<std::string>
BsrAddmmOp::restrictTo(const tuning::Target &target) {
  bool isForCPU = target.kind == tuning::TargetKind::CPU;
  if (!isForCPU && !getTransposeB() && !isZero(getAlpha()) &&
      needsKMajor(getB().getType().getElementType())) {
    OpBuilder b(*this);
    getBMutable().assign(createTransposed(b, getLoc(), getB()));
    setTransposeB(true);
  }
  if (!isForCPU && takesPlan(*this))
    return std::nullopt;
  getRowBlockGroupsMutable().clear();
  getStepsMutable().clear();
  MetaAttr meta = getMetaAttr();
  if (!meta || meta.getTile()[0] == getBlockRows() ||
      (!isForCPU && meta.getTile()[0] < getBlockRows()))
    return std::nullopt;
  SmallVector<int64_t> tile(meta.getTile());
  tile[0] = getBlockRows();
  setMetaAttr(meta.withTile(tile));
  return isForCPU ? "tile of one block row, as the CPU takes"
                  : "tile of one block row, since there is no plan";
}

SmallVector<tuning::NamedFact>
BsrAddmmOp::getTuningFacts(const TuningHints &hints) {
  TuningFacts facts;
  std::optional<int64_t> m = known(getOut(), getRowDim());
  if (!m && isEncoded())
    m = known(getValues(), -2);
  else if (!m && known(getCrow(), -1))
    m = product(*known(getCrow(), -1) - 1, getBlockRows());
  facts.add("m", m ? m : hints.m);
  facts.addSize("n", sizeOf(getOut(), getColumnDim()), hints.n);
  facts.addSize("k", sizeOf(getB(), getBRowDim()), hints.k);
  facts.add("block_rows", getBlockRows());
  facts.add("block_columns", getBlockColumns());
  int64_t batches = 1;
  for (int64_t size : getOut().getType().getShape().drop_back(2))
    batches = product(batches, known(size).value_or(1));
  facts.add("batches", batches);
  facts.addType("dtype", getValues().getType().getElementType());
  facts.addType("out_dtype", getOut().getType().getElementType());
  facts.addFlag("along_k", getTransposeB());
  facts.add("sparsity", hints.sparsity);
  if (!isEncoded()) {
    facts.add("nnz", known(getValues(), -3));
    facts.addFlag("shares_columns", getCol().getType().getRank() !=
                                        getCrow().getType().getRank());
  }
  facts.addFlag("is_encoded", isEncoded());
  facts.addNumber("alpha", scalarOrOne(getAlpha()));
  facts.addNumber("beta", scalarOrOne(getBeta()));
  if (!takesPlan(*this) || getSteps())
    facts.add("planned_block_rows", getBlockRowsPerTile());
  return facts.take();
}
