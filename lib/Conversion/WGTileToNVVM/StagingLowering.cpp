//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Results that leave through shared memory: register tiles are written to a
// warpgroup's staging tile, swizzled, and copied by the copy engine.

#include "TileRegisters.h"

#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

static constexpr int64_t kWarpgroupThreads = 128;
/// Named barrier of the first warpgroup; 0 is the thread block's.
static constexpr int64_t kFirstGroupBarrier = 1;

namespace {
/// Integer arithmetic on i32.
struct Arithmetic {
  OpBuilder &b;
  Location loc;

  Value i32(int64_t value) { return createI32(b, loc, value); }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value mul(Value lhs, int64_t rhs) {
    return arith::MulIOp::create(b, loc, lhs, i32(rhs));
  }
  Value div(Value lhs, int64_t rhs) {
    return arith::DivUIOp::create(b, loc, lhs, i32(rhs));
  }
  Value rem(Value lhs, int64_t rhs) {
    return arith::RemUIOp::create(b, loc, lhs, i32(rhs));
  }
  Value xOr(Value lhs, Value rhs) {
    return arith::XOrIOp::create(b, loc, lhs, rhs);
  }
};
} // namespace

/// This thread's number among all that hold register tiles, whatever the group.
static Value createConsumerThreadId(OpBuilder &b, Location loc) {
  Value id = createThreadId(b, loc);
  for (Operation *op = b.getInsertionBlock()->getParentOp(); op;
       op = op->getParentOp())
    if (isa<RolesOp>(op))
      return arith::SubIOp::create(b, loc, id,
                                   createI32(b, loc, kProducerThreads));
  return id;
}

static Value createWarpgroup(OpBuilder &b, Location loc) {
  return Arithmetic{b, loc}.div(createConsumerThreadId(b, loc),
                                kWarpgroupThreads);
}

static Value createDescriptor(OpBuilder &b, Location loc, Value map) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return UnrealizedConversionCastOp::create(b, loc, pointer, map).getResult(0);
}

/// Offset of the staging that a shared tile is.
static FailureOr<int64_t> getOffset(Operation *op, Value tile) {
  auto staging = tile.getDefiningOp<StagingOp>();
  if (!staging || !staging.getOffset())
    return op->emitOpError("expected a placed staging tile "
                           "(wgtile-allocate-shared)");
  return static_cast<int64_t>(*staging.getOffset());
}

static void createAsm(OpBuilder &b, Location loc, ValueRange operands,
                      const Twine &text, const Twine &constraints) {
  createInlineAsm(b, loc, TypeRange(), operands, ("{\n" + text + "}\n").str(),
                  (constraints + ",~{memory}").str());
}

namespace {
/// Writes of one thread's registers to its warpgroup's tile. A row of the tile
/// is one row of the swizzle, eight chunks of 16 bytes, and chunk c of row r is
/// at place c ^ (r % 8): places of chunks that differ in bits above those that
/// the thread's number sets differ by an exclusive or with a constant, which is
/// computed beside the write. One register a thread serves all of its writes.
class TileWriter {
public:
  TileWriter(OpBuilder &b, Location loc, SharedType type, int64_t offset)
      : b(b), a{b, loc}, loc(loc), type(type), offset(offset) {
    lane = a.rem(createThreadId(b, loc), kWarpThreads);
    Value warp = a.rem(a.div(createThreadId(b, loc), kWarpThreads), 4);
    warpRow = a.mul(warp, kWarpRows);
  }

  /// Address of the thread's first place, less the tile's offset, i32: that of
  /// the warpgroup's tile in the warpgroup's first thread.
  Value firstPlace() {
    if (type.getElementBytes() == 2)
      return chunkPlace(a.rem(lane, kWarpRows), a.div(lane, kWarpRows));
    Value quadLane = a.rem(lane, 4);
    return a.add(chunkPlace(a.div(lane, 4), a.div(quadLane, 2)),
                 a.mul(a.rem(quadLane, 2), kChunkBytes / 2));
  }

