//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sums over the CTAs of a cluster, through distributed shared memory.

#include "I32Arithmetic.h"
#include "TileRegisters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;

/// Elements that a thread moves at once: 16 bytes, side by side with those of
/// the next thread.
static constexpr int64_t kVector = 4;

/// Creates a barrier of all threads of the cluster that have not exited.
static void createClusterBarrier(OpBuilder &b, Location loc) {
  NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
}

/// Reads four elements from the place in the shared memory of the CTA
/// of that rank in the cluster.
static SmallVector<Value> readRemote(OpBuilder &b, Location loc, Value place,
                                     int64_t offset, int64_t rank,
                                     Type element) {
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), {element, element, element, element});
  bool isInteger = element.isInteger();
  std::string text =
      llvm::formatv("{{\n.reg .b32 %a;\nmapa.shared::cluster.u32 %a, $4, {0};\n"
                    "ld.shared::cluster.v4.{2} {{$0, $1, $2, $3}, [%a+{1}];\n}",
                    rank, offset, isInteger ? "b32" : "f32");
  Value read = createInlineAsm(b, loc, type, {place}, text,
                               isInteger ? "=r,=r,=r,=r,r,~{memory}"
                                         : "=f,=f,=f,=f,r,~{memory}")
                   ->getResult(0);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < kVector; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(b, loc, read, i));
  return elements;
}

namespace {
struct ClusterReduceLowering : OpConversionPattern<ClusterReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ClusterReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> tile = TileRegisters::get(op.getType());
    if (!tile)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    if (!op.getOffset())
      return op.emitOpError("expected a place in shared memory "
                            "(wgtile-allocate-shared)");
    Location loc = op.getLoc();
    I32Arithmetic i32{rewriter, loc};
    ValueRange registers = adaptor.getTile();
    auto count = static_cast<int64_t>(registers.size());
    Type element = tile->type.getElementType();
    bool isInteger = element.isInteger();
    int64_t bytes = kVector * sizeof(float);
    // Vector after vector, each for all threads.
    int64_t step = op.getBytes() / (count / kVector);
    Value thread = createConsumerThreadId(rewriter, loc);
    Value place = createSharedAddress(
        rewriter, loc,
        i32.add(i32.mul(thread, bytes), i32.i32(*op.getOffset())));
    place =
        LLVM::PtrToIntOp::create(rewriter, loc, rewriter.getI32Type(), place);
    for (int64_t i = 0; i < count; i += kVector) {
      SmallVector<Value> operands = {place};
      llvm::append_range(operands, registers.slice(i, kVector));
      createInlineAsm(
          rewriter, loc, TypeRange(), operands,
          llvm::formatv("st.shared.v4.{1} [$0+{0}], {{$1, $2, $3, $4};",
                        i / kVector * step, isInteger ? "b32" : "f32")
              .str(),
          isInteger ? "r,r,r,r,r,~{memory}" : "r,f,f,f,f,~{memory}");
    }
    createClusterBarrier(rewriter, loc);
    Value rank =
        gpu::ClusterBlockIdOp::create(rewriter, loc, gpu::Dimension::x);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value isFirst = arith::CmpIOp::create(rewriter, loc,
                                          arith::CmpIPredicate::eq, rank, zero);
    auto branch =
        scf::IfOp::create(rewriter, loc, registers.getTypes(), isFirst,
                          /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      // All reads first: they take as long as one.
      SmallVector<SmallVector<Value>> others;
      for (int64_t other = 1; other < op.getClusterSize(); ++other) {
        SmallVector<Value> &elements = others.emplace_back();
        for (int64_t i = 0; i < count; i += kVector)
          llvm::append_range(elements,
                             readRemote(rewriter, loc, place,
                                        i / kVector * step, other, element));
      }
      SmallVector<Value> sums(registers);
      for (ArrayRef<Value> elements : others)
        for (auto [sum, element] : llvm::zip_equal(sums, elements))
          sum = isInteger ? arith::AddIOp::create(rewriter, loc, sum, element)
                                .getResult()
                          : arith::AddFOp::create(rewriter, loc, sum, element)
                                .getResult();
      scf::YieldOp::create(rewriter, loc, sums);
      rewriter.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(rewriter, loc, registers);
    }
    // A CTA's shared memory is gone when it exits.
    createClusterBarrier(rewriter, loc);
    rewriter.replaceOpWithMultiple(op, {branch.getResults()});
    return success();
  }
};
} // namespace

void wgtile::populateClusterPatterns(const TileTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<ClusterReduceLowering>(converter, patterns.getContext());
}
