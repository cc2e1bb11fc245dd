//===- Contract.h - What must hold of a program's arguments -----*- C++ -*-===//
//
// Checks made before anything is launched or written. Every message has the
// form "argument 'NAME': expected ..., but got ...".
//
// The op that a program was compiled from says what must hold, as generic
// checks in the manifest.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_CONTRACT_H
#define SATTN_RUNTIME_CONTRACT_H

#include "sattn/Runtime/Manifest.h"

namespace sattn::runtime {

/// Whether the contents of index arrays are read, which needs host memory.
enum class ContentCheck { Off, On };

/// Checks that the arguments' number, kinds, element types and ranks are those
/// that the manifest declares; that extents are not negative; and that extents
/// and strides address memory that can exist, aligned to the element's width.
Error checkArguments(const Manifest &manifest,
                     const std::vector<Argument> &arguments);

/// Runs the checks that need no memory: `checkArguments` without addresses, and
/// the shapes of `checkContracts`. Data pointers are not read.
Error checkShapes(const Manifest &manifest,
                  const std::vector<Argument> &arguments);

/// Runs `checkArguments`, then each contract's checks: shapes, with batch
/// dimensions that broadcast; memory; and, if requested, contents.
Error checkContracts(const Manifest &manifest,
                     const std::vector<Argument> &arguments,
                     ContentCheck contents);

/// Runs all checks before a call: `checkContracts`, then the manifest's checks.
/// `smCount`: the device's number of SMs.
Error checkCall(const Manifest &manifest,
                const std::vector<Argument> &arguments, ContentCheck contents,
                int64_t smCount = 1);

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_CONTRACT_H
