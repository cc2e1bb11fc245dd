//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_ARGUMENTS_H
#define SATTN_TOOLS_SPARSERUN_ARGUMENTS_H

#include "Npy.h"
#include "sattn/Runtime/Manifest.h"

namespace sattn::run {

/// The values that a program is called with. Movable; the views in `values`
/// stay valid.
struct Arguments {
  /// One for each argument of the program.
  std::vector<runtime::Argument> values;
  /// The memory of tensor arguments.
  std::vector<std::optional<runtime::NpyArray>> arrays;
};

/// The contract of the op that is all of the program, or null. Storage alone is
/// no op.
const runtime::Contract *findContract(const runtime::Manifest &manifest);

/// Makes the arguments from the words of the command line. An operand that is
/// written may be a word such as `zeros`, whose shape the others imply. Errors
/// name the argument or the file. `declared` has the extents that the program
/// was written for, -1 for dynamic ones; `attributes` are those without a value
/// of the op that is all of the program. runtime::checkContracts checks whether
/// the arguments fit together.
runtime::ErrorOr<Arguments>
loadArguments(const runtime::Manifest &manifest,
              const std::vector<std::vector<int64_t>> &declared,
              const std::vector<std::string> &words,
              const std::vector<std::string> &attributes);

/// An error if an array has another extent than the declared one.
runtime::Error
checkDeclaredShapes(const runtime::Manifest &manifest,
                    const std::vector<std::vector<int64_t>> &declared,
                    const Arguments &arguments);

/// An error if memory between the rows of an array that was loaded with a row
/// stride has changed.
runtime::Error checkGaps(const runtime::NpyArray &array);

/// A copy of the array in memory of its own, gaps between rows included.
runtime::ErrorOr<runtime::NpyArray> copyArray(const runtime::NpyArray &array);

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_ARGUMENTS_H
