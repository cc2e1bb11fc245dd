//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"
#include "sattn/Support/TileLoopAttributes.h"
#include "sattn/Tuning/Ops.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNINJECTMETA
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

namespace {
struct InjectMetaPass : sattn::impl::SAttnInjectMetaBase<InjectMetaPass> {
  using SAttnInjectMetaBase::SAttnInjectMetaBase;

  void runOnOperation() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    SmallVector<TuningOpInterface> ops;
    getOperation().walk([&](TuningOpInterface op) {
      std::optional<std::string> change = op.restrictTo(*limits);
      if (!op.getTileParameters()) {
        ops.push_back(op);
        return;
      }
      if (change)
        say(op) << remark::add("{0}: {1}", *change, op.getTileParameters());
      if (recordOrigins)
        recordOrigin(op, "the program");
    });
    if (ops.empty())
      return;
    // Without a device there is nothing to look up.
    std::vector<meta::Table> tables;
    if (!device.empty()) {
      std::vector<std::string> problems;
      tables = tuning::loadTables(table, problems);
      for (const std::string &problem : problems)
        getOperation().emitWarning() << problem;
    }
    for (TuningOpInterface op : ops)
      if (failed(inject(op, tables)))
        return signalPassFailure();
  }

private:
  std::optional<tuning::Target> limits;

  /// A remark on the parameters of an op, for those who ask for it.
  remark::detail::InFlightRemark say(TuningOpInterface op) {
    return remark::analysis(op.getLoc(), getRemark(op, "TileParameters"));
  }

  remark::RemarkOpts getRemark(TuningOpInterface op, StringRef name) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return remark::RemarkOpts::name(name)
        .category(getArgument())
        .function(function ? function.getName() : "");
  }

  static void recordOrigin(TuningOpInterface op, StringRef origin) {
    Builder b(op->getContext());
    std::string text;
    llvm::raw_string_ostream(text) << op.getTileParameters();
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
    limits = tuning::findTarget(target);
    if (!limits) {
      InFlightDiagnostic diag = getOperation().emitError()
                                << "expected 'target' to be one of ";
      llvm::interleaveComma(tuning::targetNames(), diag);
      return diag << ", but got '" << target.getValue() << "'";
    }
    if (limits->kind == tuning::TargetKind::CPU)
      limits->vectorBits = vectorBits;
    if (!sizes.empty() && sizes.size() != 3)
      return getOperation().emitError()
             << "expected 'sizes' to be M, N and K, but got " << sizes.size()
             << " numbers";
    for (int64_t size : sizes)
      if (size < 0)
        return getOperation().emitError()
               << "expected 'sizes' of at least 0, but got " << size;
    if (!(sparsity >= 0 && sparsity <= 1) && sparsity != -1)
      return getOperation().emitError()
             << "expected 'sparsity' from 0 to 1, or -1 where it is not known, "
                "but got "
             << sparsity.getValue();
    return success();
  }

  /// A size by its number; one of 0 is not known.
  std::optional<int64_t> getSize(unsigned index) {
    if (sizes.empty() || sizes[index] == 0)
      return std::nullopt;
    return sizes[index];
  }

  LogicalResult inject(TuningOpInterface op, ArrayRef<meta::Table> tables) {
    tuning::Search search = {
        *limits, device, version, exact, {row.begin(), row.end()}};
    TuningHints hints = {getSize(0), getSize(1), getSize(2), std::nullopt};
    if (sparsity >= 0)
      hints.sparsity = std::lround(sparsity * 100);
    llvm::Expected<tuning::Choice> choice = tuning::choose(
        op->getName().stripDialect(), tables, op.getTuningFacts(hints), search);
    if (!choice)
      return op->emitError()
             << "option 'row': " << llvm::toString(choice.takeError());
    for (const std::string &warning : choice->problems)
      op->emitWarning() << warning;
    const tuning::Parameters &chosen = choice->parameters;
    MetaAttr attr = MetaAttr::get(
        op->getContext(), {chosen.rows, chosen.columns, chosen.depth},
        TileSchedule{chosen.stages, chosen.warps, chosen.rasterGroup,
                     chosen.splitK, chosen.registerRows, chosen.registerVectors,
                     chosen.threads});
    op.setTileParameters(attr);
    say(op) << remark::add("tile parameters from {0}: {1}", choice->origin,
                           attr);
    if (choice->estimate && choice->estimate->isDenseFaster())
      remark::missed(op.getLoc(), getRemark(op, "DenseProduct"))
          << remark::add("a dense product takes an estimated {0:f2} of the "
                         "time of these blocks",
                         choice->estimate->denseRatio);
    if (recordOrigins)
      recordOrigin(op, choice->origin);
    // Blocks may be larger than a tile; tools do not verify between passes.
    return verify(op);
  }
};
} // namespace
