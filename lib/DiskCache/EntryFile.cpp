//===- EntryFile.cpp - Entries as bytes -----------------------------------===//
//
// The format of an entry's file.
//
//===----------------------------------------------------------------------===//

#include "EntryFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace sattn::cache;
using llvm::StringRef;

static constexpr llvm::StringLiteral kMagic = "sattn program 1\n";
static constexpr size_t kChecksumSize = 32;

static std::string checksum(StringRef contents) {
  llvm::BLAKE3 hasher;
  hasher.update(contents);
  return llvm::toStringRef(hasher.final<kChecksumSize>()).str();
}

static void appendNumber(std::string &contents, uint64_t number) {
  char bytes[8];
  llvm::support::endian::write64le(bytes, number);
  contents.append(bytes, sizeof(bytes));
}

/// Takes a number off the front; false at the end.
static bool takeNumber(StringRef &contents, uint64_t &number) {
  if (contents.size() < 8)
    return false;
  number = llvm::support::endian::read64le(contents.data());
  contents = contents.drop_front(8);
  return true;
}

std::string sattn::cache::encode(const Key &key, const Entry &entry) {
  std::string contents = llvm::toStringRef(key.bytes).str();
  for (const std::string &text : entry) {
    appendNumber(contents, text.size());
    contents += text;
  }
  return kMagic.str() + checksum(contents) + contents;
}

std::optional<Entry> sattn::cache::decode(const Key &key, StringRef contents) {
  if (!contents.consume_front(kMagic) || contents.size() < kChecksumSize)
    return std::nullopt;
  StringRef expected = contents.take_front(kChecksumSize);
  contents = contents.drop_front(kChecksumSize);
  if (checksum(contents) != expected ||
      !contents.consume_front(llvm::toStringRef(key.bytes)))
    return std::nullopt;
  Entry entry;
  while (!contents.empty()) {
    uint64_t size = 0;
    if (!takeNumber(contents, size) || size > contents.size())
      return std::nullopt;
    entry.push_back(contents.take_front(size).str());
    contents = contents.drop_front(size);
  }
  return entry;
}
