//===- MetaTable.h - Tables of tuned parameters -----------------*- C++ -*-===//
//
// Tables of tuned parameters: what a file holds, and how it is read. Only
// LLVM's support library is needed. docs/MetaTable.md describes the format.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_METATABLE_METATABLE_H
#define SATTN_METATABLE_METATABLE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sattn::meta {

struct Section;

/// One tuned configuration.
struct Row {
  /// The numbers of the key, as OpSchema::keyNames.
  llvm::SmallVector<int64_t, 8> key;
  /// The values of parameters, as Section::parameters.
  llvm::SmallVector<int64_t, 6> values;
};

/// The form of the rows of one op, which the op itself defines.
struct OpSchema {
  llvm::StringLiteral op;
  /// Names of the numbers of a key, in order. A name with `==` is a flag,
  /// `true` or `false` in a file and 1 or 0 here.
  llvm::ArrayRef<llvm::StringLiteral> keyNames;
  /// Names of the parameters that a section may give.
  llvm::ArrayRef<llvm::StringLiteral> parameterNames;
  /// Position in the key of the size by which a row may be near, if any: a row
  /// of a smaller one does.
  std::optional<unsigned> nearSize = {};
  /// Elements of that size that one tile of a row has, which must divide the
  /// query's; null where any larger size will do.
  int64_t (*tileWidth)(const Section &section, const Row &row) = nullptr;
  /// Why a section cannot have these parameters together, or a row its values
  /// ("expected SPLIT_N to divide N = 21, but got 4"); an empty text where they
  /// can. Names and ranges of single numbers have been checked.
  /// Null: all can.
  std::string (*parametersProblem)(llvm::ArrayRef<std::string> parameters) =
      nullptr;
  std::string (*rowProblem)(const Section &section, const Row &row) = nullptr;
  /// The most that a parameter of a row with this key may be; nothing where it
  /// has the limit of all parameters. Null: all have it.
  std::optional<int64_t> (*mostOf)(llvm::StringRef parameter,
                                   llvm::ArrayRef<int64_t> key) = nullptr;
  /// Names of numbers that may be 0: of keys that an op may lack, and of
  /// parameters that a row may leave to the passes.
  llvm::ArrayRef<llvm::StringLiteral> zeroNames = {};

  static bool isFlag(llvm::StringRef keyName) { return keyName.contains("=="); }
};

/// The ops that a table may have rows of.
using OpSchemas = llvm::ArrayRef<const OpSchema *>;

/// The rows of one op on one device for one dtype and sparsity.
struct Section {
  /// The schema of the op.
  const OpSchema *schema = nullptr;
  /// The device as its driver names it ("NVIDIA A100-SXM4-80GB").
  std::string device;
  /// Version of the tuned kernels, not of the file format: a query ignores rows
  /// of other versions.
  int64_t version = 0;
  /// Element type of the operands: "f16", "bf16", "f32".
  std::string dtype;
  /// Element type of the result; empty where it is that of the operands.
  std::string outDtype;
  /// Part of the blocks that is not stored, in hundredths.
  int64_t sparsity = 50;
  /// Names of the numbers in Row::values.
  llvm::SmallVector<std::string, 6> parameters;
  /// Sorted by key, which no two share.
  std::vector<Row> rows;

  /// A parameter of a row of this section, where the section has it and the row
  /// does not leave it out by a 0.
  std::optional<int64_t> get(const Row &row, llvm::StringRef parameter) const;
  /// A text such as "OP, NVIDIA A100-SXM4-80GB, bf16, sparsity 0.56".
  std::string describe() const;
};

/// A text such as "(192, 192, 256, 64, 64, false, true, true)".
std::string describeKey(const OpSchema &schema, llvm::ArrayRef<int64_t> key);

/// A text such as "0.56", for 56.
std::string describeSparsity(int64_t hundredths);

/// Why a section cannot have its parameters, or a row its values ("expected
/// SPLIT_N to divide N = 21, but got 4"); an empty text where they can.
std::string parametersProblem(const Section &section);
std::string rowProblem(const Section &section, const Row &row);

struct Table {
  /// The table's name in messages: a path, or "the shipped table".
  std::string name;
  std::vector<Section> sections;
};

/// Reads a table in JSON. A text that is no table of the format and version
/// that this reader knows is an error. A row that holds impossible values is
/// left out, and `problems` gets a message for it, for the first 20 of them and
/// then one for the rest. Every message starts with `name` and has the form
/// "expected X, but got Y". Sections are of the ops in `schemas`, which the
/// table points into.
llvm::Expected<Table> parseTable(llvm::StringRef text, llvm::StringRef name,
                                 OpSchemas schemas,
                                 std::vector<std::string> &problems);

/// Reads the regular file at `path`, of at most 64 MiB; the path is the table's
/// name.
llvm::Expected<Table> loadTable(llvm::StringRef path, OpSchemas schemas,
                                std::vector<std::string> &problems);

} // namespace sattn::meta

#endif // SATTN_METATABLE_METATABLE_H
