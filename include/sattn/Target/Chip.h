//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TARGET_CHIP_H
#define SATTN_TARGET_CHIP_H

#include "sattn/Support/Chip.h"

#include "mlir/IR/Diagnostics.h"

namespace sattn {

/// Name of the only target that is no chip.
inline constexpr llvm::StringLiteral kCPUTarget = "cpu";

/// The chip of that name; emits an error that lists the known ones otherwise.
mlir::FailureOr<Chip>
lookupChip(llvm::StringRef name,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace sattn

#endif // SATTN_TARGET_CHIP_H
