//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"
#include "sattn/MetaTable/Choose.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNINJECTMETA
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

static std::optional<int64_t> known(int64_t size) {
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return size;
}

/// The product of two sizes, or 2^63 - 1 where that is less.
static int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? std::numeric_limits<int64_t>::max()
                                         : result;
}

/// The size of a dimension counted from the last, -1.
static std::optional<int64_t> known(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return known(type.getDimSize(type.getRank() + dim));
}

/// A scalar that is known only at run time is taken to be 1, as it is by
/// default in torch.addmm.
static double scalarOrOne(Value scalar) {
  FloatAttr attr;
  if (!matchPattern(scalar, m_Constant(&attr)))
    return 1;
  return attr.getValue().convertToFloat();
}

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

namespace {
/// What of an op's sizes is known, from its types or the pass's options.
struct Sizes {
  std::optional<int64_t> m, n, k;
};

struct InjectMetaPass
    : public sattn::impl::SAttnInjectMetaBase<InjectMetaPass> {
  using SAttnInjectMetaBase::SAttnInjectMetaBase;

  void runOnOperation() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    SmallVector<BsrAddmmOp> ops;
    getOperation().walk([&](BsrAddmmOp op) {
      if (!op.getMeta())
        ops.push_back(op);
      else if (limits->kind == meta::TargetKind::CPU)
        takeOneBlockRow(op);
    });
    if (ops.empty())
      return;
    // Without a device there is nothing to look up.
    std::vector<meta::Table> tables;
    if (!device.empty()) {
      std::vector<std::string> problems;
      tables = meta::loadTables(table, problems);
      for (const std::string &problem : problems)
        getOperation().emitWarning() << problem;
    }
    for (BsrAddmmOp op : ops)
      if (failed(inject(op, tables)))
        return signalPassFailure();
  }

private:
  std::optional<meta::Target> limits;

  /// A tile of several block rows is what thread blocks share; a program that
  /// asks for one runs on the CPU too.
  static void takeOneBlockRow(BsrAddmmOp op) {
    MetaAttr meta = op.getMetaAttr();
    SmallVector<int64_t> tile(meta.getTile());
    if (tile[0] == op.getBlockRows())
      return;
    tile[0] = op.getBlockRows();
    op.setMetaAttr(MetaAttr::get(op.getContext(), tile, meta.getStages(),
                                 meta.getWarps(), meta.getGroup()));
    op.emitRemark() << "tile of one block row, as the CPU takes: "
                    << op.getMetaAttr();
  }

  LogicalResult checkOptions() {
    limits = meta::findTarget(target);
    if (!limits) {
      InFlightDiagnostic diag = getOperation().emitError()
                                << "expected 'target' to be one of ";
      llvm::interleaveComma(meta::targetNames(), diag);
      return diag << ", but got '" << target.getValue() << "'";
    }
    limits->sharedBytes = maxSharedBytes;
    if (!sizes.empty() && sizes.size() != 3)
      return getOperation().emitError()
             << "expected 'sizes' to be M, N and K, but got " << sizes.size()
             << " numbers";
    for (int64_t size : sizes)
      if (size < 0)
        return getOperation().emitError()
               << "expected 'sizes' of at least 0, but got " << size;
    if (!(sparsity <= 1))
      return getOperation().emitError()
             << "expected 'sparsity' to be at most 1, but got "
             << sparsity.getValue();
    return success();
  }

  /// A size that the types leave open may be given by the option.
  std::optional<int64_t> orOption(std::optional<int64_t> size, unsigned index) {
    if (!size && !sizes.empty() && sizes[index] > 0)
      return sizes[index];
    return size;
  }

  Sizes sizesOf(BsrAddmmOp op) {
    std::optional<int64_t> m = known(op.getOut(), -2);
    if (!m && op.isEncoded())
      m = known(op.getValues(), -2);
    else if (!m && known(op.getCrow(), -1))
      m = product(*known(op.getCrow(), -1) - 1, op.getBlockRows());
    return {orOption(m, 0), orOption(known(op.getOut(), -1), 1),
            orOption(known(op.getB(), -2), 2)};
  }

