//===- Arguments.h - What Python passes, as the runtime's -------*- C++ -*-===//

#ifndef SATTN_PYTHON_BINDING_ARGUMENTS_H
#define SATTN_PYTHON_BINDING_ARGUMENTS_H

#include "sattn/Runtime/Manifest.h"

#include <tvm/ffi/tvm_ffi.h>

namespace sattn::python {

/// The arguments of one call, in the manifest's order: Python numbers for its
/// scalars, anything with DLPack for its tensors, all of them on `device` if
/// that is given. Tensors are views; nothing is copied. uint16 stands for bf16,
/// which NumPy's DLPack has no name for.
///
/// The result is this thread's, until its next call: calls then need no memory.
///
/// Throws TypeError for a wrong number or kind of arguments, ValueError for an
/// element type that the runtime has not, or for another device; the messages
/// name the argument. Shapes and element types are left to the runtime.
const std::vector<runtime::Argument> &
readArguments(const runtime::Manifest &manifest, tvm::ffi::PackedArgs packed,
              std::optional<DLDevice> device);

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_ARGUMENTS_H
