//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define SATTN_DIALECT_SATTN_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace sattn {

/// Lets one-shot bufferization turn the ops that live on tensors and memrefs
/// (`sattn.plan`) from the one form to the other.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
