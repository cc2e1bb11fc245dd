//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Results that leave through shared memory: register tiles are written to a
// warpgroup's staging tile, swizzled, and copied by TMA. Tiles that TMA loaded
// are read the same way.

#include "I32Arithmetic.h"
#include "SwizzledRows.h"

#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

/// Named barrier of the first warpgroup; 0 is the CTA's.
static constexpr int64_t kFirstWarpgroupBarrier = 1;

static Value createWarpgroup(OpBuilder &b, Location loc) {
  return I32Arithmetic{b, loc}.div(createConsumerThreadId(b, loc),
                                   kWarpgroupThreads);
}

/// Where a tile of a stage of warpgroups is in the kernel's shared memory.
struct StagingPlace {
  /// A constant, for the addresses of instructions.
  int64_t offset;
  /// The offset that is known only at run time; may be null.
  Value stage;

  StagingPlace(ConversionPatternRewriter &b, Location loc,
               TypedValue<RingType> ring, Value number, int64_t tile)
      : offset(*ring.getDefiningOp<RingOp>().getOffset() +
               ring.getType().getTileOffset(tile)) {
    add(b, loc, number, ring.getType().getStageBytes());
    for (Operation *user : ring.getUsers())
      if (auto borrow = dyn_cast<StageBorrowOp>(user)) {
        auto lender =
            cast<RingType>(ring.getDefiningOp<RingOp>().getLender().getType());
        add(b, loc, b.getRemappedValue(borrow.getToken()),
            lender.getStageBytes());
      }
  }

  /// Adds a number of bytes.
  void add(OpBuilder &b, Location loc, Value number, int64_t bytes) {
    if (std::optional<int64_t> constant = getConstantIntValue(number)) {
      offset += *constant * bytes;
      return;
    }
    I32Arithmetic a{b, loc};
    Value more = a.mul(number, bytes);
    stage = stage ? a.add(stage, more) : more;
  }

  /// The place of a thread in the stage, from its place in the first.
  Value of(OpBuilder &b, Location loc, Value place) const {
    return stage ? I32Arithmetic{b, loc}.add(place, stage) : place;
  }
};

static void createAsm(OpBuilder &b, Location loc, ValueRange operands,
                      const Twine &text, const Twine &constraints) {
  createInlineAsm(b, loc, TypeRange(), operands, ("{\n" + text + "}\n").str(),
                  (constraints + ",~{memory}").str());
}

/// Writes a thread's registers, pairs of elements of 16 bits, to its
/// warpgroup's rows of a tile, whose offset is known: four 8 x 8 matrices at a
/// time, in the order of SwizzledRows::firstPlace.
static void writePairs(OpBuilder &b, Location loc, Value place, int64_t offset,
                       ValueRange registers) {
  for (size_t i = 0; i < registers.size(); i += 4) {
    SmallVector<Value> operands = {place};
    for (Value pair : registers.slice(i, 4))
      operands.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair));
    std::string write =
        llvm::formatv("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a+{0}], "
                      "{{$1, $2, $3, $4};\n",
                      offset);
    createAsm(b, loc, operands, SwizzledRows::addressText(i / 2) + write,
              "r,r,r,r,r");
  }
}

/// Writes elements of 32 bits: pairs of neighbouring columns, eight columns
/// after eight, of a row and of the one eight below it.
static void writeWords(OpBuilder &b, Location loc, Value place, int64_t offset,
                       int64_t rowBytes, ValueRange registers) {
  for (size_t i = 0; i < registers.size(); i += 2) {
    SmallVector<Value> operands = {place};
    for (Value word : registers.slice(i, 2))
      operands.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), word));
    int64_t row = i / 2 % 2 * kSwizzleRows;
    std::string write = llvm::formatv("st.shared.v2.b32 [%a+{0}], {{$1, $2};\n",
                                      offset + row * rowBytes);
    createAsm(b, loc, operands, SwizzledRows::addressText(i / 4 * 2) + write,
              "r,r,r");
  }
}

