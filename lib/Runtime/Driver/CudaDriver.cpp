//===- CudaDriver.cpp - Opening the CUDA driver ---------------------------===//

#include "sattn/Runtime/CudaDriver.h"
#include "sattn/Runtime/Text.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace sattn::runtime;

namespace {

constexpr const char *libraryVariable = "SATTN_LIBCUDA";
constexpr const char *defaultLibrary = "libcuda.so.1";

std::string versionText(int version) {
  return concat(version / 1000, ".", version % 1000 / 10);
}

template <class Function>
void resolve(void *library, const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
}

} // namespace

ErrorOr<std::unique_ptr<CudaDriver>> CudaDriver::load(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return makeError("no CUDA driver: searched for '", path, "' (",
                     reason ? reason : "no reason given", "); set ",
                     libraryVariable, " to the path of libcuda.so.1");
  }

  std::unique_ptr<CudaDriver> driver(new CudaDriver());
  std::string missing;
#define SATTN_CUDA_RESOLVE(member, symbol, parameters)                         \
  resolve(library, #symbol, driver->member);                                   \
  if (!driver->member && missing.empty())                                      \
    missing = #symbol;
  SATTN_CUDA_FUNCTIONS(SATTN_CUDA_RESOLVE)
#undef SATTN_CUDA_RESOLVE
  resolve(library, "cuFuncGetParamInfo", driver->funcGetParamInfo);

  if (!missing.empty()) {
    // cuTensorMapEncodeTiled is the newest function of the list.
    std::string version = driver->version();
    return makeError("the CUDA driver is too old: expected one for CUDA 12.0 "
                     "or later, but '",
                     path, "' is for CUDA ",
                     version.empty() ? "of unknown version" : version,
                     " and has no ", missing);
  }
  return driver;
}

ErrorOr<const CudaDriver *> CudaDriver::get() {
  static std::mutex mutex;
  static std::unique_ptr<CudaDriver> driver;
  std::lock_guard<std::mutex> lock(mutex);
  if (!driver) {
    const char *path = std::getenv(libraryVariable);
    ErrorOr<std::unique_ptr<CudaDriver>> opened =
        load(path && *path ? path : defaultLibrary);
    if (!opened)
      return opened.takeError();
    driver = std::move(*opened);
  }
  return static_cast<const CudaDriver *>(driver.get());
}

Error CudaDriver::check(CUresult result, const char *call) const {
  if (result == cuda::success)
    return Error::success();
  return makeError(call, " failed: ", describe(result));
}

std::string CudaDriver::describe(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != cuda::success || !name)
    name = "unknown error";
  if (getErrorString(result, &text) != cuda::success || !text)
    return concat(name, " (", result, ")");
  return concat(name, " (", result, "): ", text);
}

std::string CudaDriver::version() const {
  int version = 0;
  if (!driverGetVersion || driverGetVersion(&version) != cuda::success)
    return "";
  return versionText(version);
}
