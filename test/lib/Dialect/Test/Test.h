//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TEST_LIB_DIALECT_TEST_TEST_H
#define SATTN_TEST_LIB_DIALECT_TEST_TEST_H

#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"
#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include "TestDialect.h.inc"

#define GET_OP_CLASSES
#include "TestOps.h.inc"

#endif // SATTN_TEST_LIB_DIALECT_TEST_TEST_H
