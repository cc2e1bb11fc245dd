//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Roles and ops of rings. The constraint numbers are those of the ops'
// descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/Barriers.h"
#include "sattn/Layout/SharedTile.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace wgtile;

/// Bytes of a number.
static constexpr int64_t kNumberBytes = 4;

static int64_t getTileAlignment(Type type) {
  auto tile = dyn_cast<SharedType>(type);
  return tile ? tile.getTile().alignment() : kNumberBytes;
}

int64_t RingType::getInstanceBytes(int64_t tile) const {
  if (isNumber(tile))
    return kNumberBytes;
  sattn::layout::SharedTile layout =
      cast<SharedType>(getTiles()[tile]).getTile();
  return llvm::alignTo(layout.sizeInBytes(), layout.alignment());
}

int64_t RingType::getTileOffset(int64_t tile) const {
  int64_t bytes = 0;
  for (int64_t i = 0; i < tile; ++i)
    bytes = llvm::alignTo(bytes, getTileAlignment(getTiles()[i])) +
            getNumInstances(i) * getInstanceBytes(i);
  return llvm::alignTo(bytes, getTileAlignment(getTiles()[tile]));
}

int64_t RingType::getStageBytes() const {
  int64_t last = getTiles().size() - 1;
  int64_t bytes =
      getTileOffset(last) + getNumInstances(last) * getInstanceBytes(last);
  for (Type tile : getTiles())
    bytes = llvm::alignTo(bytes, getTileAlignment(tile));
  return bytes;
}

bool RingType::hasSharedTiles() const {
  return llvm::any_of(getTiles(), llvm::IsaPred<SharedType>);
}

int64_t RingType::getAlignment() const {
  return hasSharedTiles() ? kStageAlignment : sattn::layout::kBarrierBytes;
}

static LogicalResult verifyTile(Operation *op, RingType ring, int64_t tile) {
  int64_t count = ring.getTiles().size();
  if (tile >= 0 && tile < count)
    return success();
  return op->emitOpError() << "expected a tile of the ring (0 to " << count - 1
                           << "), but got " << tile;
}

static LogicalResult verifyPosition(Operation *op, ValueRange position) {
  // (C1)
  if (position.empty() || position.size() == 2)
    return success();
  return op->emitOpError() << "expected a stage and a phase, but got "
                           << position.size() << " values";
}

/// Verifies that a tile of the ring is a number, or a shared tile.
static LogicalResult verifyTileKind(Operation *op, RingType ring, int64_t tile,
                                    bool isNumber) {
  if (failed(verifyTile(op, ring, tile)))
    return failure();
  if (ring.isNumber(tile) == isNumber)
    return success();
  return op->emitOpError() << "expected a "
                           << (isNumber ? "number" : "shared tile")
                           << ", but tile " << tile << " is of type "
                           << ring.getTiles()[tile];
}

bool wgtile::isCooperative(Operation *op) {
  return !RolesOp::getRoleOf(op).first;
}

bool wgtile::isCooperative(Operation *op, RingType ring) {
  return !ring.isStaging() && isCooperative(op);
}

LogicalResult AsyncCopyOp::verify() {
  // (C1)
  RingType ring = getRing().getType();
  if (failed(verifyTileKind(*this, ring, getTile(), /*isNumber=*/false)))
    return failure();
  auto source = cast<MemRefType>(getSource().getType());
  Type element = cast<SharedType>(ring.getTiles()[getTile()]).getElementType();
  if (source.getElementType() != element)
    return emitOpError() << "expected a source of element type " << element
                         << ", but got " << source;
  if (cast<SharedType>(ring.getTiles()[getTile()]).getPacked())
    return emitOpError() << "expected a tile that is not packed, but got "
                         << ring.getTiles()[getTile()];
  if (!source.isStrided())
    return emitOpError() << "expected a strided source, but got " << source;
  // (C2)
  int64_t indices = getIndices().size();
  if (source.getRank() < 2 || indices != source.getRank())
    return emitOpError() << "expected a source of rank at least 2 and as many "
                            "indices, but got "
                         << source << " and " << indices;
  return success();
}

/// Verifies a tile of a ring of warpgroups.
static LogicalResult verifyStaging(Operation *op, RingType ring, int64_t tile) {
  if (failed(verifyTile(op, ring, tile)))
    return failure();
  if (ring.isStaging())
    return success();
  return op->emitOpError() << "expected a ring of warpgroups, but got " << ring;
}

