//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
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

} // namespace wgtile
