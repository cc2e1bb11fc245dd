//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"

#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace sattn;
using sparse_tensor::LevelType;
using sparse_tensor::SparseTensorEncodingAttr;

bool sattn::isSparseEncoded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor &&
         isa_and_nonnull<SparseTensorEncodingAttr>(tensor.getEncoding());
}

/// The constant c of `dim floordiv c` or `dim mod c`, nothing for any other
/// expression.
static std::optional<int64_t> matchBlocked(AffineExpr expr, unsigned dim,
                                           AffineExprKind kind) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != kind)
    return std::nullopt;
  auto lhs = dyn_cast<AffineDimExpr>(binary.getLHS());
  auto rhs = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!lhs || !rhs || lhs.getPosition() != dim)
    return std::nullopt;
  return rhs.getValue();
}

namespace {
/// Collects the facts of an encoding, or the reason why it is refused.
struct Matcher {
  SparseTensorEncodingAttr encoding;
  int64_t batchRank;
  std::string reason = {};
  BsrStorage storage = {};

  bool fail(const Twine &message) {
    reason = message.str();
    return false;
  }

  bool matchLevels() {
    AffineMap map = encoding.getDimToLvl();
    ArrayRef<LevelType> levels = encoding.getLvlTypes();
    const char *expected =
        "expected levels (i floordiv BM : dense, j floordiv BK : compressed, "
        "i mod BM : dense, j mod BK : dense) after those of batches";
    if (encoding.isSlice() || map.getNumSymbols() != 0 ||
        static_cast<int64_t>(map.getNumResults()) != batchRank + 4)
      return fail(expected);
    for (int64_t i = 0; i < batchRank; ++i)
      if (map.getResult(i) != getAffineDimExpr(i, map.getContext()) ||
          !(isDenseLT(levels[i]) || isBatchLT(levels[i])) ||
          levels[i] != levels[0])
        return fail("expected batch levels that are all 'batch' or all "
                    "'dense'");
    unsigned row = batchRank, column = batchRank + 1;
    ArrayRef<AffineExpr> exprs = map.getResults().drop_front(batchRank);
    levels = levels.drop_front(batchRank);
    auto rows = matchBlocked(exprs[0], row, AffineExprKind::FloorDiv);
    auto columns = matchBlocked(exprs[1], column, AffineExprKind::FloorDiv);
    if (!rows || !columns ||
        matchBlocked(exprs[2], row, AffineExprKind::Mod) != rows ||
        matchBlocked(exprs[3], column, AffineExprKind::Mod) != columns ||
        !isDenseLT(levels[0]) || !isCompressedLT(levels[1]) ||
        !isDenseLT(levels[2]) || !isDenseLT(levels[3]))
      return fail(expected);
    storage.blockRows = *rows;
    storage.blockColumns = *columns;
    storage.isStacked =
        batchRank > 0 && isDenseLT(encoding.getLvlTypes().front());
    return true;
  }

  /// The type of positions and coordinates. The native width is 64 bits.
  Type matchIndexType() {
    unsigned width = encoding.getPosWidth();
    if (encoding.getCrdWidth() != width) {
      fail("expected posWidth and crdWidth to be equal, but got " +
           Twine(width) + " and " + Twine(encoding.getCrdWidth()));
      return {};
    }
    if (width == 0)
      width = 64;
    if (width != 32 && width != 64) {
      fail("expected a posWidth of 32 or 64, but got " + Twine(width));
      return {};
    }
    return IntegerType::get(encoding.getContext(), width);
  }

  bool match(RankedTensorType type) {
    if (!matchLevels())
      return false;
    if (encoding.getExplicitVal() || encoding.getImplicitVal())
      return fail("expected no explicitVal and no implicitVal");
    Type index = matchIndexType();
    if (!index)
      return false;
    int64_t sizes[] = {storage.blockRows, storage.blockColumns};
    for (auto [dim, block] : llvm::enumerate(sizes)) {
      int64_t size = type.getDimSize(batchRank + dim);
      if (!ShapedType::isDynamic(size) && size % block != 0)
        return fail("expected dimension " + Twine(batchRank + dim) +
                    " to be a multiple of the block's " + Twine(block) +
                    ", but got " + Twine(size));
    }

    int64_t rows = type.getDimSize(batchRank);
    if (!ShapedType::isDynamic(rows))
      rows /= storage.blockRows;
    ArrayRef<int64_t> batch = type.getShape().take_front(batchRank);
    if (storage.isStacked) {
      // Where a batch begins in the offsets follows from the sizes before it.
      for (int64_t size : batch) {
        if (ShapedType::isDynamic(size))
          return fail("expected static sizes of batches at dense levels");
        if (!ShapedType::isDynamic(rows))
          rows *= size;
      }
      batch = {};
    }
    auto tensor = [&](ArrayRef<int64_t> inner, Type element) {
      SmallVector<int64_t> shape(batch);
      shape.append(inner.begin(), inner.end());
      return RankedTensorType::get(shape, element);
    };
    constexpr int64_t dynamic = ShapedType::kDynamic;
    storage.crow =
        tensor({ShapedType::isDynamic(rows) ? dynamic : rows + 1}, index);
    storage.col = tensor({dynamic}, index);
    storage.values = tensor({dynamic, storage.blockRows, storage.blockColumns},
                            type.getElementType());
    return true;
  }
};
} // namespace

FailureOr<BsrStorage> sattn::getBsrStorage(RankedTensorType type,
                                           std::string *reason) {
  auto encoding =
      dyn_cast_if_present<SparseTensorEncodingAttr>(type.getEncoding());
  std::string ignored;
  std::string &why = reason ? *reason : ignored;
  if (!encoding || type.getRank() < 2) {
    why = "expected a matrix in an encoding of sparse_tensor";
    return failure();
  }
  Matcher matcher{encoding, type.getRank() - 2};
  if (matcher.match(type))
    return matcher.storage;
  why = matcher.reason;
  return failure();
}
