//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Version.h"

#include "llvm/Config/llvm-config.h"

const char *sattn::version() { return SATTN_VERSION; }

std::string sattn::versionText(const char *tool) {
  return std::string(tool) + " (sattn) " + version() +
         "\nLLVM " LLVM_VERSION_STRING "\n";
}
