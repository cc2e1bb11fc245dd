//===- CallTensors.h - The tensors of one call ------------------*- C++ -*-===//

#ifndef SATTN_LIB_RUNTIME_LAUNCH_CALLTENSORS_H
#define SATTN_LIB_RUNTIME_LAUNCH_CALLTENSORS_H

#include "sattn/Runtime/Prepared.h"

namespace sattn::runtime {

/// The caller's own.
inline CallTensors tensorsOf(const std::vector<Argument> &arguments) {
  CallTensors tensors;
  tensors.reserve(arguments.size());
  for (const Argument &argument : arguments)
    tensors.push_back(std::get_if<TensorView>(&argument));
  return tensors;
}

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_LAUNCH_CALLTENSORS_H
