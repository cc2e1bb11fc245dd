//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Misses.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unistd.h>

using namespace sattn::tuning;
namespace fs = llvm::sys::fs;

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
      named[fact.name] = llvm::json::fixUTF8(*fact.text);
    else
      named[fact.name] = fact.number;
  }
  std::string line;
  llvm::raw_string_ostream(line)
      << llvm::json::Value(
             llvm::json::Object{{"op", op}, {"facts", std::move(named)}})
      << "\n";
  // Once by each process.
  static std::mutex mutex;
  static llvm::StringSet<> logged;
  std::lock_guard<std::mutex> guard(mutex);
  if (!logged.insert(path + "\n" + line).second)
    return "";
  auto refuse = [&](const llvm::Twine &reason) {
    return ("SATTN_MISSES: expected a file to write to, but got '" + path +
            "': " + reason)
        .str();
  };
  // A pipe may have no reader.
  fs::file_status status;
  if (!fs::status(path, status) && !fs::is_regular_file(status))
    return refuse("no regular file");
  int file;
  if (std::error_code error =
          fs::openFileForWrite(path, file, fs::CD_OpenAlways, fs::OF_Append))
    return refuse(error.message());
  // One write at the end of the file, so that lines of several processes stay
  // whole.
  bool isWritten = ::write(file, line.data(), line.size()) ==
                   static_cast<ssize_t>(line.size());
  std::string reason = isWritten ? "" : std::strerror(errno);
  fs::closeFile(file);
  return isWritten ? "" : refuse(reason);
}