  /// Four 8 x 8 matrices at a time: columns [16 i, 16 i + 8) of the warp's rows
  /// 0 to 7 and 8 to 15, then the next eight columns of the same. Lane l names
  /// row l % 8 of matrix l / 8.
  void writePairs(ValueRange registers) {
    Value place = firstPlace();
    for (size_t i = 0; i < registers.size(); i += 4) {
      SmallVector<Value> operands = {place};
      for (Value pair : registers.slice(i, 4))
        operands.push_back(
            LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair));
      std::string write =
          llvm::formatv("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a+{0}], "
                        "{{$1, $2, $3, $4};\n",
                        offset);
      createAsm(b, loc, operands, addressText(i / 2) + write, "r,r,r,r,r");
    }
  }

  /// Pairs of neighbouring columns, eight columns after eight, of a row and of
  /// the one eight below it.
  void writeWords(ValueRange registers) {
    Value place = firstPlace();
    for (size_t i = 0; i < registers.size(); i += 2) {
      SmallVector<Value> operands = {place};
      for (Value word : registers.slice(i, 2))
        operands.push_back(
            LLVM::BitcastOp::create(b, loc, b.getI32Type(), word));
      int64_t row = i / 2 % 2 * kSwizzleRows;
      std::string write =
          llvm::formatv("st.shared.v2.b32 [%a+{0}], {{$1, $2};\n",
                        offset + row * type.getSwizzle());
      createAsm(b, loc, operands, addressText(i / 4 * 2) + write, "r,r,r");
    }
  }

private:
  OpBuilder &b;
  Arithmetic a;
  Location loc;
  SharedType type;
  int64_t offset;
  Value lane, warpRow;

  /// Address of a chunk of one of the warp's rows, less the tile's offset, i32.
  Value chunkPlace(Value rowInWarp, Value chunk) {
    Value row = a.add(warpRow, rowInWarp);
    Value swizzled = a.xOr(chunk, a.rem(row, kSwizzleRows));
    int64_t tileBytes = type.getRows() * type.getSwizzle();
    Value place = a.add(a.add(a.mul(createWarpgroup(b, loc), tileBytes),
                              a.mul(row, type.getSwizzle())),
                        a.mul(swizzled, kChunkBytes));
    return LLVM::PtrToIntOp::create(b, loc, b.getI32Type(),
                                    createSharedAddress(b, loc, place));
  }

  /// Makes %a the place `chunks` chunks on, an even number. The tile's offset
  /// is a multiple of what the swizzle permutes, and may be added later.
  static std::string addressText(int64_t chunks) {
    return llvm::formatv(".reg .b32 %a;\nxor.b32 %a, $0, {0};\n",
                         chunks * kChunkBytes);
  }
};

/// Coordinates of this warpgroup's rows of a tile, innermost first, i32; the
/// innermost is the first one and a constant, so that one register serves all
/// slices of a tile.
struct TileCoordinates {
  SmallVector<Value> values;
  int64_t columnOffset = 0;

  TileCoordinates(OpBuilder &b, Location loc, ValueRange indices,
                  int64_t warpgroups) {
    SmallVector<Value> rest(indices);
    columnOffset = peelConstant(b, loc, rest.back());
    Arithmetic a{b, loc};
    for (Value index : llvm::reverse(rest))
      values.push_back(
          arith::IndexCastOp::create(b, loc, b.getI32Type(), index));
    if (warpgroups > 1)
      values[1] =
          a.add(values[1],
                a.mul(a.rem(createWarpgroup(b, loc), warpgroups), kWgmmaRows));
  }

  /// Code of one thread of each warpgroup: `instruction`, with {0} the number
  /// of dimensions and {1} the coordinates, which are the operands from $1 on.
  std::string text(const char *instruction) const {
    std::string list = "%c";
    for (size_t i = 1; i < values.size(); ++i)
      list += ", $" + std::to_string(i + 1);
    std::string election =
        llvm::formatv(".reg .b32 %t, %c;\n.reg .pred %p;\n"
                      "mov.u32 %t, %tid.x;\nand.b32 %t, %t, {0};\n"
                      "setp.eq.s32 %p, %t, 0;\nadd.s32 %c, $1, {1};\n",
                      kWarpgroupThreads - 1, columnOffset);
    return election +
           llvm::formatv(instruction, values.size(), "{" + list + "}").str();
  }
  std::string constraints() const {
    std::string result = "l";
    for (size_t i = 0; i < values.size(); ++i)
      result += ",r";
    return result;
  }
};

