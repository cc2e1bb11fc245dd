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

FailureOr<Chip>
sattn::lookupChip(StringRef name,
                  function_ref<InFlightDiagnostic()> emitError) {
  if (std::optional<Chip> chip = findChip(name))
    return *chip;
  return emitError() << explainUnknownChip(name);
}
