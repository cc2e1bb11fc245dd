//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Support/AttributeRules.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

/// Parses 64x128xbf16 (called by the generated parsers of types).
static ParseResult parseTileShape(AsmParser &parser,
                                  SmallVector<int64_t> &shape,
                                  Type &elementType) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                           /*withTrailingX=*/true) ||
                 parser.parseType(elementType));
}

static void printTileShape(AsmPrinter &printer, ArrayRef<int64_t> shape,
                           Type elementType) {
  printer.printDimensionList(shape);
  printer << 'x' << elementType;
}

/// Parses `, packed`, or nothing.
static ParseResult parsePacked(AsmParser &parser, bool &packed) {
  packed = succeeded(parser.parseOptionalComma());
  return packed ? parser.parseKeyword("packed") : success();
}

static void printPacked(AsmPrinter &printer, bool packed) {
  if (packed)
    printer << ", packed";
}

/// Parses the counts of a ring's type: `, instances = [2, 1]`, `, warpgroups =
/// 2`, or nothing.
static ParseResult parseRingCounts(AsmParser &parser,
                                   SmallVector<int64_t> &instances,
                                   int64_t &warpgroups) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("warpgroups")))
    return failure(parser.parseEqual() || parser.parseInteger(warpgroups));
  return failure(
      parser.parseKeyword("instances") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(instances.emplace_back());
      }));
}

static void printRingCounts(AsmPrinter &printer, ArrayRef<int64_t> instances,
                            int64_t warpgroups) {
  if (!instances.empty())
    printer << ", instances = [" << instances << "]";
  if (warpgroups != 0)
    printer << ", warpgroups = " << warpgroups;
}

/// Parses `preprocess`, or nothing.
static ParseResult parsePreprocess(OpAsmParser &parser, UnitAttr &preprocess) {
  if (succeeded(parser.parseOptionalKeyword("preprocess")))
    preprocess = parser.getBuilder().getUnitAttr();
  return success();
}

static void printPreprocess(OpAsmPrinter &printer, Operation *,
                            UnitAttr preprocess) {
  if (preprocess)
    printer << " preprocess";
}

#include "sattn/Dialect/WGTile/IR/WGTileDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sattn/Dialect/WGTile/IR/WGTileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "sattn/Dialect/WGTile/IR/WGTileTypes.cpp.inc"

#define GET_OP_CLASSES
#include "sattn/Dialect/WGTile/IR/WGTileOps.cpp.inc"

namespace wgtile {

void WGTileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sattn/Dialect/WGTile/IR/WGTileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "sattn/Dialect/WGTile/IR/WGTileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "sattn/Dialect/WGTile/IR/WGTileOps.cpp.inc"
      >();
}

/// The dialect's discardable attributes.
static constexpr sattn::AttributeRule kAttributeRules[] = {
    {kTargetAttrName, sattn::isAttribute<TargetAttr>, "a #wgtile.target",
     sattn::isOp<gpu::GPUModuleOp>, "a gpu.module"},
    {kScheduleAttrName, sattn::isAttribute<ScheduleAttr>, "a #wgtile.schedule",
     sattn::isOp<gpu::GPUFuncOp>, "a gpu.func"},
    {kBlockLoopAttrName, sattn::isAttribute<UnitAttr>, "a unit attribute",
     sattn::isOp<scf::ForOp>, "an scf.for"},
    {kSharedBytesAttrName, sattn::isAttribute<IntegerAttr>, "an integer",
     sattn::isOp<FunctionOpInterface>, "a function"},
    {kZeroedAttrName, sattn::isAttribute<UnitAttr>, "a unit attribute",
     sattn::isOp<memref::AllocOp>, "a memref.alloc"},
    {kLeftZeroAttrName, sattn::isAttribute<UnitAttr>, "a unit attribute",
     sattn::isOp<memref::AllocOp>, "a memref.alloc"},
    {kTMAAttrName, sattn::isAttribute<UnitAttr>, "a unit attribute",
     sattn::isOp<FunctionOpInterface>, "a function"},
    {kVersionOfAttrName, sattn::isAttribute<FlatSymbolRefAttr>, "a symbol",
     sattn::isOp<gpu::GPUFuncOp>, "a gpu.func"},
    {kVersionAttrName, sattn::isAttribute<StringAttr>, "a string",
     sattn::isOp<LaunchOp, cf::AssertOp>, "a wgtile.launch or a cf.assert"},
    {kReasonAttrName, sattn::isAttribute<StringAttr>, "a string",
     sattn::isOp<LaunchOp>, "a wgtile.launch"},
    {kTuningAttrName, sattn::isAttribute<DictionaryAttr>, "a dictionary",
     sattn::isOp<LaunchOp, cf::AssertOp>, "a wgtile.launch or a cf.assert"},
};

/// The rules of attributes of arguments.
static constexpr sattn::AttributeRule kArgumentRules[] = {
    {kTMACompatibleAttrName, sattn::isAttribute<UnitAttr>, "a unit attribute",
     sattn::isOp<FunctionOpInterface>, "a function's argument"},
    {kDenseRowsAttrName, sattn::isAttribute<UnitAttr>, "a unit attribute",
     sattn::isOp<FunctionOpInterface>, "a function's argument"},
};

LogicalResult WGTileDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  return sattn::verifyAttribute(op, attr, kAttributeRules);
}

LogicalResult WGTileDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned,
                                                      NamedAttribute attr) {
  return sattn::verifyAttribute(op, attr, kArgumentRules);
}

} // namespace wgtile