/// Writes pairs to a tile whose columns are the warpgroup's rows: eight columns
/// of registers after eight, four matrices at a time while four are left.
static void writePairsTransposed(OpBuilder &b, Location loc, Value place,
                                 int64_t offset, int64_t rowBytes,
                                 ValueRange registers) {
  for (size_t i = 0; i < registers.size(); i += 4) {
    ValueRange matrices =
        registers.slice(i, std::min<size_t>(4, registers.size() - i));
    SmallVector<Value> operands = {place};
    std::string names, constraints = "r";
    for (auto [k, pair] : llvm::enumerate(matrices)) {
      operands.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair));
      names += (k ? ", $" : "$") + std::to_string(k + 1);
      constraints += ",r";
    }
    int64_t row = i / 2 * kSwizzleRows;
    createAsm(b, loc, operands,
              llvm::formatv("stmatrix.sync.aligned.m8n8.x{0}.trans.shared.b16 "
                            "[$0+{1}], {{{2}};\n",
                            matrices.size(), offset + row * rowBytes, names)
                  .str(),
              constraints);
  }
}

/// Writes elements of 32 bits to a tile whose columns are the warpgroup's rows,
/// one by one.
static void writeWordsTransposed(OpBuilder &b, Location loc, Value place,
                                 int64_t offset, int64_t rowBytes,
                                 ValueRange registers) {
  for (auto [i, word] : llvm::enumerate(registers)) {
    // A register's own column, row and eight columns of the tile.
    int64_t c = i % 2, r = i / 2 % 2, row = i / 4 * kSwizzleRows + c;
    std::string write =
        llvm::formatv("st.shared.b32 [%a+{0}], $1;\n", offset + row * rowBytes);
    createAsm(b, loc,
              {place, LLVM::BitcastOp::create(b, loc, b.getI32Type(), word)},
              SwizzledRows::addressText(2 * r ^ c) + write, "r,r");
  }
}

/// Reads `count` words into registers of a thread by an instruction that takes
/// `width` of them from %a, whose place is $`width`.
static SmallVector<Value>
readRegisters(OpBuilder &b, Location loc, Value place, int64_t count,
              int64_t width,
              llvm::function_ref<std::string(int64_t first, StringRef names)>
                  instruction) {
  std::string names = "{$0", constraints = "=r";
  for (int64_t i = 1; i < width; ++i) {
    names += ", $" + std::to_string(i);
    constraints += ",=r";
  }
  names += "}";
  Type type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(width, b.getI32Type()));
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; i += width) {
    Value read = createInlineAsm(b, loc, type, place,
                                 "{\n" + instruction(i, names) + "}\n",
                                 constraints + ",r,~{memory}")
                     .getResult(0);
    for (int64_t k = 0; k < width; ++k)
      words.push_back(LLVM::ExtractValueOp::create(b, loc, read, k));
  }
  return words;
}

/// Reads of the registers that writePairs and writeWords write, from a tile of
/// any offset, which is part of `place`, box after box.
static SmallVector<Value> readPairs(OpBuilder &b, Location loc, Value place,
                                    const SharedTile &tile, int64_t count) {
  int64_t chunks = tile.swizzle / kChunkBytes;
  return readRegisters(
      b, loc, place, count, /*width=*/4, [&](int64_t i, StringRef names) {
        return SwizzledRows::addressText(i / 2 % chunks, "$4") +
               llvm::formatv("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {0}, "
                             "[%a+{1}];\n",
                             names, i / 2 / chunks * tile.boxBytes())
                   .str();
      });
}

