//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TARGET_CHIP_H
#define SATTN_TARGET_CHIP_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace sattn {

/// The properties of a GPU that the compiler uses.
struct Chip {
  /// As ptxas spells it.
  llvm::StringLiteral name;
  /// LLVM's feature string: the PTX version.
  llvm::StringLiteral features;
  /// Shared memory of a thread block, in bytes (CUDA C++ Programming Guide,
  /// "Technical Specifications per Compute Capability").
  int64_t sharedBytes;
  /// Whether the chip has copies of tiles by tensor maps (TMA) and MMAs of
  /// warpgroups (wgmma). Code without them runs on this chip and later ones.
  bool hasTMA;
  bool hasWgmma;
};

/// Name of the only target that is no chip.
inline constexpr llvm::StringLiteral kCPUTarget = "cpu";

/// The chip of that name, if kernels can be generated for it.
std::optional<Chip> findChip(llvm::StringRef name);

/// The chip of that name; emits an error that lists the known ones otherwise.
mlir::FailureOr<Chip>
lookupChip(llvm::StringRef name,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace sattn

#endif // SATTN_TARGET_CHIP_H
