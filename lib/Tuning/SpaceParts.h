//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Parts of which ops declare their spaces: values of parameters, and conditions
// that say what was expected.

#ifndef SATTN_LIB_TUNING_SPACEPARTS_H
#define SATTN_LIB_TUNING_SPACEPARTS_H

#include "sattn/Tuning/Space.h"

namespace sattn::tuning {

/// Adds a parameter with these values and that of the default, in order, each
/// once.
void addParameter(Space &space, llvm::StringLiteral name,
                  llvm::ArrayRef<int64_t> values);

/// Adds what the schedule of a kernel takes on a GPU: stages, warps where MMAs
/// leave a choice (`hasWarps`), and raster_group. On the CPU the register tile
/// of products, and threads.
void addHints(Space &space, const Target &target, bool hasWarps);

/// Adds the most threads that compute tiles on the CPU.
void addThreads(Space &space, const Target &target);

/// Divisors of a size that are multiples of `unit` and at most `most`.
llvm::SmallVector<int64_t> getDivisors(int64_t size, int64_t unit,
                                       int64_t most);

/// The values that are not above `most`.
llvm::SmallVector<int64_t> takeUpTo(int64_t most,
                                    llvm::ArrayRef<int64_t> values);

/// The first text that is not empty.
std::string
firstProblem(std::initializer_list<llvm::function_ref<std::string()>> checks);

/// The message "expected NAME to be ..., but got VALUE"; an empty text if it is
/// so.
std::string expectMultiple(llvm::StringRef name, int64_t value, int64_t unit);
std::string expectRange(llvm::StringRef name, int64_t value, int64_t least,
                        int64_t most);
/// The message that a value must divide `size`, a block's; empty if it does.
std::string expectDivisor(llvm::StringRef name, int64_t value, int64_t size);

/// The message "expected WHAT of at most MOST on TARGET, but got VALUE".
std::string expectMost(const llvm::Twine &what, int64_t value, int64_t most,
                       const Target &target);

/// Whether the operands and the result of a product have elements that a GPU
/// multiplies.
std::string expectElements(int64_t elementBytes, const Target &target);

/// The limits of tiles of operands on a GPU: at most 256 rows of a box, and
/// multiples of MMAs' units.
std::string findProductProblem(const Parameters &tile, int64_t elementBytes,
                               bool isTransposedB, const Target &target);

} // namespace sattn::tuning

#endif // SATTN_LIB_TUNING_SPACEPARTS_H
