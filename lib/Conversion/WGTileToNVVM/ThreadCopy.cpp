//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Copies of tiles from global to shared memory by the threads of a block. A
// thread copies chunks of 16 bytes, neighbouring threads neighbouring chunks.

#include "TileRegisters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

int64_t wgtile::getBlockThreads(Operation *op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
  return threads ? threads[0] : kWarpThreads;
}

namespace {
class ThreadCopy {
public:
  ThreadCopy(OpBuilder &b, Location loc, SharedType type, Value offset,
             TypedValue<MemRefType> source, ValueRange indices, int64_t threads)
      : b(b), loc(loc), type(type), tile(type.getTile()), offset(offset),
        threads(threads),
        rowChunks(llvm::divideCeil(type.getColumns(), chunkElements())),
        chunks(type.getRows() * rowChunks), id(createThreadId(b, loc)) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, source);
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, source);
    Value first = metadata.getOffset();
    for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
      first = add(first, mul(index, stride));
    Value bytes = constantIndex(tile.elementBytes);
    base = toI64(add(address, mul(first, bytes)));
    rowStride = toI64(mul(metadata.getStrides().drop_back().back(), bytes));
    columnStride = toI64(mul(metadata.getStrides().back(), bytes));
    rowsLeft = clip(metadata.getSizes().drop_back().back(),
                    indices.drop_back().back(), type.getRows());
    columnsLeft =
        clip(metadata.getSizes().back(), indices.back(), type.getColumns());
  }

  /// Copies all chunks of this thread, one after the other.
  void copyAligned() {
    if (changesPattern())
      id = hide(id);
    for (int64_t iteration = 0; iteration < countIterations(); ++iteration)
      guarded(chunkOf(iteration), (iteration + 1) * threads > chunks,
              [&] { copyChunk(rowOf(iteration), columnOf(iteration)); });
  }

  /// Copies elements of all chunks of this thread, in a loop, since elements
  /// take many instructions.
  void copyElements() {
    Value zero = constantIndex(0), one = constantIndex(1);
    scf::ForOp::create(
        b, loc, zero, constantIndex(countIterations()), one, ValueRange(),
        [&](OpBuilder &, Location, Value iteration, ValueRange) {
          Value number = arith::IndexCastOp::create(b, loc, i32(), iteration);
          Value chunk = add(id, mul(number, constant(threads)));
          guarded(chunk, chunks % threads != 0, [&] {
            gatherChunk(div(chunk, rowChunks), rem(chunk, rowChunks));
          });
          scf::YieldOp::create(b, loc);
        });
  }

