//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Misses.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace sattn::tuning;

/// The file's path; empty where there is none.
static std::string getPath() {
  const char *path = std::getenv("SATTN_MISSES");
  return path ? path : "";
}

bool sattn::tuning::logsMisses() { return !getPath().empty(); }

std::string sattn::tuning::logMiss(llvm::StringRef op,
                                   llvm::ArrayRef<NamedFact> facts) {
  std::string path = getPath();
  if (path.empty())
    return "";
  llvm::json::Object named;
  for (const NamedFact &fact : facts) {
    if (fact.text)
      named[fact.name] = *fact.text;
    else
      named[fact.name] = fact.number;
  }
  std::string line;
  llvm::raw_string_ostream(line)
      << llvm::json::Value(
             llvm::json::Object{{"op", op}, {"facts", std::move(named)}})
      << "\n";
  // One write at the end of the file.
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::CD_OpenAlways,
                            llvm::sys::fs::FA_Write, llvm::sys::fs::OF_Append);
  if (!error) {
    file.SetBufferSize(line.size() + 1);
    file << line;
    file.close();
    error = file.error();
    file.clear_error();
  }
  return error ? "SATTN_MISSES: expected a file to write to, but got '" + path +
                     "': " + error.message()
               : "";
}
