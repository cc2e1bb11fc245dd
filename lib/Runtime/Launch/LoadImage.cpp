//===- LoadImage.cpp - From an image to a module of the driver ------------===//

#include "LoadImage.h"

#include "sattn/Runtime/Text.h"

using namespace sattn::runtime;

namespace {

/// A log of the driver's compiler, and the options that ask for it.
class ErrorLog {
public:
  static constexpr unsigned optionCount = 2;
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

bool isCubin(std::string_view image) {
  return image.substr(0, 4) == "\x7f"
                               "ELF";
}

/// The cubin that the driver makes of PTX (which ends in a null character) for
/// the current context's device. Why it makes none is said when the PTX is
/// loaded.
std::optional<std::string> link(const CudaDriver &driver, std::string &ptx) {
  CUlinkState state = nullptr;
  if (driver.linkCreate(0, nullptr, nullptr, &state) != cuda::success)
    return std::nullopt;
  void *code = nullptr;
  size_t size = 0;
  std::optional<std::string> cubin;
  if (driver.linkAddData(state, cuda::jitInputPtx, ptx.data(), ptx.size() + 1,
                         "sattn", 0, nullptr, nullptr) == cuda::success &&
      driver.linkComplete(state, &code, &size) == cuda::success)
    cubin.emplace(static_cast<const char *>(code), size);
  driver.linkDestroy(state);
  return cubin;
}

} // namespace

ErrorOr<CUmodule> sattn::runtime::loadImage(const Device &device,
                                            std::string_view program,
                                            std::string_view image,
                                            const KeepCodeFn &keep) {
  if (image.empty())
    return makeError("program '", program,
                     "': expected PTX or a cubin, but the image is empty");
  const CudaDriver &driver = device.driver();
  CUmodule module = nullptr;
  // The driver finds the end of PTX by its null character.
  std::string terminated(image);
  if (keep && !isCubin(image)) {
    std::string compiler =
        concat("sm_", device.capabilityMajor(), device.capabilityMinor(), " ",
               driver.build());
    std::optional<std::string> cubin =
        keep(image, compiler, [&] { return link(driver, terminated); });
    if (cubin && driver.moduleLoadDataEx(&module, cubin->data(), 0, nullptr,
                                         nullptr) == cuda::success)
      return module;
  }
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
