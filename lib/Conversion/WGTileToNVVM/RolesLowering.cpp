//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Roles become branches.

#include "TileRegisters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::kWarpThreads;

/// Moves a role's program into a branch, after a change of its registers.
static void moveInto(OpBuilder &b, Location loc, Region &role,
                     int64_t registers, NVVM::SetMaxRegisterAction action,
                     Value onlyThread) {
  if (registers != 0)
    NVVM::SetMaxRegisterOp::create(b, loc, registers, action);
  Block &program = role.front();
  program.getTerminator()->erase();
  Block *target = b.getInsertionBlock();
  auto position = b.getInsertionPoint();
  if (onlyThread) {
    auto only = scf::IfOp::create(b, loc, onlyThread, /*withElse=*/false);
    target = only.thenBlock();
    position = target->getTerminator()->getIterator();
  }
  target->getOperations().splice(position, program.getOperations());
}

/// Makes a chain of branches, one for each role but the last.
static void lowerRoles(RolesOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value thread = createThreadId(b, loc);
  // Roles are whole warps, and ptxas has to see that all threads of a warp have
  // the same role.
  Value warp = arith::ShRUIOp::create(b, loc, thread, createI32(b, loc, 5));
  Value uniform = NVVM::ShflOp::create(
      b, loc, b.getI32Type(), createI32(b, loc, -1), warp, createI32(b, loc, 0),
      createI32(b, loc, 31), NVVM::ShflKind::idx, UnitAttr());
  auto entry =
      op->getParentOfType<gpu::GPUFuncOp>()->getAttrOfType<IntegerAttr>(
          NVVM::NVVMDialect::getMaxnregAttrName());
  auto lower = [&](Region &program) {
    unsigned role = program.getRegionNumber();
    Value onlyThread;
    if (!op.holdsTiles(role))
      onlyThread = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::eq, thread,
          createI32(b, loc, op.getFirstWarp(role) * kWarpThreads));
    int64_t registers = op.getRegisters()[role];
    bool increases = entry ? registers > entry.getInt() : op.holdsTiles(role);
    moveInto(b, loc, program, registers,
             increases ? NVVM::SetMaxRegisterAction::increase
                       : NVVM::SetMaxRegisterAction::decrease,
             onlyThread);
  };
  for (Region &program : op.getPrograms().drop_back()) {
    Value isRole = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ult, uniform,
        createI32(b, loc, op.getFirstWarp(program.getRegionNumber() + 1)));
    auto branch = scf::IfOp::create(b, loc, isRole, /*withElse=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    lower(program);
    b.setInsertionPointToStart(branch.elseBlock());
  }
  lower(op.getPrograms().back());
  op.erase();
}

void wgtile::lowerRoles(Operation *kernel) {
  SmallVector<RolesOp> all;
  kernel->walk([&](RolesOp op) { all.push_back(op); });
  for (RolesOp op : all)
    ::lowerRoles(op);
}
