//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A square of bytes goes through shared memory: 16 bytes of a row in, 16 bytes
// of a column out. A warp reads a column's bytes from 32 neighboring columns at
// a time, eight words of one row, so that no two of its reads share a bank.

#include "TransposeBytes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace wgtile;

static constexpr int64_t kThreads = 256;
static constexpr int64_t kChunksPerRow = kTransposedTile / kTransposedChunk;
static constexpr int64_t kChunksPerThread =
    kTransposedTile * kChunksPerRow / kThreads;

namespace {
class ByteTranspose : KernelBuilder {
public:
  ByteTranspose(Location loc, MemRefType type, gpu::GPUModuleOp module,
                SymbolTable &symbols)
      : KernelBuilder(loc, module, symbols), type(type),
        chunkType(VectorType::get({kTransposedChunk}, type.getElementType())) {}

  gpu::GPUFuncOp build(StringRef name) {
    gpu::GPUFuncOp kernel =
        createKernel(name, {type, type, b.getIndexType(), b.getIndexType()},
                     static_cast<int>(kThreads));
    source = kernel.getArgument(0);
    dest = kernel.getArgument(1);
    Value columnTiles = toI32(kernel.getArgument(2));
    Value rowTiles = toI32(kernel.getArgument(3));
    tile = shared((name + "_square").str(), {kTransposedTile, kTransposedTile},
                  type.getElementType());

    Value block = toI32(gpu::BlockIdOp::create(b, gpu::Dimension::x));
    Value size = index(kTransposedTile), rest = div(block, columnTiles);
    firstColumn = mul(toIndex(rem(block, columnTiles)), size);
    firstRow = mul(toIndex(rem(rest, rowTiles)), size);
    plane = findPlane(source, div(rest, rowTiles));
    rows = memref::DimOp::create(b, source, type.getRank() - 2);
    columns = memref::DimOp::create(b, source, type.getRank() - 1);
    thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    readRows();
    barrier();
    writeColumns();
    gpu::ReturnOp::create(b);
    return kernel;
  }

private:
  MemRefType type;
  VectorType chunkType;
  Value source, dest, tile, thread;
  Value firstRow, firstColumn, rows, columns;
  SmallVector<Value> plane;

  /// The place of a thread's chunk in rows of `perRow` places: row, and place.
  std::pair<Value, Value> findChunk(int64_t number, int64_t perRow) {
    Value chunk = add(thread, index(number * kThreads));
    return {div(chunk, index(perRow)), rem(chunk, index(perRow))};
  }

  SmallVector<Value> inPlane(Value row, Value column) {
    SmallVector<Value> indices = plane;
    indices.append({row, column});
    return indices;
  }

  void readRows() {
    llvm::MaybeAlign alignment(kTransposedChunk);
    // All loads before all stores. Past the end the last chunk is read again.
    SmallVector<Value> chunks;
    for (int64_t i = 0; i < kChunksPerThread; ++i) {
      auto [row, place] = findChunk(i, kChunksPerRow);
      Value column = mul(place, index(kTransposedChunk));
      Value fromRow =
          arith::MinSIOp::create(b, add(firstRow, row), sub(rows, index(1)));
      Value fromColumn = arith::MinSIOp::create(
          b, add(firstColumn, column), sub(columns, index(kTransposedChunk)));
      chunks.push_back(vector::LoadOp::create(
          b, chunkType, source, inPlane(fromRow, fromColumn),
          /*nontemporal=*/false, alignment));
    }
    for (auto [i, chunk] : llvm::enumerate(chunks)) {
      auto [row, place] = findChunk(i, kChunksPerRow);
      Value column = mul(place, index(kTransposedChunk));
      vector::StoreOp::create(b, chunk, tile, ValueRange{row, column},
                              /*nontemporal=*/false, alignment);
    }
  }

  void writeColumns() {
    llvm::MaybeAlign alignment(kTransposedChunk);
    for (int64_t i = 0; i < kChunksPerThread; ++i) {
      auto [place, column] = findChunk(i, kTransposedTile);
      Value row = mul(place, index(kTransposedChunk));
      Value toRow = add(firstColumn, column), toColumn = add(firstRow, row);
      Value isInside = arith::AndIOp::create(
          b, compare(arith::CmpIPredicate::slt, toRow, columns),
          compare(arith::CmpIPredicate::slt, toColumn, rows));
      ifThen(isInside, [&] {
        SmallVector<Value> elements;
        for (int64_t j = 0; j < kTransposedChunk; ++j)
          elements.push_back(load(tile, {add(row, index(j)), column}));
        Value chunk = vector::FromElementsOp::create(b, chunkType, elements);
        vector::StoreOp::create(b, chunk, dest, inPlane(toRow, toColumn),
                                /*nontemporal=*/false, alignment);
      });
    }
  }
};
} // namespace

gpu::GPUFuncOp wgtile::createByteTranspose(StringRef name, Location loc,
                                           MemRefType type,
                                           gpu::GPUModuleOp module,
                                           SymbolTable &symbols) {
  return ByteTranspose(loc, type, module, symbols).build(name);
}
