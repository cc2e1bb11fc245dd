//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_TRANSFORMS_EXTENTCONSTRAINTOPINTERFACEIMPL_H
#define SATTN_DIALECT_SATTN_TRANSFORMS_EXTENTCONSTRAINTOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace sattn {

/// Lets `sattn-record-contracts` know what ops require of extents and indices:
/// those of upstream, and those of `sattn`.
void registerExtentConstraintOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);
void registerSAttnExtentConstraints(mlir::DialectRegistry &registry);

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_TRANSFORMS_EXTENTCONSTRAINTOPINTERFACEIMPL_H
