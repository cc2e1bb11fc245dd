//===- StubModule.h - Kernels that the stub driver knows --------*- C++ -*-===//

#ifndef SATTN_TEST_STUBCUDA_STUBMODULE_H
#define SATTN_TEST_STUBCUDA_STUBMODULE_H

#include <cstddef>
#include <string>
#include <vector>

namespace stubcuda {

/// The facts of a kernel that its PTX tells.
struct Kernel {
  std::string name;
  /// Bytes of each parameter.
  std::vector<size_t> parameters;
  /// The limit set by cuFuncSetAttribute.
  int dynamicShared = 48 * 1024;
  /// The one that it was loaded into.
  void *context = nullptr;
};

/// The kernels (.entry) of a PTX text; none where it holds none.
std::vector<Kernel> parsePtx(const std::string &text);

} // namespace stubcuda

#endif // SATTN_TEST_STUBCUDA_STUBMODULE_H
