//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRegisters.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::AccumulatorFragment;

std::optional<TileRegisters> TileRegisters::get(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isa_and_nonnull<MmaAttr, SliceAttr>(tensor.getEncoding()))
    return std::nullopt;
  AccumulatorFragment fragment = getFragment(tensor);
  // The registers of a row vector are eight rows apart.
  if (isRowVector(tensor.getEncoding()))
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
  // A token is the number of its stage.
  addConversion([](TokenType type) -> std::optional<Type> {
    return IntegerType::get(type.getContext(), 32);
  });
  // A ring is nothing but its place, which its ops know.
  addConversion(
      [](RingType, SmallVectorImpl<Type> &) -> std::optional<LogicalResult> {
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

/// The roles around an insertion point, and the number of its role.
static std::pair<RolesOp, unsigned> getRole(OpBuilder &b) {
  Region *region = b.getInsertionBlock()->getParent();
  while (region && !isa<RolesOp>(region->getParentOp()))
    region = region->getParentRegion();
  if (!region)
    return {RolesOp(), 0};
  return {cast<RolesOp>(region->getParentOp()), region->getRegionNumber()};
}

static Value subtractWarps(OpBuilder &b, Location loc, Value id,
                           int64_t warps) {
  if (warps == 0)
    return id;
  return arith::SubIOp::create(
      b, loc, id, createI32(b, loc, warps * sattn::layout::kWarpThreads));
}

/// Threads of one consumer group.
static int64_t getGroupThreads(RolesOp roles, unsigned role) {
  return roles.getWarps()[role] / roles.getNumGroups(role) *
         sattn::layout::kWarpThreads;
}

Value wgtile::createTileThreadId(OpBuilder &b, Location loc) {
  Value id = createThreadId(b, loc);
  auto [roles, role] = getRole(b);
  if (!roles)
    return id;
  id = subtractWarps(b, loc, id, roles.getFirstWarp(role));
  if (roles.getNumGroups(role) == 1)
    return id;
  return arith::RemUIOp::create(
      b, loc, id, createI32(b, loc, getGroupThreads(roles, role)));
}

Value wgtile::createConsumerThreadId(OpBuilder &b, Location loc) {
  Value id = createThreadId(b, loc);
  auto [roles, role] = getRole(b);
  if (!roles)
    return id;
  return subtractWarps(
      b, loc, id, roles.getFirstWarp(role) - roles.getTileWarpsBefore(role));
}

Value wgtile::createGroupId(OpBuilder &b, Location loc) {
  auto [roles, role] = getRole(b);
  Value id =
      subtractWarps(b, loc, createThreadId(b, loc), roles.getFirstWarp(role));
  Value group = arith::DivUIOp::create(
      b, loc, id, createI32(b, loc, getGroupThreads(roles, role)));
  return NVVM::ShflOp::create(b, loc, b.getI32Type(), createI32(b, loc, -1),
                              group, createI32(b, loc, 0),
                              createI32(b, loc, 31), NVVM::ShflKind::idx,
                              UnitAttr());
}

Value wgtile::createTileWarp(OpBuilder &b, Location loc) {
  return arith::ShRUIOp::create(b, loc, createTileThreadId(b, loc),
                                createI32(b, loc, 5));
}

uint64_t wgtile::bitsOf(TypedAttr number) {
  if (auto real = dyn_cast<FloatAttr>(number))
    return real.getValue().bitcastToAPInt().getZExtValue();
  return cast<IntegerAttr>(number).getValue().getZExtValue();
}

Value wgtile::createLane(OpBuilder &b, Location loc) {
  return arith::AndIOp::create(
      b, loc, createThreadId(b, loc),
      createI32(b, loc, sattn::layout::kWarpThreads - 1));
}

Value wgtile::createThreadRow(OpBuilder &b, Location loc,
                              const AccumulatorFragment &fragment) {
  Value warp = createTileWarp(b, loc);
  Value rowWarp = arith::DivUIOp::create(
      b, loc, warp, createI32(b, loc, fragment.columnWarps));
  Value first = arith::MulIOp::create(
      b, loc, rowWarp,
      createI32(b, loc, sattn::layout::kWarpRows * fragment.rowTiles));
  Value quad =
      arith::ShRUIOp::create(b, loc, createLane(b, loc), createI32(b, loc, 2));
  return arith::AddIOp::create(b, loc, first, quad);
}

Value wgtile::createThreadColumn(OpBuilder &b, Location loc,
                                 const AccumulatorFragment &fragment) {
  Value lane =
      arith::AndIOp::create(b, loc, createLane(b, loc), createI32(b, loc, 3));
  Value column =
      arith::MulIOp::create(b, loc, lane, createI32(b, loc, fragment.run));
  if (fragment.columnWarps == 1)
    return column;
  Value columnWarp = arith::RemUIOp::create(
      b, loc, createTileWarp(b, loc), createI32(b, loc, fragment.columnWarps));
  Value first = arith::MulIOp::create(b, loc, columnWarp,
                                      createI32(b, loc, 4 * fragment.run));
  return arith::AddIOp::create(b, loc, first, column);
}

int64_t wgtile::peelConstant(OpBuilder &b, Location loc, Value &index) {
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return 0;
  auto sum = dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0));
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return 0;
  auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS());
  if (!constant || constant.getValue() < 0)
    return 0;
  AffineMap map =
      AffineMap::get(apply.getAffineMap().getNumDims(),
                     apply.getAffineMap().getNumSymbols(), sum.getLHS());
  index = affine::makeComposedAffineApply(
      b, loc, map, llvm::to_vector_of<OpFoldResult>(apply.getOperands()));
  return constant.getValue();
}

static LLVM::InlineAsmOp createAsm(OpBuilder &b, Location loc,
                                   TypeRange results, ValueRange operands,
                                   StringRef text, StringRef constraints,
                                   bool hasSideEffects) {
  return LLVM::InlineAsmOp::create(
      b, loc, results, operands, text, constraints, hasSideEffects,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

LLVM::InlineAsmOp wgtile::createInlineAsm(OpBuilder &b, Location loc,
                                          TypeRange results,
                                          ValueRange operands, StringRef text,
                                          StringRef constraints) {
  return createAsm(b, loc, results, operands, text, constraints,
                   /*hasSideEffects=*/true);
}

Value wgtile::createPureAsm(OpBuilder &b, Location loc, Type result,
                            ValueRange operands, StringRef text,
                            StringRef constraints) {
  return createAsm(b, loc, result, operands, text, constraints,
                   /*hasSideEffects=*/false)
      .getResult(0);
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
