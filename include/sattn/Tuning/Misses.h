//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_MISSES_H
#define SATTN_TUNING_MISSES_H

#include "sattn/Tuning/NamedFacts.h"

namespace sattn::tuning {

/// Whether the environment variable SATTN_MISSES names a file.
bool logsMisses();

/// Appends a problem for which no table had the exact row to the file that the
/// environment variable SATTN_MISSES names, as a line that `sparse-tune` reads;
/// nothing where it names none. A process logs a problem once. Lines of several
/// processes stay whole. Returns
/// why the file cannot be written, or an empty text.
std::string logMiss(llvm::StringRef op, llvm::ArrayRef<NamedFact> facts);

} // namespace sattn::tuning

#endif // SATTN_TUNING_MISSES_H
