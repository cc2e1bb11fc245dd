//===- HostCall.h - Calls of programs compiled for the CPU ------*- C++ -*-===//

#ifndef SATTN_RUNTIME_HOSTCALL_H
#define SATTN_RUNTIME_HOSTCALL_H

#include "sattn/Runtime/Manifest.h"
#include "sattn/Runtime/Tensor.h"

namespace sattn::runtime {

/// A program for the CPU: one pointer an argument, to a float or a double, or
/// to a pointer to MLIR's memref descriptor.
using HostEntry = void (*)(void **arguments);

/// Calls it with these arguments, which have been checked. Scalars become what
/// the manifest says.
void callHost(HostEntry entry, const Manifest &manifest,
              const std::vector<Argument> &arguments);

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_HOSTCALL_H
