//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Target/Passes.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using wgtile::LaunchOp;

namespace sattn {
#define GEN_PASS_DEF_SATTNSELECTVERSIONS
#include "sattn/Target/Passes.h.inc"
} // namespace sattn

static void eraseKernel(LaunchOp launch, SymbolTableCollection &symbols) {
  if (Operation *kernel =
          symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr()))
    symbols.getSymbolTable(kernel->getParentOp()).erase(kernel);
}

/// The launch of the generic specialization, if the branch chooses between it
/// and others.
static LaunchOp findGeneric(scf::IfOp branch) {
  if (branch.getElseRegion().empty())
    return {};
  for (auto launch : branch.elseBlock()->getOps<LaunchOp>())
    if (auto version =
            launch->getAttrOfType<StringAttr>(wgtile::kVersionAttrName))
      if (version == "generic")
        return launch;
  return {};
}

/// Refuses calls that need the generic specialization, unless they launch
/// nothing.
static void refuse(LaunchOp generic, SymbolTableCollection &symbols) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        generic.getGrid(), zero);
  auto refusal = cf::AssertOp::create(
      b, loc, isEmpty, generic.getKernel().getLeafReference().getValue());
  for (StringRef name : {wgtile::kTuningAttrName, wgtile::kVersionAttrName})
    if (Attribute attr = generic->getAttr(name))
      refusal->setAttr(name, attr);
  eraseKernel(generic, symbols);
  generic.erase();
}

/// Launches the generic specialization whatever the arguments are. What was
/// computed for the others alone, such as copies of arguments, goes with them.
static void launchAlways(scf::IfOp branch, SymbolTableCollection &symbols) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(branch.getThenRegion(), used);
  branch.getThenRegion().walk(
      [&](LaunchOp launch) { eraseKernel(launch, symbols); });
  Block *block = branch.elseBlock();
  block->getTerminator()->erase();
  branch->getBlock()->getOperations().splice(branch->getIterator(),
                                             block->getOperations());
  branch.erase();
  for (Value value : used)
    if (auto computed = value.getDefiningOp<scf::IfOp>())
      if (computed->use_empty())
        computed->erase();
}

namespace {
struct SelectVersionsPass
    : public sattn::impl::SAttnSelectVersionsBase<SelectVersionsPass> {
  using SAttnSelectVersionsBase::SAttnSelectVersionsBase;

  void runOnOperation() override {
    if (versions == sattn::KernelVersions::All)
      return;
    SmallVector<scf::IfOp> branches;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](scf::IfOp branch) {
        if (findGeneric(branch))
          branches.push_back(branch);
      });
    SymbolTableCollection symbols;
    for (scf::IfOp branch : branches) {
      if (versions == sattn::KernelVersions::Generic)
        launchAlways(branch, symbols);
      else
        refuse(findGeneric(branch), symbols);
    }
  }
};
} // namespace
