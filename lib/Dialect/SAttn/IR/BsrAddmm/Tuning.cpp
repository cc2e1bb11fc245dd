//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a sattn.bsr_addmm tells the choice of its parameters.

#include "../ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"
#include "sattn/Tuning/BsrAddmm.h"

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
static std::optional<int64_t> known(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return known(type.getDimSize(type.getRank() + dim));
}

/// The product of two sizes, at most 2^63 - 1.
static int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? std::numeric_limits<int64_t>::max()
                                         : result;
}

/// A scalar that is known only at run time is taken to be 1, as it is by
/// default in torch.addmm.
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

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
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

/// A plan is an order of blocks for the GPU alone, where the block rows of a
/// tile share loads by the plan; a program with such a tile runs without it,
/// too. Where the GPU's MMAs take b along K alone, it gets a copy that lies so.
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
  setMetaAttr(MetaAttr::get(getContext(), tile, meta.getStages(),
                            meta.getWarps(), meta.getRasterGroup(),
                            meta.getSplitK()));
  return isForCPU ? "tile of one block row, as the CPU takes"
                  : "tile of one block row, since there is no plan";
}

static tuning::bsr_addmm::Facts factsOf(BsrAddmmOp op,
                                        const TuningHints &hints) {
  auto orHint = [](std::optional<int64_t> size, std::optional<int64_t> hint) {
    return size ? size : hint;
  };
  tuning::bsr_addmm::Facts facts;
  std::optional<int64_t> m = known(op.getOut(), op.getRowDim());
  if (!m && op.isEncoded())
    m = known(op.getValues(), -2);
  else if (!m && known(op.getCrow(), -1))
    m = product(*known(op.getCrow(), -1) - 1, op.getBlockRows());
  facts.m = orHint(m, hints.m);
  facts.n = orHint(known(op.getOut(), op.getColumnDim()), hints.n);
  facts.k = orHint(known(op.getB(), op.getBRowDim()), hints.k);
  facts.blockRows = op.getBlockRows();
  facts.blockColumns = op.getBlockColumns();
  for (int64_t size : op.getOut().getType().getShape().drop_back(2))
    facts.batches = product(facts.batches, known(size).value_or(1));
  facts.dtype = typeName(op.getValues().getType().getElementType());
  facts.outDtype = typeName(op.getOut().getType().getElementType());
  facts.alongK = op.getTransposeB();
  facts.sparsity = hints.sparsity;
  if (!op.isEncoded()) {
    facts.nnz = known(op.getValues(), -3);
    facts.sharesColumns =
        op.getCol().getType().getRank() != op.getCrow().getType().getRank();
  }
  facts.alpha = scalarOrOne(op.getAlpha());
  facts.beta = scalarOrOne(op.getBeta());
  facts.takesRowBlockGroups = !op.isEncoded();
  return facts;
}

llvm::Expected<tuning::Choice>
BsrAddmmOp::chooseParameters(ArrayRef<meta::Table> tables,
                             const tuning::Search &search,
                             const TuningHints &hints) {
  llvm::Expected<tuning::Choice> choice =
      tuning::bsr_addmm::choose(tables, factsOf(*this, hints), search);
  if (choice && (!takesPlan(*this) || getSteps()) &&
      choice->parameters.rows > getBlockRows())
    choice->parameters.rows = getBlockRows() * getBlockRowsPerTile();
  return choice;
}
