//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_MANIFESTATTRS_H
#define SATTN_SUPPORT_MANIFESTATTRS_H

#include "llvm/ADT/StringRef.h"

namespace sattn {

/// String attribute on a function that holds its manifest
/// (`sattn-emit-manifests`).
inline constexpr llvm::StringLiteral kManifestAttrName = "sattn.manifest";

/// Array of strings on such a function: what diagnostics of the program call
/// its first arguments, in order. Others, and those with "", are called by the
/// operand that they are.
inline constexpr llvm::StringLiteral kNamesAttrName = "sattn.names";

} // namespace sattn

#endif // SATTN_SUPPORT_MANIFESTATTRS_H
