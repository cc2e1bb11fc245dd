//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNINJECTMETA
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Largest step of the reduction: 64 elements of 16 bits are one row of a
/// 128-byte swizzle.
static constexpr int64_t kMaxDepth = 64;

static MetaAttr defaultMeta(BsrAddmmOp op, int64_t columnMultiple) {
  int64_t rows = op.getBlockRows();
  int64_t columns = rows <= 64 ? 128 : 64;
  int64_t n = op.getOut().getType().getShape().back();
  if (!ShapedType::isDynamic(n))
    columns =
        std::min<int64_t>(columns, llvm::PowerOf2Ceil(std::max<int64_t>(n, 1)));
  columns = llvm::alignTo(columns, columnMultiple);
  int64_t depth = op.getBlockColumns();
  if (depth > kMaxDepth && depth % kMaxDepth == 0)
    depth = kMaxDepth;
  return MetaAttr::get(op.getContext(), {rows, columns, depth});
}

namespace {
struct InjectMetaPass
    : public sattn::impl::SAttnInjectMetaBase<InjectMetaPass> {
  using SAttnInjectMetaBase::SAttnInjectMetaBase;

  void runOnOperation() override {
    if (columnMultiple <= 0 || columnMultiple % 8 != 0) {
      getOperation().emitError() << "expected 'column-multiple' to be a "
                                    "positive multiple of 8, but got "
                                 << columnMultiple.getValue();
      return signalPassFailure();
    }
    getOperation().walk([&](BsrAddmmOp op) {
      if (op.getMeta())
        return;
      MetaAttr meta = defaultMeta(op, columnMultiple);
      op.setMetaAttr(meta);
      op.emitRemark() << "tile parameters from the computed default: " << meta;
    });
  }
};
} // namespace
