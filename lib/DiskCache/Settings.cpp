//===- Settings.cpp - The environment's choice of a cache -----------------===//
//
// Environment variables.
//
//===----------------------------------------------------------------------===//

#include "sattn/DiskCache/DiskCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <unistd.h>

using namespace sattn::cache;
using llvm::StringRef;

static StringRef environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static std::string findFolder() {
  if (StringRef named = environment("SATTN_CACHE_DIR"); !named.empty())
    return named.str();
  llvm::SmallString<128> path(environment("XDG_CACHE_HOME"));
  // The specification of XDG_CACHE_HOME ignores relative paths.
  if (!llvm::sys::path::is_absolute(path)) {
    path = environment("HOME");
    if (path.empty())
      return "";
    llvm::sys::path::append(path, ".cache");
  }
  llvm::sys::path::append(path, "sattn");
  return path.str().str();
}

std::optional<Settings> Settings::fromEnvironment(RemarkFn remark) {
  Settings settings;
  settings.folder = findFolder();
  if (environment("SATTN_CACHE") == "0" || settings.folder.empty() ||
      getuid() != geteuid())
    return std::nullopt;
  if (StringRef text = environment("SATTN_CACHE_BYTES"); !text.empty()) {
    uint64_t bytes = 0;
    if (text.getAsInteger(10, bytes) || bytes == 0)
      remark("environment variable SATTN_CACHE_BYTES: expected a positive "
             "number of bytes, but got '" +
             text + "'");
    else
      settings.maxBytes = bytes;
  }
  return settings;
}