  /// In hundredths.
  std::optional<int64_t> sparsityOf(BsrAddmmOp op, const Sizes &of) {
    if (sparsity >= 0)
      return std::lround(sparsity * 100);
    std::optional<int64_t> nnz;
    if (!op.isEncoded())
      nnz = known(op.getValues(), -3);
    if (nnz && of.m && of.k)
      return meta::sparsityInHundredths(*nnz, op.getBlockRows(),
                                        op.getBlockColumns(), *of.m, *of.k);
    return std::nullopt;
  }

  meta::Query queryOf(BsrAddmmOp op, const Sizes &of) {
    meta::Query query;
    query.op = "bsr_addmm";
    query.device = device;
    query.version = version;
    query.dtype = typeName(op.getValues().getType().getElementType());
    query.outDtype = typeName(op.getOut().getType().getElementType());
    // What most rows are tuned for, where nothing says more.
    query.sparsity = sparsityOf(op, of).value_or(50);
    double alpha = scalarOrOne(op.getAlpha()), beta = scalarOrOne(op.getBeta());
    query.key = {*of.m,
                 *of.k,
                 *of.n,
                 op.getBlockRows(),
                 op.getBlockColumns(),
                 beta == 0,
                 beta == 1,
                 alpha == 1};
    query.exact = exact;
    return query;
  }

  meta::Problem problemOf(BsrAddmmOp op, const Sizes &of) {
    meta::Problem problem;
    problem.sparsity = sparsityOf(op, of);
    problem.takesPanels = !op.isEncoded();
    problem.m = of.m;
    problem.n = of.n;
    problem.blockRows = op.getBlockRows();
    problem.blockColumns = op.getBlockColumns();
    for (int64_t size : op.getOut().getType().getShape().drop_back(2))
      problem.batches = product(problem.batches, known(size).value_or(1));
    problem.elementBytes =
        op.getValues().getType().getElementTypeBitWidth() / 8;
    return problem;
  }

  /// The parameters of the option `row`.
  FailureOr<meta::Choice> chooseRow(BsrAddmmOp op, const Sizes &of,
                                    const meta::Problem &problem) {
    if (!of.m || !of.n || !of.k)
      return op.emitError() << "option 'row': expected known M, N and K";
    meta::Query query = queryOf(op, of);
    llvm::Expected<meta::Section> section = meta::makeSection(query, row);
    if (!section)
      return op.emitError()
             << "option 'row': " << llvm::toString(section.takeError());
    llvm::Expected<meta::Parameters> fitted =
        meta::fitRow(*section, section->rows.front(), problem, *limits);
    if (!fitted)
      return op.emitError()
             << "option 'row': " << llvm::toString(fitted.takeError());
    meta::Choice choice;
    choice.parameters = *fitted;
    choice.origin = "the option 'row'";
    return choice;
  }

  LogicalResult inject(BsrAddmmOp op, ArrayRef<meta::Table> tables) {
    Sizes of = sizesOf(op);
    meta::Problem problem = problemOf(op, of);
    meta::Choice choice;
    if (!row.empty()) {
      FailureOr<meta::Choice> given = chooseRow(op, of, problem);
      if (failed(given))
        return failure();
      choice = *given;
    } else if (device.empty()) {
      choice.parameters = meta::defaultParameters(problem, *limits);
      choice.origin = "the computed default";
    } else if (!of.m || !of.n || !of.k) {
      choice.parameters = meta::defaultParameters(problem, *limits);
      choice.origin = std::string("the computed default (a row is found by M, "
                                  "N and K, and ") +
                      (!of.m   ? "M"
                       : !of.n ? "N"
                               : "K") +
                      " is not known)";
    } else {
      choice = meta::choose(tables, queryOf(op, of), problem, *limits);
    }
    for (const std::string &warning : choice.problems)
      op.emitWarning() << warning;
    meta::Parameters &chosen = choice.parameters;
    // A plan merges block rows of one batch's own blocks.
    if (!op.isEncoded() &&
        op.getCol().getType().getRank() != op.getCrow().getType().getRank())
      chosen.rows = op.getBlockRows();
    MetaAttr attr = MetaAttr::get(op.getContext(),
                                  {chosen.rows, chosen.columns, chosen.depth},
                                  chosen.stages, chosen.warps, chosen.group);
    op.setMetaAttr(attr);
    op.emitRemark() << "tile parameters from " << choice.origin << ": " << attr;
    // Blocks may be larger than a tile; tools do not verify between passes.
    return verify(op);
  }
};
} // namespace
