//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRegisters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::AccumulatorFragment;

AccumulatorFragment wgtile::getFragment(RankedTensorType type) {
  Attribute encoding = type.getEncoding();
  if (auto mma = dyn_cast<MmaAttr>(encoding))
    return {mma.getWarps(), type.getDimSize(1)};
  if (auto column = dyn_cast<ColumnAttr>(encoding))
    return {column.getWarps(), type.getDimSize(0)};
  return {cast<RowAttr>(encoding).getWarps(), 8};
}

std::optional<TileRegisters> TileRegisters::get(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor ||
      !isa_and_nonnull<MmaAttr, RowAttr, ColumnAttr>(tensor.getEncoding()))
    return std::nullopt;
  AccumulatorFragment fragment = getFragment(tensor);
  // The two registers of a row vector are eight rows apart.
  if (isa<RowAttr>(tensor.getEncoding()))
    return TileRegisters{tensor, fragment.rowVectorRegisters(), 1};
  int64_t packing =
      tensor.getElementType().getIntOrFloatBitWidth() == 16 ? 2 : 1;
  int64_t elements = isa<MmaAttr>(tensor.getEncoding())
                         ? fragment.registersPerThread()
                         : fragment.columnVectorRegisters();
  return TileRegisters{tensor, elements, packing};
}

Type TileRegisters::registerType() const {
  Type element = type.getElementType();
  return packing == 1 ? element : VectorType::get({packing}, element);
}

SmallVector<Value> wgtile::unpack(OpBuilder &b, Location loc,
                                  const TileRegisters &layout,
                                  ValueRange registers) {
  if (layout.packing == 1)
    return SmallVector<Value>(registers);
  SmallVector<Value> elements;
  for (Value pair : registers)
    for (int64_t i = 0; i < layout.packing; ++i)
      elements.push_back(vector::ExtractOp::create(b, loc, pair, i));
  return elements;
}

SmallVector<Value> wgtile::pack(OpBuilder &b, Location loc,
                                const TileRegisters &layout,
                                ArrayRef<Value> elements) {
  if (layout.packing == 1)
    return SmallVector<Value>(elements);
  SmallVector<Value> registers;
  for (size_t i = 0; i < elements.size(); i += layout.packing)
    registers.push_back(vector::FromElementsOp::create(
        b, loc, cast<VectorType>(layout.registerType()),
        elements.slice(i, layout.packing)));
  return registers;
}

TileTypeConverter::TileTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion(
      [](RankedTensorType type,
         SmallVectorImpl<Type> &registers) -> std::optional<LogicalResult> {
        std::optional<TileRegisters> layout = TileRegisters::get(type);
        if (!layout)
          return std::nullopt;
        registers.append(layout->registers(), layout->registerType());
        return success();
      });
  // A shared tile is its offset in the kernel's shared memory, in bytes.
  addConversion([](SharedType type) -> std::optional<Type> {
    return IntegerType::get(type.getContext(), 32);
  });
  // A ring is the variables of a thread that walks its stages.
  addConversion(
      [](RingType type,
         SmallVectorImpl<Type> &variables) -> std::optional<LogicalResult> {
        Type i32 = IntegerType::get(type.getContext(), 32);
        variables.append(RingVariables::kCount, MemRefType::get({}, i32));
        return success();
      });
}

Value wgtile::createI32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

Value wgtile::createThreadId(OpBuilder &b, Location loc) {
  Value id = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), id);
}

Value wgtile::createTileThreadId(OpBuilder &b, Location loc) {
  Value id = createThreadId(b, loc);
  Block *block = b.getInsertionBlock();
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    if (isa<RolesOp>(op))
      return arith::SubIOp::create(b, loc, id,
                                   createI32(b, loc, kProducerThreads));
  return id;
}

Value wgtile::createLane(OpBuilder &b, Location loc) {
  return arith::AndIOp::create(
      b, loc, createThreadId(b, loc),
      createI32(b, loc, sattn::layout::kWarpThreads - 1));
}

Value wgtile::createSharedAddress(OpBuilder &b, Location loc, Value offset) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/3);
  Value base = LLVM::AddressOfOp::create(b, loc, type, kSharedSymbol);
  return LLVM::GEPOp::create(b, loc, type, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value wgtile::createSharedAddress(OpBuilder &b, Location loc, int64_t offset) {
  return createSharedAddress(b, loc, createI32(b, loc, offset));
}
