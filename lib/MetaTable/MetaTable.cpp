//===- MetaTable.cpp - Sections and rows of meta tables -------------------===//
//
// The contents of a row, and its name in messages.
//
//===----------------------------------------------------------------------===//

#include "sattn/MetaTable/MetaTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace sattn::meta;

std::optional<int64_t> Section::get(const Row &row,
                                    llvm::StringRef parameter) const {
  const auto *it = llvm::find(parameters, parameter);
  if (it == parameters.end())
    return std::nullopt;
  int64_t value = row.values[it - parameters.begin()];
  return value == 0 ? std::nullopt : std::optional<int64_t>(value);
}

std::string sattn::meta::describeSparsity(int64_t hundredths) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << hundredths / 100 << '.' << hundredths / 10 % 10 << hundredths % 10;
  return text;
}

std::string Section::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << schema->op << ", " << device << ", " << dtype;
  if (!outDtype.empty())
    os << " to " << outDtype;
  os << ", sparsity " << describeSparsity(sparsity);
  if (version != 0)
    os << ", version " << version;
  return text;
}

std::string sattn::meta::describeKey(const OpSchema &schema,
                                     llvm::ArrayRef<int64_t> key) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(llvm::zip(schema.keyNames, key), os, [&](auto entry) {
    auto [name, value] = entry;
    if (OpSchema::isFlag(name))
      os << (value ? "true" : "false");
    else
      os << value;
  });
  os << ')';
  return text;
}