static SmallVector<Value> readWords(OpBuilder &b, Location loc, Value place,
                                    const SharedTile &tile, int64_t count) {
  int64_t chunks = tile.swizzle / kChunkBytes;
  return readRegisters(
      b, loc, place, count, /*width=*/2, [&](int64_t i, StringRef names) {
        int64_t chunk = i / 4 * 2;
        return SwizzledRows::addressText(chunk % chunks, "$2") +
               llvm::formatv("ld.shared.v2.b32 {0}, [%a+{1}];\n", names,
                             i / 2 % 2 * kSwizzleRows * tile.swizzle +
                                 chunk / chunks * tile.boxBytes())
                   .str();
      });
}

namespace {
/// Coordinates of this warpgroup's rows of a tile, innermost first, i32; the
/// innermost is the first one and a constant, so that one register serves all
/// slices of a tile.
struct TileCoordinates {
  SmallVector<Value> values;
  int64_t columnOffset = 0;

  /// The coordinates of a tile; with `isTransposed` the warpgroups' rows run
  /// along the innermost one.
  TileCoordinates(OpBuilder &b, Location loc, ValueRange indices,
                  int64_t warpgroups, bool isTransposed = false) {
    SmallVector<Value> rest(indices);
    columnOffset = peelConstant(b, loc, rest.back());
    I32Arithmetic a{b, loc};
    for (Value index : llvm::reverse(rest))
      values.push_back(
          arith::IndexCastOp::create(b, loc, b.getI32Type(), index));
    Value &rows = values[isTransposed ? 0 : 1];
    if (warpgroups > 1)
      rows = a.add(
          rows, a.mul(a.rem(createWarpgroup(b, loc), warpgroups), kWgmmaRows));
  }

