//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_TEST_LIB_DIALECT_WGTILE_TESTPASSES_H
#define SATTN_TEST_LIB_DIALECT_WGTILE_TESTPASSES_H

namespace wgtile::test {

/// Registers `test-wgtile-drop-sync`.
void registerTestDropSyncPass();

} // namespace wgtile::test

#endif // SATTN_TEST_LIB_DIALECT_WGTILE_TESTPASSES_H
