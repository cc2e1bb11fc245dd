//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

/// `crow, col, values, b : types`, or `values, b : types` where A is encoded.
static ParseResult parseBsrOperands(
    OpAsmParser &parser, std::optional<OpAsmParser::UnresolvedOperand> &crow,
    std::optional<OpAsmParser::UnresolvedOperand> &col,
    OpAsmParser::UnresolvedOperand &values, OpAsmParser::UnresolvedOperand &b,
    Type &crowType, Type &colType, Type &valuesType, Type &bType) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parser.parseColonTypeList(types))
    return failure();
  size_t count = operands.size();
  if ((count != 2 && count != 4) || types.size() != count)
    return parser.emitError(loc)
           << "expected 2 operands (values, b) or 4 (crow, col, values, b), "
              "and as many types, but got "
           << count << " and " << types.size();
  if (count == 4) {
    crow = operands[0];
    col = operands[1];
    crowType = types[0];
    colType = types[1];
  }
  values = operands[count - 2];
  b = operands[count - 1];
  valuesType = types[count - 2];
  bType = types[count - 1];
  return success();
}

static void printBsrOperands(OpAsmPrinter &printer, Operation *, Value crow,
                             Value col, Value values, Value b, Type, Type, Type,
                             Type) {
  SmallVector<Value> operands;
  for (Value operand : {crow, col, values, b})
    if (operand)
      operands.push_back(operand);
  printer.printOperands(operands);
  printer << " : ";
  llvm::interleaveComma(ValueRange(operands).getTypes(), printer);
}

#include "sattn/Dialect/SAttn/IR/SAttnDialect.cpp.inc"

#include "sattn/Dialect/SAttn/IR/ContractOpInterface.cpp.inc"
#include "sattn/Dialect/SAttn/IR/RaiseOpInterface.cpp.inc"
#include "sattn/Dialect/SAttn/IR/SAttnInterfaces.cpp.inc"
#include "sattn/Dialect/SAttn/IR/StorageOpInterface.cpp.inc"
#include "sattn/Dialect/SAttn/IR/TuningOpInterface.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnOps.cpp.inc"

namespace {
/// Ops of the dialect depend on nothing but their operands.
struct SAttnInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

namespace sattn {

void SAttnDialect::initialize() {
  addInterfaces<SAttnInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sattn/Dialect/SAttn/IR/SAttnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "sattn/Dialect/SAttn/IR/SAttnOps.cpp.inc"
      >();
}

LogicalResult MetaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> tile,
                               std::optional<int64_t> stages,
                               std::optional<int64_t> warps,
                               std::optional<int64_t> group) {
  if (tile.size() != 3)
    return emitError() << "expected 3 tile sizes (M, N, K), but got "
                       << tile.size();
  if (llvm::any_of(tile, [](int64_t size) { return size <= 0; }))
    return emitError() << "expected positive tile sizes, but got [" << tile
                       << "]";
  std::pair<StringRef, std::optional<int64_t>> counts[] = {
      {"stages", stages}, {"warps", warps}, {"group", group}};
  for (auto [name, count] : counts)
    if (count && *count <= 0)
      return emitError() << "expected '" << name << "' to be positive, but got "
                         << *count;
  return success();
}

} // namespace sattn
