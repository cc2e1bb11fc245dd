//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/MmaTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace wgtile;

StringRef wgtile::getMmaName(Type element) {
  if (element.isF16())
    return "f16";
  if (element.isBF16())
    return "bf16";
  if (element.isF32())
    return "tf32";
  if (element.isSignlessInteger(8))
    return "s8";
  if (isa<Float8E4M3FNType>(element))
    return "e4m3";
  if (isa<Float8E5M2Type>(element))
    return "e5m2";
  return "";
}

bool wgtile::canMultiply(Type a, Type b) {
  auto isFloat8 = llvm::IsaPred<Float8E4M3FNType, Float8E5M2Type>;
  return !getMmaName(a).empty() && (a == b || (isFloat8(a) && isFloat8(b)));
}

Type wgtile::getMmaAccumulator(Type element) {
  Builder b(element.getContext());
  return element.isInteger() ? Type(b.getI32Type()) : b.getF32Type();
}