private:
  OpBuilder &b;
  Location loc;
  SharedType type;
  SharedTile tile;
  Value offset;
  int64_t threads, rowChunks, chunks;
  Value id;
  /// Address of the tile's first element and strides in bytes, i64.
  Value base, rowStride, columnStride;
  /// Rows and columns of the tile that lie in the source, i32; may be negative.
  Value rowsLeft, columnsLeft;

  int64_t chunkElements() const { return kChunkBytes / tile.elementBytes; }
  int64_t countIterations() const { return llvm::divideCeil(chunks, threads); }

  /// Whether a thread's chunks are in one column, at rows that differ by
  /// constants: the chunks of a row divide the threads.
  bool keepsColumn() const { return threads % rowChunks == 0; }
  Value chunkOf(int64_t iteration) {
    return add(id, constant(iteration * threads));
  }
  Value rowOf(int64_t iteration) {
    if (keepsColumn())
      return add(div(id, rowChunks),
                 constant(iteration * (threads / rowChunks)));
    return div(chunkOf(iteration), rowChunks);
  }
  Value columnOf(int64_t iteration) {
    return rem(keepsColumn() ? id : chunkOf(iteration), rowChunks);
  }

  /// Whether the chunks of a thread are in rows of different patterns of the
  /// swizzle, so that each has an address of its own in shared memory.
  bool changesPattern() const {
    return countIterations() > 1 && threads < kSwizzleRows * rowChunks;
  }

  /// The value, hidden from LLVM, which would see that it is invariant in the
  /// loops around the copy, hoist what is computed from it, and hold the
  /// addresses of all chunks in registers. ptxas hoists as many as fit in
  /// registers.
  Value hide(Value value) {
    bool isWide = value.getType().isInteger(64);
    return createInlineAsm(b, loc, value.getType(), value,
                           isWide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
                           isWide ? "=l,l" : "=r,r")
        .getResult(0);
  }

  /// Emits the code of a chunk, under a condition if it may not exist.
  void guarded(Value chunk, bool mayEnd, function_ref<void()> body) {
    if (!mayEnd)
      return body();
    Value exists = less(chunk, constant(chunks));
    scf::IfOp::create(b, loc, exists, [&](OpBuilder &, Location) {
      body();
      scf::YieldOp::create(b, loc);
    });
  }

  void copyChunk(Value row, Value column) {
    Value source = add(add(base, mul(toI64(row), rowStride)),
                       toI64(mul(column, constant(kChunkBytes))));
    // Bytes that exist; cp.async fills the rest with zeros.
    Value left =
        mul(arith::SubIOp::create(b, loc, columnsLeft,
                                  mul(column, constant(chunkElements()))),
            constant(tile.elementBytes));
    Value bytes = arith::MinSIOp::create(b, loc, left, constant(kChunkBytes));
    bytes = arith::MaxSIOp::create(b, loc, bytes, constant(0));
    bytes = arith::SelectOp::create(b, loc, less(row, rowsLeft), bytes,
                                    constant(0));
    auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
    NVVM::CpAsyncOp::create(b, loc, sharedAddress(row, column),
                            LLVM::IntToPtrOp::create(b, loc, global, source),
                            kChunkBytes, NVVM::LoadCacheModifierKind::CG,
                            bytes);
  }

  void gatherChunk(Value row, Value column) {
    Value first = mul(column, constant(chunkElements()));
    // Its multiples are computed for each chunk: see hide.
    Value stride = changesPattern() ? hide(columnStride) : columnStride;
    Value source =
        add(add(base, mul(toI64(row), rowStride)), mul(toI64(first), stride));
    Value rowExists = less(row, rowsLeft);
    Type element = b.getIntegerType(8 * tile.elementBytes);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < chunkElements(); ++i) {
      Value exists = arith::AndIOp::create(
          b, loc, rowExists, less(add(first, constant(i)), columnsLeft));
      Value address =
          i == 0
              ? source
              : add(source, mul(stride, arith::ConstantOp::create(
                                            b, loc, b.getI64IntegerAttr(i))));
      elements.push_back(loadElement(element, address, exists));
    }
    auto vectorType = VectorType::get({chunkElements()}, element);
    Value vector = LLVM::UndefOp::create(b, loc, vectorType);
    for (auto [i, value] : llvm::enumerate(elements))
      vector =
          LLVM::InsertElementOp::create(b, loc, vector, value, constant(i));
    LLVM::StoreOp::create(b, loc, vector, sharedAddress(row, column),
                          kChunkBytes);
  }

  /// An element, or zero, without a branch. A byte is loaded into 16 bits.
  Value loadElement(Type type, Value address, Value exists) {
    bool isWord = type.isInteger(32);
    std::string text =
        llvm::formatv("{{\n.reg .pred %p;\nsetp.ne.s32 %p, $2, 0;\n"
                      "mov.{0} $0, 0;\n@%p ld.global.{1} $0, [$1];\n}\n",
                      isWord ? "b32" : "b16",
                      isWord               ? "b32"
                      : type.isInteger(16) ? "b16"
                                           : "u8");
    Value flag = arith::ExtUIOp::create(b, loc, i32(), exists);
    Value loaded = createInlineAsm(b, loc, isWord ? i32() : b.getI16Type(),
                                   ValueRange{address, flag}, text,
                                   isWord ? "=&r,l,r" : "=&h,l,r")
                       .getResult(0);
    if (loaded.getType() == type)
      return loaded;
    return arith::TruncIOp::create(b, loc, type, loaded);
  }

  /// SharedTile::byteOffset of a chunk.
  Value sharedAddress(Value row, Value column) {
    int64_t boxChunks = tile.swizzle / kChunkBytes;
    Value box = mul(div(column, boxChunks), constant(tile.boxBytes()));
    Value pattern = rem(div(mul(row, constant(tile.swizzle)), 128), boxChunks);
    Value place =
        arith::XOrIOp::create(b, loc, rem(column, boxChunks), pattern);
    Value inBox = add(mul(row, constant(tile.swizzle)),
                      mul(place, constant(kChunkBytes)));
    return createSharedAddress(b, loc, add(offset, add(box, inBox)));
  }

  /// min(size - index, extent), i32: the rest may not fit in 32 bits, or be
  /// negative.
  Value clip(Value size, Value index, int64_t extent) {
    Value left = arith::SubIOp::create(b, loc, size, index);
    left = arith::MinSIOp::create(b, loc, left, constantIndex(extent));
    left = arith::MaxSIOp::create(b, loc, left, constantIndex(0));
    return arith::IndexCastOp::create(b, loc, i32(), left);
  }

  Type i32() { return b.getI32Type(); }
  Value constant(int64_t value) { return createI32(b, loc, value); }
  Value constantIndex(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value toI64(Value value) {
    if (isa<IndexType>(value.getType()))
      return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
  }
  Value add(Value lhs, Value rhs) {
    return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  }
  Value div(Value lhs, int64_t rhs) {
    return b.createOrFold<arith::DivUIOp>(loc, lhs, constant(rhs));
  }
  Value rem(Value lhs, int64_t rhs) {
    return b.createOrFold<arith::RemUIOp>(loc, lhs, constant(rhs));
  }
  Value less(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lhs, rhs);
  }
};
} // namespace

void wgtile::createThreadCopy(OpBuilder &b, Location loc, SharedType tile,
                              Value offset, TypedValue<MemRefType> source,
                              ValueRange indices, bool aligned,
                              int64_t threads) {
  ThreadCopy copy(b, loc, tile, offset, source, indices, threads);
  if (aligned)
    copy.copyAligned();
  else
    copy.copyElements();
}
