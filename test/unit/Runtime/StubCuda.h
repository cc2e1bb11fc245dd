//===- StubCuda.h - The stub driver in tests --------------------*- C++ -*-===//

#ifndef SATTN_TEST_UNIT_RUNTIME_STUBCUDA_H
#define SATTN_TEST_UNIT_RUNTIME_STUBCUDA_H

#include "TestPaths.h"
#include "TestUtils.h"
#include "sattn/Runtime/Device.h"

#include <sstream>

namespace sattn::runtime {

/// The stub (test/stub-libcuda), opened once.
inline const CudaDriver &stubDriver() {
  static std::unique_ptr<CudaDriver> driver = [] {
    ErrorOr<std::unique_ptr<CudaDriver>> loaded =
        CudaDriver::load(kStubCudaLibrary);
    EXPECT_TRUE(bool(loaded)) << messageOf(loaded);
    return loaded ? std::move(*loaded) : nullptr;
  }();
  return *driver;
}

inline ErrorOr<std::unique_ptr<Device>> openStub(int ordinal = 0) {
  return Device::open(ordinal, &stubDriver());
}

/// A test with a device of the stub, and what the stub writes down.
class StubCudaTest : public ::testing::Test {
protected:
  StubCudaTest() {
    ErrorOr<std::unique_ptr<Device>> opened = openStub();
    EXPECT_TRUE(bool(opened)) << messageOf(opened);
    if (opened)
      device = std::move(*opened);
  }

  /// The lines of the stub's log that begin with this word.
  std::vector<std::string> logged(const std::string &word) const {
    std::istringstream log(readFile(directory.file("log")));
    std::vector<std::string> lines;
    for (std::string line; std::getline(log, line);)
      if (line.compare(0, word.size(), word) == 0)
        lines.push_back(line);
    return lines;
  }

  TemporaryDirectory directory;
  ScopedVariable log{"STUB_CUDA_LOG", directory.file("log")};
  std::unique_ptr<Device> device;
};

} // namespace sattn::runtime

#endif // SATTN_TEST_UNIT_RUNTIME_STUBCUDA_H
