//===- LoadImage.cpp - From an image to a module of the driver ------------===//

#include "LoadImage.h"

#include "sattn/Runtime/Text.h"

using namespace sattn::runtime;

namespace {

/// A log of the driver's compiler, and the options that ask for it.
class ErrorLog {
public:
  static constexpr unsigned optionCount = 2;
  ErrorLog() = default;
  // `places` is inside.
  ErrorLog(const ErrorLog &) = delete;
  ErrorLog &operator=(const ErrorLog &) = delete;
  int *options() { return names; }
  void **values() { return places; }

  /// The text, without the end that the driver left as it was.
  std::string takeText() {
    text.resize(text.find_last_not_of(std::string("\0\n ", 3)) + 1);
    return std::move(text);
  }

private:
  std::string text = std::string(16 * 1024, '\0');
  int names[optionCount] = {cuda::jitErrorLogBuffer,
                            cuda::jitErrorLogBufferSizeBytes};
  void *places[optionCount] = {text.data(),
                               reinterpret_cast<void *>(text.size())};
};

} // namespace

ErrorOr<CUmodule> sattn::runtime::loadImage(const Device &device,
                                            std::string_view program,
                                            std::string_view image,
                                            std::string_view code) {
  if (image.empty())
    return makeError("program '", program,
                     "': expected PTX or a cubin, but the image is empty");
  const CudaDriver &driver = device.driver();
  CUmodule module = nullptr;
  if (!code.empty() && driver.moduleLoadDataEx(&module, code.data(), 0, nullptr,
                                               nullptr) == cuda::success)
    return module;
  // The driver finds the end of PTX by its null character.
  std::string terminated(image);
  ErrorLog log;
  CUresult result = driver.moduleLoadDataEx(&module, terminated.c_str(),
                                            ErrorLog::optionCount,
                                            log.options(), log.values());
  if (result == cuda::success)
    return module;
  if (result == cuda::errorOutOfMemory)
    return makeError("program '", program,
                     "': out of device memory while loading an image of ",
                     image.size(), " bytes");
  std::string reason =
      result == cuda::errorUnsupportedPtxVersion
          ? concat(" (the driver is for CUDA ", driver.version(), ")")
          : "";
  std::string text = log.takeText();
  return makeError(
      "program '", program,
      "': the CUDA driver rejected the image: ", driver.describe(result),
      reason, text.empty() ? "" : "\n", text);
}
