//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_VERSION_H
#define SATTN_VERSION_H

#include <string>

namespace sattn {

/// The project's version: "0.1.0".
const char *version();

/// The text that `TOOL --version` prints: the project's version and that of the
/// LLVM whose headers it was compiled with, a line each.
std::string versionText(const char *tool);

} // namespace sattn

#endif // SATTN_VERSION_H