  /// Code of one thread of each warpgroup: `instruction`, with {0} the number
  /// of dimensions and {1} the coordinates, which are the operands from $1 on.
  /// Only the first of several elects the thread.
  std::string text(const char *instruction, bool isFirst = true) const {
    std::string list = "%c";
    for (size_t i = 1; i < values.size(); ++i)
      list += ", $" + std::to_string(i + 1);
    std::string election;
    if (isFirst)
      election = llvm::formatv(".reg .b32 %t, %c;\n.reg .pred %p;\n"
                               "mov.u32 %t, %tid.x;\nand.b32 %t, %t, {0};\n"
                               "setp.eq.s32 %p, %t, 0;\n",
                               kWarpgroupThreads - 1);
    return election +
           llvm::formatv("add.s32 %c, $1, {0};\n", columnOffset).str() +
           llvm::formatv(instruction, values.size(), "{" + list + "}").str();
  }
  std::string constraints() const {
    std::string result = "l";
    for (size_t i = 0; i < values.size(); ++i)
      result += ",r";
    return result;
  }
};

struct StageTileLowering : OpConversionPattern<RingStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RingStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RingType ring = op.getRing().getType();
    auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
    std::optional<TileRegisters> layout;
    if (tile)
      layout = TileRegisters::get(tile);
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Location loc = op.getLoc();
    auto type = cast<SharedType>(ring.getTiles()[op.getTile()]);
    SwizzledRows rows(rewriter, loc, type);
    Value warpgroup = createWarpgroup(rewriter, loc);
    StagingPlace stage(rewriter, loc, op.getRing(), adaptor.getToken().front(),
                       op.getTile());
    Value place =
        stage.of(rewriter, loc,
                 op.getTransposed() ? rows.firstTransposedPlace(warpgroup)
                                    : rows.firstPlace(warpgroup));
    ValueRange registers = adaptor.getValue();
    bool hasPairs = layout->packing == 2;
    if (op.getTransposed())
      (hasPairs ? writePairsTransposed : writeWordsTransposed)(
          rewriter, loc, place, stage.offset, type.getSwizzle(), registers);
    else if (hasPairs)
      writePairs(rewriter, loc, place, stage.offset, registers);
    else
      writeWords(rewriter, loc, place, stage.offset, type.getSwizzle(),
                 registers);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReadSharedLowering : OpConversionPattern<ReadSharedOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadSharedOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout =
        TileRegisters::get(op.getTile().getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Location loc = op.getLoc();
    SharedType type = op.getSource().getType();
    // Each consumer group has a tile of its own.
    I32Arithmetic a{rewriter, loc};
    Value warpgroup =
        a.rem(createWarpgroup(rewriter, loc), type.getRows() / kWgmmaRows);
    Value place = a.add(SwizzledRows(rewriter, loc, type).firstPlace(warpgroup),
                        adaptor.getSource().front());
    SmallVector<Value> registers;
    auto *read = layout->packing == 2 ? readPairs : readWords;
    for (Value word :
         read(rewriter, loc, place, type.getTile(), layout->registers()))
      registers.push_back(
          LLVM::BitcastOp::create(rewriter, loc, layout->registerType(), word));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct TmaStoreLowering : OpConversionPattern<TmaStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TmaStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    StagingPlace stage(rewriter, loc, op.getRing(), adaptor.getToken().front(),
                       op.getTile());
    TileCoordinates coordinates(rewriter, loc, op.getIndices(),
                                op.getWarpgroups(), op.getTransposed());
    SmallVector<Value> operands = {
        createDescriptor(rewriter, loc, op.getDest())};
    llvm::append_range(operands, coordinates.values);
    auto type =
        cast<SharedType>(op.getRing().getType().getTiles()[op.getTile()]);
    SwizzledRows rows(rewriter, loc, type);
    Value warpgroup = createWarpgroup(rewriter, loc);
    operands.push_back(stage.of(rewriter, loc,
                                op.getTransposed()
                                    ? rows.firstTransposedPlace(warpgroup)
                                    : rows.firstPlace(warpgroup)));
    SharedTile tile = type.getTile();
    std::string text;
    for (int64_t box = 0; box < tile.numBoxes(); ++box) {
      text += coordinates.text("@%p cp.async.bulk.tensor.{0}d.global.shared::"
                               "cta.bulk_group [$0, {1}], ",
                               /*isFirst=*/box == 0);
      text += llvm::formatv("[${0}+{1}];\n", operands.size() - 1,
                            stage.offset + box * tile.boxBytes());
      coordinates.columnOffset += tile.boxColumns();
    }
    createAsm(rewriter, loc, operands,
              text + "@%p cp.async.bulk.commit_group;\n",
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
    if (!op.getWarpgroups()) {
      createBoxPrefetch(rewriter, loc, op.getSource(), op.getIndices());
      rewriter.eraseOp(op);
      return success();
    }
    TileCoordinates coordinates(rewriter, loc, op.getIndices(),
                                *op.getWarpgroups());
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

struct NamedBarrierLowering : OpConversionPattern<NamedBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NamedBarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    I32Arithmetic a{rewriter, loc};
    Value id =
        a.add(createWarpgroup(rewriter, loc), a.i32(kFirstWarpgroupBarrier));
    NVVM::BarrierOp::create(rewriter, loc, /*res=*/Type(), id,
                            a.i32(kWarpgroupThreads),
                            NVVM::BarrierReductionAttr(), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct WarpBarrierLowering : OpConversionPattern<WarpBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpBarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value all = createI32(rewriter, op.getLoc(), -1);
    rewriter.replaceOpWithNewOp<NVVM::SyncWarpOp>(op, all);
    return success();
  }
};

struct BlockBarrierLowering : OpConversionPattern<BlockBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BlockBarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<gpu::BarrierOp>(op);
    return success();
  }
};

struct FenceProxyAsyncLowering : OpConversionPattern<FenceProxyAsyncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FenceProxyAsyncOp op, OneToNOpAdaptor,
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
  patterns.add<BlockBarrierLowering, FenceProxyAsyncLowering,
               NamedBarrierLowering, PrefetchLowering, ReadSharedLowering,
               StageTileLowering, TmaStoreLowering, WarpBarrierLowering>(
      converter, patterns.getContext());
}
