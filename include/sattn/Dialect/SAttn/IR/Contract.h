//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_CONTRACT_H
#define SATTN_DIALECT_SATTN_IR_CONTRACT_H

#include "sattn/Support/ContractAttr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sattn {

struct SparseOperand;

/// The requirements on a function's arguments that are operands of an op.
/// Dimensions below 0 count from the end. Operands must be added before the
/// checks that name them.
class Contract {
public:
  Contract(mlir::func::FuncOp function, llvm::StringRef op);

  /// Adds a factor: an argument, or a constant. Fails for any other value.
  llvm::LogicalResult addScalar(llvm::StringRef name, mlir::Value value);
  /// Adds a number that is known.
  void addNumber(llvm::StringRef name, int64_t number);
  /// Adds a tensor that is an argument; fails for any other. `rank`: without
  /// batches. Its element type is one of `types`, or that of the operand
  /// `sameTypeAs`.
  llvm::LogicalResult addTensor(llvm::StringRef name, mlir::Value value,
                                int64_t rank,
                                llvm::ArrayRef<llvm::StringRef> types,
                                llvm::StringRef sameTypeAs = {});
  /// Marks the last operand as written.
  void setWritten();
  /// Sets the operand to whose batch dimensions all others broadcast; without
  /// one they broadcast to each other's.
  void setBatches(llvm::StringRef name);
  /// Marks the contract as one of several ops that are computed together.
  void setFused();
  /// Has the op's extent requirements (`ExtentConstraintOpInterface`) checked
  /// as well: they express more than a contract's checks do, such as products.
  void setChecksExtents();
  bool checksExtents() const { return isExtentsChecked; }

  /// {argument, dimension}, for a number that is computed from it.
  mlir::DictionaryAttr getExtent(mlir::Value tensor, int64_t dimension) const;
  /// The extent or constant, divided, then added to.
  mlir::DictionaryAttr compute(mlir::DictionaryAttr extent, int64_t divisor,
                               int64_t plus = 0) const;

  /// The extent, divided and rounded up.
  mlir::DictionaryAttr computeCeil(mlir::DictionaryAttr extent,
                                   int64_t divisor) const;

  /// Requires an extent to be a multiple of `factor`. `what` is the dimension's
  /// name, such as "M". `reason` is the factor in words; requireEqual without
  /// it says which other argument has the number.
  void requireMultiple(mlir::DictionaryAttr extent, llvm::StringRef what,
                       int64_t factor, const llvm::Twine &reason);
  void requireEqual(mlir::DictionaryAttr extent, llvm::StringRef what,
                    mlir::DictionaryAttr expected,
                    const llvm::Twine &reason = "");
  /// Requires an extent to be 1, plus `each` for each batch.
  void requireStacked(mlir::DictionaryAttr extent, llvm::StringRef what,
                      mlir::DictionaryAttr each, const llvm::Twine &reason);
  void requireAtLeast(mlir::DictionaryAttr extent, llvm::StringRef what,
                      int64_t least);
  /// Requires a tensor to overlap neither itself nor the others, except that it
  /// may be exactly `orExactly`, if that is not null.
  void requireApart(mlir::Value tensor, llvm::ArrayRef<mlir::Value> others,
                    mlir::Value orExactly);
  /// Requires tensors not to overlap anything that the program writes.
  void requireReadOnly(llvm::ArrayRef<mlir::Value> tensors);
  /// Requires blocks to have the matrix's block size, and as many block columns
  /// as blocks.
  void requireBlocks(const SparseOperand &operand);
  /// Requires offsets to ascend within `col`, and the columns there to be less
  /// than `columns`, if that is not null.
  void requireIndices(const SparseOperand &operand,
                      mlir::DictionaryAttr columns);

  /// Requires offsets to ascend within the list, whose entries are `entries` in
  /// words, and the entries, `what` in words, to be less than `below`, if that
  /// is not null.
  void requireIndices(mlir::Value offsets, mlir::Value list,
                      llvm::StringRef entries, mlir::DictionaryAttr below = {},
                      llvm::StringRef what = {});
  /// Requires the numbers in the list to be offsets of matrices in a grid, the
  /// tensor's last four dimensions (G, H, R, N), as one row-major matrix of G *
  /// R rows and H * N columns.
  void requireInGrid(mlir::Value list, mlir::Value grid,
                     bool areDistinct = false);

  /// Requires the numbers in the tensor, `what` in words, to be from 0 to
  /// `most`.
  void requireWithin(mlir::Value tensor, llvm::StringRef what,
                     mlir::DictionaryAttr most);
  /// Requires the number of each list to be from 0 to the list's length, and
  /// that many entries from its start to lie in [0, `below`), the last of them
  /// in [0, `lastBelow`) if that is not null. `what` names the things that
  /// entries are indices of.
  void requireListed(mlir::Value lists, mlir::Value counts,
                     llvm::StringRef what, mlir::DictionaryAttr below,
                     mlir::DictionaryAttr lastBelow = nullptr);

  mlir::DictionaryAttr getAttr() const;

private:
  std::optional<int64_t> findArgument(mlir::Value value) const;
  mlir::IntegerAttr getArgument(mlir::Value value) const;
  mlir::ArrayAttr getArguments(llvm::ArrayRef<mlir::Value> values) const;
  mlir::DictionaryAttr getConstant(int64_t number) const;
  void addCheck(llvm::StringRef kind, mlir::NamedAttrList entries);

  mlir::func::FuncOp function;
  mutable mlir::Builder b;
  bool isExtentsChecked = false;
  mlir::NamedAttrList entries;
  llvm::SmallVector<mlir::NamedAttrList> operands;
  llvm::SmallVector<mlir::Attribute> checks;
};

/// Element types of arrays of indices.
inline constexpr llvm::StringRef kIndexTypes[] = {"i32", "i64"};

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_IR_CONTRACT_H
