//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Zeros in the rows of an MMA's right operand that do not count.

#include "TileRegisters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

/// Whether stages of shared memory may be filled by TMA, which the writes here
/// are to precede.
static bool hasTMA(Operation *op) {
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  auto target =
      module ? module->getAttrOfType<TargetAttr>(kTargetAttrName) : nullptr;
  return target && target.getResources().hasTMA;
}

void wgtile::clearRows(OpBuilder &b, MmaOpInterface mma, Value offset,
                       Value rows) {
  Location loc = mma.getLoc();
  SharedTile tile = mma.getB().getType().getTile();
  assert(!tile.isPacked && "rows of a packed tile have no place of their own");
  auto constant = [&](int64_t value) { return createI32(b, loc, value); };
  Value first = arith::IndexCastOp::create(b, loc, b.getI32Type(), rows);
  first = arith::MaxSIOp::create(b, loc, first, constant(0));
  Value isCut = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, first,
                                      constant(tile.rows));
  auto branch = scf::IfOp::create(b, loc, isCut, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  // Each warp clears all of the rows: it then waits for no other, and whichever
  // of a warpgroup starts to multiply finds zeros.
  // The lane is asked for here, since no register is to keep it in the loops
  // around.
  Value lane =
      createInlineAsm(b, loc, b.getI32Type(), {}, "mov.u32 $0, %laneid;", "=r")
          .getRes();
  lane = arith::MulIOp::create(b, loc, lane, constant(kChunkBytes));
  Value begin = arith::MulIOp::create(b, loc, first, constant(tile.swizzle));
  begin = arith::AddIOp::create(b, loc, begin, lane);
  auto loop =
      scf::ForOp::create(b, loc, begin, constant(tile.rows * tile.swizzle),
                         constant(kWarpThreads * kChunkBytes));
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(loop.getBody());
    auto type = VectorType::get({kChunkBytes / 4}, b.getI32Type());
    Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    for (int64_t box = 0; box < tile.numBoxes(); ++box) {
      Value place = arith::AddIOp::create(b, loc, offset,
                                          constant(box * tile.boxBytes()));
      place = arith::AddIOp::create(b, loc, place, loop.getInductionVar());
      LLVM::StoreOp::create(b, loc, zeros, createSharedAddress(b, loc, place),
                            /*alignment=*/kChunkBytes);
    }
  }
  b.setInsertionPointAfter(loop);
  if (!mma.getMmaSync() || hasTMA(mma))
    NVVM::FenceProxyOp::create(
        b, loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(b.getContext(),
                                   NVVM::SharedSpace::shared_cta));
  NVVM::SyncWarpOp::create(b, loc, constant(-1));
}
