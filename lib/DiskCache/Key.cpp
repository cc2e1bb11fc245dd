//===- Key.cpp - Hashes of compilations -----------------------------------===//
//
// Hashes, and the identity of loaded libraries.
//
//===----------------------------------------------------------------------===//

#include "sattn/DiskCache/Key.h"

#include "sattn/Support/RegularFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <elf.h>
#include <link.h>
#include <map>
#include <mutex>

using namespace sattn::cache;
using llvm::StringRef;

std::string Key::fileName() const {
  // The prefix that llvm::pruneCache looks for.
  return "llvmcache-" + llvm::toHex(bytes, /*LowerCase=*/true);
}

KeyHasher::KeyHasher() {
  addBuildOf(reinterpret_cast<const void *>(&buildIdOf));
  addBuildOf(reinterpret_cast<const void *>(&llvm::sys::getHostCPUName));
}

KeyHasher &KeyHasher::add(StringRef field) {
  add(static_cast<int64_t>(field.size()));
  hasher.update(field);
  return *this;
}

KeyHasher &KeyHasher::add(int64_t field) {
  std::array<uint8_t, 8> bytes;
  llvm::support::endian::write64le(bytes.data(), field);
  hasher.update(bytes);
  return *this;
}

KeyHasher &KeyHasher::addBuildOf(const void *address) {
  return add(buildIdOf(address));
}

KeyHasher &KeyHasher::addFile(StringRef path) {
  add(path);
  auto file = readRegularFile(path);
  if (file)
    return add("file").add((*file)->getBuffer());
  llvm::consumeError(file.takeError());
  return add("none");
}

Key KeyHasher::finish() { return {hasher.final<32>()}; }

namespace {
/// A loaded file.
struct LoadedFile {
  uintptr_t address = 0;
  bool isFound = false;
  std::string path;
  std::string buildId;
};
} // namespace

/// The build id in a segment of notes; empty if it has none.
static std::string findBuildId(StringRef notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    const auto &note = *reinterpret_cast<const ElfW(Nhdr) *>(notes.data());
    size_t name = llvm::alignTo<4>(note.n_namesz);
    size_t size = sizeof(note) + name + llvm::alignTo<4>(note.n_descsz);
    if (size > notes.size())
      break;
    if (note.n_type == NT_GNU_BUILD_ID &&
        notes.substr(sizeof(note), note.n_namesz) == StringRef("GNU\0", 4))
      return notes.substr(sizeof(note) + name, note.n_descsz).str();
    notes = notes.drop_front(size);
  }
  return "";
}

static int inspect(dl_phdr_info *info, size_t, void *data) {
  auto &file = *static_cast<LoadedFile *>(data);
  llvm::ArrayRef<ElfW(Phdr)> headers(info->dlpi_phdr, info->dlpi_phnum);
  auto holds = [&](const ElfW(Phdr) & header) {
    uintptr_t start = info->dlpi_addr + header.p_vaddr;
    return header.p_type == PT_LOAD && file.address >= start &&
           file.address - start < header.p_memsz;
  };
  if (llvm::none_of(headers, holds))
    return 0;
  file.isFound = true;
  file.path = info->dlpi_name;
  for (const ElfW(Phdr) &header : headers)
    if (header.p_type == PT_NOTE && file.buildId.empty())
      file.buildId = findBuildId(StringRef(
          reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr),
          header.p_memsz));
  return 1;
}

std::string sattn::cache::buildIdOf(const void *address) {
  static std::mutex mutex;
  static std::map<const void *, std::string> known;
  std::lock_guard<std::mutex> guard(mutex);
  auto [place, isNew] = known.try_emplace(address);
  if (!isNew)
    return place->second;
  LoadedFile file;
  file.address = reinterpret_cast<uintptr_t>(address);
  dl_iterate_phdr(inspect, &file);
  if (file.buildId.empty()) {
    // The program itself has no name there.
    auto contents = llvm::MemoryBuffer::getFile(
        file.path.empty() ? "/proc/self/exe" : file.path);
    if (contents) {
      llvm::BLAKE3 hasher;
      hasher.update((*contents)->getBuffer());
      file.buildId = llvm::toStringRef(hasher.final<32>()).str();
    }
  }
  return place->second = file.buildId;
}
