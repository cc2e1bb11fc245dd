//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Facts of an op by their names: for callers that know no op, as the C API
// (sattn-c/Tuning.h). docs/MetaTable.md lists the facts of each op.

#ifndef SATTN_TUNING_NAMEDFACTS_H
#define SATTN_TUNING_NAMEDFACTS_H

#include "sattn/Tuning/Parameters.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace sattn::tuning {

/// One fact: a text, or a number where there is no text.
struct NamedFact {
  llvm::StringRef name;
  std::optional<llvm::StringRef> text = {};
  double number = 0;
};

/// Reads facts by name. The first fact that is missing, out of its range or of
/// another kind is the error; so is one that nothing has read.
class NamedFacts {
public:
  explicit NamedFacts(llvm::ArrayRef<NamedFact> facts);

  /// A whole number of at least `least`; `least` itself after an error.
  int64_t require(llvm::StringRef name, int64_t least = 1);
  /// A whole number of at least `least`; nothing if the fact is not given.
  std::optional<int64_t> find(llvm::StringRef name, int64_t least = 0);
  /// Hundredths from 0 to 100; nothing if the fact is not given.
  std::optional<int64_t> findHundredths(llvm::StringRef name);
  /// A fact that is 0 or 1; false where it is not given.
  bool isSet(llvm::StringRef name);
  /// A fact that is any number; `otherwise` if it is not given.
  double number(llvm::StringRef name, double otherwise);
  /// A fact that is one of the texts `allowed`.
  std::string requireText(llvm::StringRef name,
                          llvm::ArrayRef<llvm::StringRef> allowed);

  /// The type of elements, "dtype", where it is given, and its bytes: those of
  /// "element_bytes" where it is not, one of which must be there.
  std::string findElement(int64_t &bytes);

  /// The error, if any; to be called after the last fact was read.
  llvm::Error takeError();

  /// Names that were read, in the order of the alphabet.
  llvm::SmallVector<llvm::StringRef> getNames() const;

private:
  const NamedFact *read(llvm::StringRef name, bool isText);
  void refuse(const llvm::Twine &reason);

  llvm::ArrayRef<NamedFact> facts;
  llvm::StringSet<> names;
  std::string reason;
};

/// The choice for an op by its name. An error names the op, the
/// fact or the row that cannot be.
llvm::Expected<Choice> choose(llvm::StringRef op,
                              llvm::ArrayRef<meta::Table> tables,
                              llvm::ArrayRef<NamedFact> facts,
                              const Search &search);

} // namespace sattn::tuning

#endif // SATTN_TUNING_NAMEDFACTS_H
