//===- Lookup.h - Rules of look-up ------------------------------*- C++ -*-===//
//
// The rules by which a row is found for a problem, exact or near.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_METATABLE_LOOKUP_H
#define SATTN_METATABLE_LOOKUP_H

#include "sattn/MetaTable/MetaTable.h"

namespace sattn::meta {

/// What parameters are wanted for.
struct Query {
  std::string op;
  /// As the driver names it.
  std::string device;
  /// Of the tuned kernels; only sections of this version are seen.
  int64_t version = 0;
  /// Element types of the operands and of the result, as in Section. An
  /// `outDtype` equal to `dtype` is the same as an empty one.
  std::string dtype, outDtype;
  /// In hundredths, rounded.
  int64_t sparsity = 50;
  /// As OpSchema::keyNames.
  llvm::SmallVector<int64_t, 8> key;
  /// Only the exact row: no rule that takes a near one.
  bool exact = false;

  /// "bsr_addmm (192, 192, ...), NVIDIA H200, bf16, sparsity 0.50".
  std::string describe() const;
};

/// A section whose only row has the query's key and these parameters
/// ("SPLIT_N=4",
/// ...). An error says which of them is impossible.
llvm::Expected<Section> makeSection(const Query &query,
                                    llvm::ArrayRef<std::string> parameters);

/// Part of blocks that is not stored, in hundredths, rounded:
/// 1 - nnz * blockRows * blockColumns / (m * k). 0 where m or k is 0, and where
/// more are stored than a matrix has.
int64_t sparsityInHundredths(int64_t nnz, int64_t blockRows,
                             int64_t blockColumns, int64_t m, int64_t k);

/// A row, and how it was found. Points into the table.
struct Match {
  const Table *table = nullptr;
  const Section *section = nullptr;
  const Row *row = nullptr;
  /// The row is of sparsity 0.5, not of the query's.
  bool otherSparsity = false;
  /// The row is of a result of the operands' type, the query's is not.
  bool otherOutDtype = false;
  /// The row is of a smaller N, of which the query's N is a multiple of the
  /// tile's width.
  bool otherN = false;
  /// The row is of another device of the same family.
  bool otherDevice = false;

  /// "row (192, ...) of bsr_addmm, NVIDIA A100-SXM4-80GB, bf16, sparsity 0.56
  /// in the shipped table (exact)"; in the place of "exact" the rules that were
  /// needed.
  std::string describe() const;
};

/// The best row of a table for a query. In this order:
///
/// 1. the query's own dtypes, sparsity and key;
/// 2. the same at sparsity 0.5;
/// 3. where the result has a type of its own: rows at sparsity 0.5 of the
///    operands' type alone;
/// 4. 1 to 3 with any smaller N: the largest n <= N whose tile width (see
///    tileWidth) divides N;
/// 5. 1 to 4 on the other devices of the family, in the order of their names:
///    every "NVIDIA A100..." takes the rows of "NVIDIA A100-SXM4-80GB"; H100,
///    H200 and GH200 take each other's.
///
/// `exact` leaves the first. The result points into `table`.
std::optional<Match> lookup(const Table &table, const Query &query);

/// Rows whose keys have the given numbers, in the order of their keys; a
/// position without a number takes any. Only the section of the query's own
/// dtypes and sparsity is searched, on its device, or else (without `exact`) on
/// the first of its family that has one. Query::key is not read.
std::vector<Match> list(const Table &table, const Query &query,
                        llvm::ArrayRef<std::optional<int64_t>> pattern);

/// Columns of the result that one tile of a row has: `tile_n`, or N / SPLIT_N
/// with the row's own N. Rescaling SPLIT_N to another N keeps it.
int64_t tileWidth(const Section &section, const Row &row);

} // namespace sattn::meta

#endif // SATTN_METATABLE_LOOKUP_H
