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
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "sattn/Dialect/SAttn/IR/SAttnDialect.cpp.inc"

#include "sattn/Dialect/SAttn/IR/SAttnInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnOps.cpp.inc"

namespace sattn {

void SAttnDialect::initialize() {
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
