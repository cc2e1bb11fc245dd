//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BsrOperands.h"

using namespace mlir;

ParseResult sattn::parseBsrOperands(
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
           << "expected 2 operands, or 4 with crow and col before them, and as "
              "many types, but got "
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

void sattn::printBsrOperands(OpAsmPrinter &printer, Operation *, Value crow,
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
