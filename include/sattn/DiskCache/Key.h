//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DISKCACHE_KEY_H
#define SATTN_DISKCACHE_KEY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"

#include <array>
#include <cstdint>
#include <string>

namespace sattn::cache {

/// The hash of everything that a compiled program depends on.
struct Key {
  std::array<uint8_t, 32> bytes;

  /// The name of the entry's file.
  std::string fileName() const;
};

/// Computes a key. The build of this library, and that of LLVM, are part of
/// every key, so a rebuilt compiler never finds an entry of an older one.
class KeyHasher {
public:
  KeyHasher();

  /// Adds a field; where a field ends is part of the hash.
  KeyHasher &add(llvm::StringRef field);
  KeyHasher &add(int64_t field);

  /// Adds the build of the library or program in which this address lies.
  KeyHasher &addBuildOf(const void *address);

  /// Adds the name and the contents of a file that the compiler reads, or the
  /// fact that it cannot be read.
  KeyHasher &addFile(llvm::StringRef path);

  Key finish();

private:
  llvm::BLAKE3 hasher;
};

/// The linker's build id of the loaded file that has this address, or a hash of
/// the file where it has none. The first call for a file reads it, later calls
/// do not.
std::string buildIdOf(const void *address);

} // namespace sattn::cache

#endif // SATTN_DISKCACHE_KEY_H
