//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Target/Chip.h"

using namespace mlir;
using namespace sattn;

static constexpr Chip kChips[] = {
    {"sm_90a", "+ptx86", 227 * 1024, /*hasTMA=*/true, /*hasWgmma=*/true},
    {"sm_80", "+ptx80", 163 * 1024, /*hasTMA=*/false,
     /*hasWgmma=*/false},
    {"sm_86", "+ptx80", 99 * 1024, /*hasTMA=*/false, /*hasWgmma=*/false},
    {"sm_89", "+ptx80", 99 * 1024, /*hasTMA=*/false,
     /*hasWgmma=*/false}};

std::optional<Chip> sattn::findChip(StringRef name) {
  for (const Chip &chip : kChips)
    if (chip.name == name)
      return chip;
  return std::nullopt;
}

FailureOr<Chip>
sattn::lookupChip(StringRef name,
                  function_ref<InFlightDiagnostic()> emitError) {
  if (std::optional<Chip> chip = findChip(name))
    return *chip;
  InFlightDiagnostic diag = emitError();
  diag << "expected a chip that kernels can be generated for (";
  llvm::interleaveComma(kChips, diag,
                        [&](const Chip &chip) { diag << chip.name; });
  return diag << "), but got '" << name << "'";
}