LogicalResult RingStoreOp::verify() {
  // (C1)
  RingType ring = getRing().getType();
  auto tile = dyn_cast<RankedTensorType>(getValue().getType());
  if (!tile)
    return verifyTileKind(*this, ring, getTile(), /*isNumber=*/true);
  if (failed(verifyStaging(*this, ring, getTile())))
    return failure();
  // (C2)
  if (getNumWarpgroups(tile) == 0)
    return emitOpError() << "expected a tile of whole warpgroups, but got "
                         << tile;
  auto dest = cast<SharedType>(ring.getTiles()[getTile()]);
  unsigned bits = tile.getElementTypeBitWidth();
  int64_t columns = getTransposed() ? dest.getRows() : dest.getColumns();
  if (tile.getElementType() != dest.getElementType() ||
      tile.getDimSize(1) != columns || (bits != 16 && bits != 32))
    return emitOpError() << "expected a tile of " << columns << " columns of "
                         << dest.getElementType()
                         << ", of 16 or 32 bits, but got " << tile;
  return success();
}

LogicalResult TmaStoreOp::verify() {
  // (C1)
  RingType ring = getRing().getType();
  if (failed(verifyStaging(*this, ring, getTile())))
    return failure();
  TensorMapType map = getDest().getType();
  if (map.getBox().size() != getIndices().size())
    return emitOpError() << "expected " << map.getBox().size()
                         << " indices, but got " << getIndices().size();
  // (C2)
  auto tile = cast<SharedType>(ring.getTiles()[getTile()]);
  SmallVector<int64_t> box(map.getBox().size(), 1);
  if (box.size() >= 2) {
    box[box.size() - 2] = tile.getRows();
    box.back() = tile.getTile().boxColumns();
  }
  if (map.getBox() != ArrayRef(box) ||
      map.getElementType() != tile.getElementType() ||
      map.getSwizzle() != tile.getSwizzle())
    return emitOpError() << "expected a map whose box is the tile " << tile
                         << ", but got " << map;
  return success();
}

StringRef RingOp::findLendingFault(RingType lender, RingType ring) {
  if (lender.isStaging() || !lender.hasSharedTiles())
    return "expected a lender of shared tiles, not of warpgroups";
  if (!ring.isStaging())
    return "expected a ring of warpgroups in another ring";
  if (lender.getStageBytes() % ring.getAlignment() != 0 ||
      ring.getSizeInBytes() > lender.getStageBytes())
    return "expected a ring that fits into a stage of its lender";
  return {};
}

LogicalResult RingOp::verify() {
  // (C1), (C2)
  if (!getLender())
    return success();
  auto lender = cast<RingType>(getLender().getType());
  StringRef fault = findLendingFault(lender, getRing().getType());
  if (fault.empty())
    return success();
  return emitOpError() << fault << ", but got " << getRing().getType() << " in "
                       << lender;
}

static LogicalResult verifyBorrowing(Operation *op, Value ring) {
  // (C1)
  auto made = ring.getDefiningOp<RingOp>();
  if (!made || made.getLender())
    return success();
  return op->emitOpError("expected a ring that lies in another ring");
}

LogicalResult StageBorrowOp::verify() {
  if (failed(verifyBorrowing(*this, getRing())))
    return failure();
  for (Operation *user : getRing().getUsers())
    if (isa<StageBorrowOp>(user) && user != *this)
      return emitOpError("expected that nothing else borrows for the ring");
  // (C2)
  auto wait = getToken().getDefiningOp<ConsumerWaitOp>();
  auto made = getRing().getDefiningOp<RingOp>();
  if (!wait || (made && wait.getRing() != made.getLender()) ||
      llvm::any_of(getToken().getUsers(), llvm::IsaPred<RingTileOp>))
    return emitOpError("expected the token of a wait for a stage of the "
                       "enclosing ring, and no use of the stage's tiles");
  return success();
}

LogicalResult StageReturnOp::verify() {
  return verifyBorrowing(*this, getRing());
}

LogicalResult RingLoadOp::verify() {
  // (C1)
  return verifyTileKind(*this, getRing().getType(), getTile(),
                        /*isNumber=*/true);
}

LogicalResult ProducerAcquireOp::verify() {
  return verifyPosition(*this, getPosition());
}

LogicalResult ConsumerWaitOp::verify() {
  return verifyPosition(*this, getPosition());
}

LogicalResult TmaLoadOp::verify() {
  // (C1)
  RingType ring = getRing().getType();
  if (failed(verifyTileKind(*this, ring, getTile(), /*isNumber=*/false)))
    return failure();
  int64_t instances = ring.getNumInstances(getTile());
  int64_t instance = getInstance();
  if (instance < 0 || instance >= instances)
    return emitOpError() << "expected an instance of the tile (0 to "
                         << instances - 1 << "), but got " << instance;
  size_t rank = getSource().getType().getBox().size();
  if (getIndices().size() != rank)
    return emitOpError() << "expected " << rank << " indices, but got "
                         << getIndices().size();
  // (C2)
  auto tile = cast<SharedType>(ring.getTiles()[getTile()]);
  if (getSource().getType().getPacked() != tile.getPacked())
    return emitOpError() << "expected a packed map for a packed tile, and for "
                            "no other, but got "
                         << getSource().getType() << " and " << tile;
  return success();
}

