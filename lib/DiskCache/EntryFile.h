//===- EntryFile.h - Entries as bytes ---------------------------*- C++ -*-===//

#ifndef SATTN_LIB_DISKCACHE_ENTRYFILE_H
#define SATTN_LIB_DISKCACHE_ENTRYFILE_H

#include "sattn/DiskCache/DiskCache.h"

namespace sattn::cache {

/// The contents of an entry's file: a word that names the format, a checksum of
/// the rest, the key, and each text after its length.
std::string encode(const Key &key, const Entry &entry);

/// The entry in a file's contents; nothing for any other bytes than those that
/// `encode` makes for this key.
std::optional<Entry> decode(const Key &key, llvm::StringRef contents);

} // namespace sattn::cache

#endif // SATTN_LIB_DISKCACHE_ENTRYFILE_H
