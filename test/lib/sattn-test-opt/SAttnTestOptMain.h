//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TEST_LIB_SATTNTESTOPT_SATTNTESTOPTMAIN_H
#define SATTN_TEST_LIB_SATTNTESTOPT_SATTNTESTOPTMAIN_H

namespace sattn::test {

/// The tool sattn-test-opt: sparse-opt with the dialect sattn_test. Returns the
/// exit status.
int testOptMain(int argc, char **argv);

} // namespace sattn::test

#endif // SATTN_TEST_LIB_SATTNTESTOPT_SATTNTESTOPTMAIN_H
