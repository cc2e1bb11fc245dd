//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_REGULARFILE_H
#define SATTN_SUPPORT_REGULARFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace sattn {

/// The largest file of tuned parameters that is read: a million rows.
inline constexpr uint64_t kMaxTableBytes = uint64_t(64) << 20;

/// The contents of a regular file of at most kMaxTableBytes. Pipes and devices
/// are refused before they are opened, since they may have no end.
inline llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readRegularFile(llvm::StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return llvm::errorCodeToError(error);
  if (!llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError("no regular file");
  if (status.getSize() > kMaxTableBytes)
    return llvm::createStringError("more than " +
                                   llvm::Twine(kMaxTableBytes >> 20) + " MiB");
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::errorCodeToError(file.getError());
  return std::move(*file);
}

} // namespace sattn

#endif // SATTN_SUPPORT_REGULARFILE_H
