//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_DIFFERENTIATEATTR_H
#define SATTN_SUPPORT_DIFFERENTIATEATTR_H

#include "llvm/ADT/StringRef.h"

namespace sattn {

/// Array of i64 on a function: numbers of the arguments whose cotangents its
/// derivative gives (`sattn-differentiate`).
inline constexpr llvm::StringLiteral kDifferentiateAttrName =
    "sattn.differentiate";

} // namespace sattn

#endif // SATTN_SUPPORT_DIFFERENTIATEATTR_H
