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

/// Lets `sattn-record-contracts` know what upstream's ops require of extents
/// and indices.
void registerExtentConstraintOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_TRANSFORMS_EXTENTCONSTRAINTOPINTERFACEIMPL_H
