//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The loop over the tiles of a kernel. The constraint numbers are those of the
// ops' descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace wgtile;

void ForEachTileOp::build(OpBuilder &b, OperationState &state,
                          ValueRange counts) {
  state.addOperands(counts);
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(counts.size()), 0, 0, 0};
  Region *body = state.addRegion();
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(counts.size(), b.getIndexType());
  SmallVector<Location> locs(counts.size(), state.location);
  b.createBlock(body, {}, types, locs);
  ensureTerminator(*body, b, state.location);
}

ParseResult ForEachTileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> indices;
  SmallVector<OpAsmParser::UnresolvedOperand> counts;
  Type indexType = parser.getBuilder().getIndexType();
  if (parser.parseArgumentList(indices, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseOperandList(counts, OpAsmParser::Delimiter::Paren) ||
      parser.resolveOperands(counts, indexType, result.operands))
    return failure();
  for (OpAsmParser::Argument &index : indices)
    index.type = indexType;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  if (succeeded(parser.parseOptionalKeyword("iter_args"))) {
    size_t first = indices.size();
    if (parser.parseAssignmentList(indices, inits) ||
        parser.parseArrowTypeList(result.types))
      return failure();
    if (result.types.size() != inits.size())
      return parser.emitError(parser.getNameLoc())
             << "expected a type for each of " << inits.size()
             << " values, but got " << result.types.size();
    for (auto [argument, type] : llvm::zip_equal(
             MutableArrayRef(indices).drop_front(first), result.types))
      argument.type = type;
  }
  auto parseMemref = [&](StringRef keyword, bool &isThere) -> ParseResult {
    isThere = succeeded(parser.parseOptionalKeyword(keyword));
    OpAsmParser::UnresolvedOperand memref;
    Type type;
    if (!isThere)
      return success();
    return failure(parser.parseOperand(memref) || parser.parseColonType(type) ||
                   parser.resolveOperand(memref, type, result.operands));
  };
  bool hasCounter, hasOrder;
  if (parseMemref("counter", hasCounter) || parseMemref("order", hasOrder))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {
      static_cast<int32_t>(counts.size()), hasCounter, hasOrder,
      static_cast<int32_t>(inits.size())};
  if (parser.resolveOperands(inits, result.types, parser.getNameLoc(),
                             result.operands))
    return failure();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, indices))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ForEachTileOp::print(OpAsmPrinter &printer) {
  printer << " (" << getIndices() << ") in (" << getCounts() << ")";
  if (!getInits().empty()) {
    printer << " iter_args(";
    llvm::interleaveComma(
        llvm::zip_equal(getIterArgs(), getInits()), printer, [&](auto pair) {
          printer << std::get<0>(pair) << " = " << std::get<1>(pair);
        });
    printer << ") -> (" << getResultTypes() << ")";
  }
  if (Value counter = getCounter())
    printer << " counter " << counter << " : " << counter.getType();
  if (Value order = getOrder())
    printer << " order " << order << " : " << order.getType();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getOperandSegmentSizeAttr()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty() ||
                          getCounter());
}

