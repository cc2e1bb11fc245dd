//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_CHECK_H
#define SATTN_TOOLS_SPARSERUN_CHECK_H

#include "ProgramSource.h"

#include "sattn/Reference/Op.h"

namespace sattn::run {

/// Gives `operands` the functions that the first op of this name in the entry
/// has as regions, for the values of the entry's arguments. An error where
/// there is no reference of them.
runtime::Error addFunctions(ProgramSource &program, const std::string &op,
                            const std::vector<runtime::Argument> &values,
                            reference::NamedOperands &operands);

/// Applies the elementwise ops that follow the first op of this name in the
/// entry to its result, up to the function's own, all of this shape. `elements`
/// has those of the first, in row-major order, and then of the last.
runtime::Error applyConsumers(ProgramSource &program, const std::string &op,
                              const std::vector<runtime::Argument> &values,
                              const std::vector<int64_t> &shape,
                              std::vector<double> &elements);

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_CHECK_H