struct StagingLowering : OpConversionPattern<StagingOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StagingOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<int64_t> offset = getOffset(op, op.getTile());
    if (failed(offset))
      return failure();
    rewriter.replaceOp(op, createI32(rewriter, op.getLoc(), *offset));
    return success();
  }
};

struct StoreSharedLowering : OpConversionPattern<StoreSharedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreSharedOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout =
        TileRegisters::get(op.getTile().getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    FailureOr<int64_t> offset = getOffset(op, op.getDest());
    if (failed(offset))
      return failure();
    TileWriter writer(rewriter, op.getLoc(), op.getDest().getType(), *offset);
    if (layout->packing == 2)
      writer.writePairs(adaptor.getTile());
    else
      writer.writeWords(adaptor.getTile());
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreAsyncLowering : OpConversionPattern<StoreAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreAsyncOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<int64_t> offset = getOffset(op, op.getSource());
    if (failed(offset))
      return failure();
    Location loc = op.getLoc();
    TileCoordinates coordinates(rewriter, loc, op.getIndices(),
                                op.getWarpgroups());
    TileWriter writer(rewriter, loc, op.getSource().getType(), *offset);
    SmallVector<Value> operands = {
        createDescriptor(rewriter, loc, op.getDest())};
    llvm::append_range(operands, coordinates.values);
    operands.push_back(writer.firstPlace());
    std::string source =
        llvm::formatv("[${0}+{1}];\n", operands.size() - 1, *offset);
    createAsm(rewriter, loc, operands,
              coordinates.text("@%p cp.async.bulk.tensor.{0}d.global.shared::"
                               "cta.bulk_group [$0, {1}], ") +
                  source + "@%p cp.async.bulk.commit_group;\n",
              coordinates.constraints() + ",r");
    rewriter.eraseOp(op);
    return success();
  }
};

struct PrefetchLowering : OpConversionPattern<PrefetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PrefetchOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    TileCoordinates coordinates(rewriter, loc, op.getIndices(),
                                op.getWarpgroups());
    SmallVector<Value> operands = {
        createDescriptor(rewriter, loc, op.getSource())};
    llvm::append_range(operands, coordinates.values);
    createAsm(rewriter, loc, operands,
              coordinates.text("@%p cp.async.bulk.prefetch.tensor.{0}d.L2."
                               "global [$0, {1}];\n"),
              coordinates.constraints());
    rewriter.eraseOp(op);
    return success();
  }
};

/// All threads wait: those that have started no copy have nothing to wait for.
struct WaitStoreLowering : OpConversionPattern<WaitStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitStoreOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, static_cast<uint32_t>(op.getPending()), op.getReadAttr());
    return success();
  }
};

struct GroupBarrierLowering : OpConversionPattern<GroupBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GroupBarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Arithmetic a{rewriter, loc};
    Value id = a.add(createWarpgroup(rewriter, loc), a.i32(kFirstGroupBarrier));
    NVVM::BarrierOp::create(rewriter, loc, /*res=*/Type(), id,
                            a.i32(kWarpgroupThreads),
                            NVVM::BarrierReductionAttr(), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct FenceAsyncLowering : OpConversionPattern<FenceAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FenceAsyncOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(
        op, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(rewriter.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    return success();
  }
};
} // namespace

void wgtile::populateStagingPatterns(const TileTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<FenceAsyncLowering, GroupBarrierLowering, PrefetchLowering,
               StagingLowering, StoreAsyncLowering, StoreSharedLowering,
               WaitStoreLowering>(converter, patterns.getContext());
}