LogicalResult ForEachTileOp::verify() {
  // (C1)
  size_t count = getBody().getNumArguments() - getInits().size();
  if (getBody().getNumArguments() < getInits().size() ||
      count != getCounts().size() ||
      !llvm::all_of(getIndices().getTypes(),
                    [](Type type) { return type.isIndex(); }))
    return emitOpError() << "expected " << getCounts().size()
                         << " index arguments of the body, but got "
                         << getBody().getArgumentTypes();
  if (getIterArgs().getTypes() != getInits().getTypes())
    return emitOpError() << "expected values of types " << getInits().getTypes()
                         << " in the body, but got "
                         << getIterArgs().getTypes();
  TypeRange ended = getBody().front().getTerminator()->getOperandTypes();
  if (getCounter()) {
    if (ended.empty() || !ended.front().isInteger(32))
      return emitOpError()
             << "expected an end with the next tile's number (i32) "
                "first, but got types "
             << ended;
    ended = ended.drop_front();
  }
  if (getResultTypes() != getInits().getTypes() ||
      ended != getInits().getTypes())
    return emitOpError() << "expected results and an end of types "
                         << getInits().getTypes() << ", but got "
                         << getResultTypes() << " and " << ended;
  // (C2)
  if (std::optional<int64_t> columns = getPersistent();
      columns && (*columns < 1 || getCounts().size() < 2))
    return emitOpError() << "expected 'persistent' to be positive, of at least "
                            "two counts, but got "
                         << *columns << " of " << getCounts().size();
  // (C3)
  if (std::optional<ArrayRef<int64_t>> groups = getConsumerGroups()) {
    if (groups->size() != getCounts().size())
      return emitOpError() << "expected " << getCounts().size()
                           << " factors in 'consumer_groups', but got "
                           << groups->size();
    if (llvm::any_of(*groups,
                     [](int64_t factor) {
                       return factor < 1 || factor > kMaxGroupSize;
                     }) ||
        llvm::count_if(*groups, [](int64_t factor) { return factor > 1; }) > 1)
      return emitOpError()
             << "expected factors from 1 to " << kMaxGroupSize
             << " in 'consumer_groups', at most one of them above 1, but got "
             << getConsumerGroupsAttr();
  }
  // (C4)
  if (getCounter() && !getPersistent())
    return emitOpError("expected 'persistent' with a counter");
  if (getOrder() && !getCounter())
    return emitOpError("expected a counter with an order");
  if (getDescending() && (!getPersistent() || getOrder()))
    return emitOpError("expected 'persistent' with 'descending', and no order");
  return success();
}

/// Count of next tile numbers that each path through a block takes; nothing if
/// paths differ or the count is unknown.
static std::optional<int64_t> countTaken(Block &block) {
  int64_t count = 0;
  for (Operation &op : block) {
    if (isa<NextTileOp>(op)) {
      ++count;
      continue;
    }
    if (!op.walk([](NextTileOp) {
             return WalkResult::interrupt();
           }).wasInterrupted())
      continue;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || !branch.elseBlock())
      return std::nullopt;
    std::optional<int64_t> taken = countTaken(*branch.thenBlock());
    if (!taken || taken != countTaken(*branch.elseBlock()))
      return std::nullopt;
    count += *taken;
  }
  return count;
}

LogicalResult ForEachTileOp::verifyRegions() {
  // (C5)
  std::optional<int64_t> taken = countTaken(getBody().front());
  if (taken && *taken <= 1)
    return success();
  return emitOpError("expected one 'wgtile.next_tile' on every path through "
                     "the body, or none on any");
}

void EndOp::build(OpBuilder &, OperationState &) {}

LogicalResult EndOp::verify() {
  // (C1)
  if (isa<RolesOp>((*this)->getParentOp()) && !getValues().empty())
    return emitOpError("expected no values at the end of a role's program");
  return success();
}

LogicalResult NextTileOp::verify() {
  // (C1)
  auto loop = (*this)->getParentOfType<ForEachTileOp>();
  if (!loop)
    return emitOpError("expected a loop over tiles around it");
  auto [roles, role] = RolesOp::getRoleOf(loop);
  if (loop.getCounter() && !(roles && roles.holdsTiles(role)))
    return success();
  return emitOpError("expected a loop with a counter, in no role with register "
                     "tiles");
}

Value ForEachTileOp::getNextTile() {
  return getCounter() ? getBody().front().getTerminator()->getOperand(0)
                      : Value();
}

ValueRange ForEachTileOp::getEndValues() {
  return getBody().front().getTerminator()->getOperands().drop_front(
      getCounter() ? 1 : 0);
}

std::optional<int64_t> ForEachTileOp::getGroupedDim() {
  if (std::optional<ArrayRef<int64_t>> groups = getConsumerGroups())
    for (auto [dim, factor] : llvm::enumerate(*groups))
      if (factor > 1)
        return dim;
  return std::nullopt;
}

int64_t ForEachTileOp::getGroupSize() {
  std::optional<int64_t> dim = getGroupedDim();
  return dim ? (*getConsumerGroups())[*dim] : 1;
}
