//===- Lookup.h - Rules of look-up ------------------------------*- C++ -*-===//
//
// The rules by which a row is found for a problem, exact or near.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_METATABLE_LOOKUP_H
#define SATTN_METATABLE_LOOKUP_H

#include "sattn/MetaTable/MetaTable.h"

namespace sattn::meta {

/// The problem that parameters are for.
struct Query {
  /// The schema of the op.
  const OpSchema *schema = nullptr;
  /// The device as its driver names it.
  std::string device;
  /// Version of the tuned kernels; only sections of this version are searched.
  int64_t version = 0;
  /// Element types of the operands and of the result, as in Section. An
  /// `outDtype` equal to `dtype` is the same as an empty one.
  std::string dtype, outDtype;
  /// The sparsity in hundredths, rounded.
  int64_t sparsity = 50;
  /// The numbers of the key, as OpSchema::keyNames.
  llvm::SmallVector<int64_t, 8> key;
  /// Whether only the exact row counts, without the rules that take a near one.
  bool exact = false;
  /// Whether rows tuned on the device `other` apply to `device`; null: rows
  /// apply only to their own device.
  bool (*takesRowsOf)(llvm::StringRef device, llvm::StringRef other) = nullptr;

  /// A text such as "OP (192, 192, ...), NVIDIA H200, bf16, sparsity 0.50".
  std::string describe() const;
};

/// A section whose only row has the query's key and these parameters
/// ("SPLIT_N=4",
/// ...). An error says which of them is impossible.
llvm::Expected<Section> makeSection(const Query &query,
                                    llvm::ArrayRef<std::string> parameters);

/// A row, and how it was found. Points into the table.
struct Match {
  const Table *table = nullptr;
  const Section *section = nullptr;
  const Row *row = nullptr;
  /// Whether the row is of sparsity 0.5, and not of the query's.
  bool otherSparsity = false;
  /// Whether the row is of a result of the operands' type, and the query is
  /// not.
  bool otherOutDtype = false;
  /// Whether the row is of a smaller size (OpSchema::nearSize).
  bool otherSize = false;
  /// Whether the row was tuned on another device, and applies to the query's.
  bool otherDevice = false;

  /// Whether the row was tuned for another problem than the query's.
  bool isOfOtherProblem() const {
    return otherSparsity || otherOutDtype || otherSize;
  }

  /// A text such as "row (192, ...) of OP, NVIDIA A100-SXM4-80GB, bf16,
  /// sparsity 0.56 in the shipped table (exact)"; in the place of "exact" the
  /// rules that were needed.
  std::string describe() const;
};

/// The best row of a table for a query. In this order:
///
/// 1. the query's own dtypes, sparsity and key;
/// 2. the same at sparsity 0.5;
/// 3. where the result has a type of its own: rows at sparsity 0.5 of the
///    operands' type alone;
/// 4. 1 to 3 with any smaller size of the one position that an op names (N of a
///    product, the length of an attention): the largest whose tiles divide the
///    query's, or the nearest where its rows have no tiles of that size. The
///    other numbers of the key stay the same. An op without such a size has no
///    rule 4;
/// 5. 1 to 4 on the other devices that do for the query's, in the order of
///    their names.
///
/// `exact` leaves the first. The result points into `table`. A look-up reads
/// each section once, and each row of those of the op and its types at most
/// twice.
std::optional<Match> lookup(const Table &table, const Query &query);

/// Rows whose keys have the given numbers, in the order of their keys; a
/// position without a number takes any. Only the section of the query's own
/// dtypes and sparsity is searched, on its device, or else (without `exact`) on
/// the first other that does and has one. Query::key is not read.
std::vector<Match> list(const Table &table, const Query &query,
                        llvm::ArrayRef<std::optional<int64_t>> pattern);

} // namespace sattn::meta

#endif // SATTN_METATABLE_LOOKUP_H
