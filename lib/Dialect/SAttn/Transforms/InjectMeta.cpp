//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"
#include "sattn/MetaTable/BsrAddmmTuning.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
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
struct InjectMetaPass
    : public sattn::impl::SAttnInjectMetaBase<InjectMetaPass> {
  using SAttnInjectMetaBase::SAttnInjectMetaBase;

  void runOnOperation() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    SmallVector<BsrAddmmOp> ops;
    getOperation().walk([&](BsrAddmmOp op) {
      bool hasPlan = limits->kind != meta::TargetKind::CPU && takesPlan(op);
      if (!hasPlan)
        dropPlan(op);
      if (!op.getMeta()) {
        ops.push_back(op);
        return;
      }
      if (!hasPlan)
        takeOneBlockRow(op);
      if (recordOrigins)
        recordOrigin(op, "the program");
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

  /// Whether a tile may have several block rows, by a plan. There is none where
  /// all batches of offsets have one list of columns, since it merges block
  /// rows of one batch's own blocks, and it is of no use where no block is
  /// read.
  static bool takesPlan(BsrAddmmOp op) {
    FloatAttr alpha;
    if (matchPattern(op.getAlpha(), m_Constant(&alpha)) &&
        alpha.getValue().isZero())
      return false;
    return op.isEncoded() ||
           op.getCol().getType().getRank() == op.getCrow().getType().getRank();
  }

  /// A plan is an order of blocks for thread blocks alone.
  static void dropPlan(BsrAddmmOp op) {
    op.getPanelsMutable().clear();
    op.getStepsMutable().clear();
  }

  /// A remark on the parameters of an op, for those who ask for it.
  remark::detail::InFlightRemark say(BsrAddmmOp op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return remark::analysis(op.getLoc(),
                            remark::RemarkOpts::name("TileParameters")
                                .category(getArgument())
                                .function(function ? function.getName() : ""));
  }

  /// A tile of several block rows is what thread blocks share by a plan; a
  /// program that asks for one runs without, too.
  void takeOneBlockRow(BsrAddmmOp op) {
    MetaAttr meta = op.getMetaAttr();
    SmallVector<int64_t> tile(meta.getTile());
    if (tile[0] == op.getBlockRows())
      return;
    tile[0] = op.getBlockRows();
    op.setMetaAttr(MetaAttr::get(op.getContext(), tile, meta.getStages(),
                                 meta.getWarps(), meta.getGroup()));
    bool isForCPU = limits->kind == meta::TargetKind::CPU;
    say(op) << remark::add(
        isForCPU ? "tile of one block row, as the CPU takes: {0}"
                 : "tile of one block row, since there is no plan: {0}",
        op.getMetaAttr());
  }

  static void recordOrigin(BsrAddmmOp op, StringRef origin) {
    Builder b(op.getContext());
    std::string text;
    llvm::raw_string_ostream(text) << op.getMetaAttr();
    StringRef parameters = text;
    parameters.consume_front("#sattn.meta<");
    parameters.consume_back(">");
    op->setDiscardableAttr(
        kTuningAttrName,
        b.getDictionaryAttr(
            {b.getNamedAttr("origin", b.getStringAttr(origin)),
             b.getNamedAttr("parameters", b.getStringAttr(parameters))}));
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

  meta::BsrAddmmFacts factsOf(BsrAddmmOp op) {
    meta::BsrAddmmFacts facts;
    std::optional<int64_t> m = known(op.getOut(), -2);
    if (!m && op.isEncoded())
      m = known(op.getValues(), -2);
    else if (!m && known(op.getCrow(), -1))
      m = product(*known(op.getCrow(), -1) - 1, op.getBlockRows());
    facts.m = orOption(m, 0);
    facts.n = orOption(known(op.getOut(), -1), 1);
    facts.k = orOption(known(op.getB(), -2), 2);
    facts.blockRows = op.getBlockRows();
    facts.blockColumns = op.getBlockColumns();
    for (int64_t size : op.getOut().getType().getShape().drop_back(2))
      facts.batches = product(facts.batches, known(size).value_or(1));
    facts.dtype = typeName(op.getValues().getType().getElementType());
    facts.outDtype = typeName(op.getOut().getType().getElementType());
    if (sparsity >= 0)
      facts.sparsity = std::lround(sparsity * 100);
    if (!op.isEncoded()) {
      facts.nnz = known(op.getValues(), -3);
      facts.sharesColumns =
          op.getCol().getType().getRank() != op.getCrow().getType().getRank();
    }
    facts.alpha = scalarOrOne(op.getAlpha());
    facts.beta = scalarOrOne(op.getBeta());
    facts.takesPanels = !op.isEncoded();
    return facts;
  }

  LogicalResult inject(BsrAddmmOp op, ArrayRef<meta::Table> tables) {
    meta::Search search = {
        *limits, device, version, exact, {row.begin(), row.end()}};
    llvm::Expected<meta::Choice> choice =
        meta::chooseBsrAddmm(tables, factsOf(op), search);
    if (!choice)
      return op.emitError()
             << "option 'row': " << llvm::toString(choice.takeError());
    for (const std::string &warning : choice->problems)
      op.emitWarning() << warning;
    meta::Parameters chosen = choice->parameters;
    if (!takesPlan(op) || op.getSteps())
      chosen.rows = op.getBlockRows() * op.getPanelGroups();
    MetaAttr attr = MetaAttr::get(op.getContext(),
                                  {chosen.rows, chosen.columns, chosen.depth},
                                  chosen.stages, chosen.warps, chosen.group);
    op.setMetaAttr(attr);
    say(op) << remark::add("tile parameters from {0}: {1}", choice->origin,
                           attr);
    if (recordOrigins)
      recordOrigin(op, choice->origin);
    // Blocks may be larger than a tile; tools do not verify between passes.
    return verify(op);
  }
};
} // namespace
