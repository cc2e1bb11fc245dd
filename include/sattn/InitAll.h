//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_INITALL_H
#define SATTN_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace sattn {

/// Registers this project's dialects, the upstream dialects that programs and
/// their lowerings use, and the interfaces that the passes need.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers this project's passes and pipelines and the upstream passes that
/// the pipelines are made of, for tools that take textual pipelines.
void registerAllPasses();

} // namespace sattn

#endif // SATTN_INITALL_H