LogicalResult RingTileOp::verify() {
  // (C1)
  RingType ring = getRing().getType();
  if (failed(verifyTileKind(*this, ring, getTile(), /*isNumber=*/false)))
    return failure();
  if (getType() != ring.getTiles()[getTile()])
    return emitOpError() << "expected a tile of type "
                         << ring.getTiles()[getTile()] << ", but got "
                         << getType();
  // (C2)
  if ((ring.getNumInstances(getTile()) > 1) != static_cast<bool>(getInstance()))
    return emitOpError() << "expected an instance exactly where the tile has "
                            "several, but it has "
                         << ring.getNumInstances(getTile());
  return success();
}

LogicalResult ConsumerDrainOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.drop_front(2).getTypes());
  return success();
}

//===----------------------------------------------------------------------===//
// RolesOp
//===----------------------------------------------------------------------===//

int64_t RolesOp::getFirstWarp(unsigned role) {
  int64_t first = 0;
  for (int64_t warps : getWarps().take_front(role))
    first += warps;
  return first;
}

int64_t RolesOp::getTileWarpsBefore(unsigned role) {
  int64_t before = 0;
  for (unsigned i = 0; i < role; ++i)
    if (holdsTiles(i))
      before += getWarps()[i];
  return before;
}

std::pair<RolesOp, unsigned> RolesOp::getRoleOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto roles = dyn_cast_or_null<RolesOp>(op->getParentOp()))
      return {roles, op->getParentRegion()->getRegionNumber()};
  return {RolesOp(), 0};
}

/// Parses roles, separated by commas, each of the form
/// name `warps` warps `registers` registers (`consumer_groups` groups)? region
ParseResult RolesOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<Attribute> names;
  SmallVector<int64_t> warps, registers, groups;
  do {
    std::string name;
    if (parser.parseKeywordOrString(&name) || parser.parseKeyword("warps") ||
        parser.parseInteger(warps.emplace_back()) ||
        parser.parseKeyword("registers") ||
        parser.parseInteger(registers.emplace_back()))
      return failure();
    names.push_back(b.getStringAttr(name));
    int64_t &count = groups.emplace_back(0);
    if (succeeded(parser.parseOptionalKeyword("consumer_groups")) &&
        parser.parseInteger(count))
      return failure();
    Region *program = result.addRegion();
    if (parser.parseRegion(*program))
      return failure();
    ensureTerminator(*program, b, result.location);
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.names = b.getArrayAttr(names);
  properties.warps = b.getDenseI64ArrayAttr(warps);
  properties.registers = b.getDenseI64ArrayAttr(registers);
  properties.consumer_groups = b.getDenseI64ArrayAttr(groups);
  return success();
}

void RolesOp::print(OpAsmPrinter &printer) {
  for (auto [name, warps, registers, groups, program] :
       llvm::zip_equal(getNames().getAsRange<StringAttr>(), getWarps(),
                       getRegisters(), getConsumerGroups(), getPrograms())) {
    printer << (program.getRegionNumber() == 0 ? " " : ", ");
    printer.printKeywordOrString(name);
    printer << " warps " << warps << " registers " << registers;
    if (groups != 0)
      printer << " consumer_groups " << groups;
    printer << ' ';
    printer.printRegion(program, /*printEntryBlockArgs=*/true,
                        /*printBlockTerminators=*/false);
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getNamesAttrName(), getWarpsAttrName(), getRegistersAttrName(),
       getConsumerGroupsAttrName()});
}

LogicalResult RolesOp::verify() {
  // (C1)
  size_t count = getPrograms().size();
  if (getNames().size() != count || getWarps().size() != count ||
      getRegisters().size() != count || getConsumerGroups().size() != count)
    return emitOpError() << "expected a name, warps, registers and consumer "
                            "groups for each of "
                         << count << " roles";
  llvm::SmallDenseSet<Attribute> names;
  for (auto [name, warps, groups] :
       llvm::zip_equal(getNames(), getWarps(), getConsumerGroups())) {
    if (!names.insert(name).second)
      return emitOpError()
             << "expected a name of its own for each role, but got " << name
             << " again";
    if (warps < 1 || groups < 0 || (groups > 0 && warps % groups != 0))
      return emitOpError() << "expected a positive number of warps that the "
                              "consumer groups divide, but got "
                           << warps << " and " << groups << " in role " << name;
  }
  // (C2)
  for (unsigned role = 0; role < count; ++role)
    if (holdsTiles(role) && getWarps()[role] % 4 == 0 &&
        getFirstWarp(role) % 4 != 0)
      return emitOpError() << "expected whole warpgroups before role "
                           << getNames()[role] << ", but got "
                           << getFirstWarp(role) << " warps";
  return success();
}
