//===- Barriers.h - Barriers in shared memory -------------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LAYOUT_BARRIERS_H
#define SATTN_LAYOUT_BARRIERS_H

#include <cstdint>

namespace sattn::layout {

/// Bytes of an mbarrier object, and their alignment.
inline constexpr int64_t kBarrierBytes = 8;

} // namespace sattn::layout

#endif // SATTN_LAYOUT_BARRIERS_H
