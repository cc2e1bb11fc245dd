//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// glibc has arc4random since 2.36 only, and the static LLVM was built where it
// exists. With this one inside, hidden, the bundle runs on glibc 2.35.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t value;
  // Up to 256 bytes come whole; only a kernel before 3.17 lacks the call.
  if (getrandom(&value, sizeof(value), 0) != (ssize_t)sizeof(value))
    abort();
  return value;
}
