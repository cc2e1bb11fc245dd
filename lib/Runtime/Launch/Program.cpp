//===- Program.cpp - A compiled program on a CUDA device ------------------===//

#include "sattn/Runtime/Program.h"

#include "CallCache.h"
#include "LoadImage.h"
#include "sattn/Runtime/ScratchMemory.h"
#include "sattn/Runtime/Text.h"

#include <algorithm>

using namespace sattn::runtime;

namespace {

/// The most dynamic shared memory that need not be requested.
constexpr int64_t sharedWithoutAsking = 48 * 1024;

Error checkTarget(const Device &device, const Manifest &manifest) {
  std::optional<GpuTarget> target = parseGpuTarget(manifest.target);
  if (!target)
    return makeError("program '", manifest.name,
                     "': expected a target for a CUDA device, but got '",
                     manifest.target, "'");
  int major = device.capabilityMajor(), minor = device.capabilityMinor();
  bool same = major == target->major && minor == target->minor;
  bool newer =
      std::pair(major, minor) > std::pair(target->major, target->minor);
  // Code for sm_90a runs on 9.0 alone; for sm_100f, on 10.0 and later 10.x.
  bool runs = same || (newer && target->suffix != 'a' &&
                       (target->suffix != 'f' || major == target->major));
  if (runs)
    return Error::success();
  return makeError("program '", manifest.name, "': the kernel needs ",
                   newer ? "exactly " : "", "compute capability ",
                   target->major, ".", target->minor, " (", manifest.target,
                   "), but ", device.describe(), " has ", major, ".", minor);
}

/// Checks that the kernel's own parameters are those that will be passed, for
/// the driver reads as many bytes as the kernel declares. Only drivers that can
/// tell are asked.
Error checkParameters(const CudaDriver &driver, const Manifest &manifest,
                      const LaunchStep &step, CUfunction kernel) {
  if (!driver.funcGetParamInfo)
    return Error::success();
  std::vector<size_t> sizes = parameterSizes(manifest, step);
  for (size_t i = 0; i <= sizes.size(); ++i) {
    size_t offset = 0, size = 0;
    CUresult result = driver.funcGetParamInfo(kernel, i, &offset, &size);
    bool exists = result == cuda::success;
    // Any other failure says nothing of the parameter.
    if (!exists && result != cuda::errorInvalidValue)
      break;
    if (i == sizes.size() && exists)
      return makeError("kernel '", step.kernel, "': expected ", sizes.size(),
                       " parameters, as in the manifest, but it has more");
    if (i == sizes.size())
      break;
    if (!exists)
      return makeError("kernel '", step.kernel, "': expected ", sizes.size(),
                       " parameters, as in the manifest, but it has ", i);
    if (size != sizes[i])
      return makeError("kernel '", step.kernel, "': expected parameter ", i,
                       " to have ", sizes[i],
                       " bytes, as in the manifest, but it has ", size);
  }
  return Error::success();
}

/// Looks up the step's kernel and prepares it for the step's launches.
ErrorOr<CUfunction> prepareKernel(const Device &device,
                                  const Manifest &manifest, CUmodule module,
                                  const LaunchStep &step) {
  const CudaDriver &driver = device.driver();
  CUfunction kernel = nullptr;
  CUresult found =
      driver.moduleGetFunction(&kernel, module, step.kernel.c_str());
  // A driver that loads lazily loads a kernel when it is looked up.
  if (found == cuda::errorOutOfMemory)
    return makeError("program '", manifest.name,
                     "': out of device memory while loading kernel '",
                     step.kernel, "'");
  if (found != cuda::success)
    return makeError("program '", manifest.name, "': no kernel '", step.kernel,
                     "' in the image: ", driver.describe(found));
  int threads = 0, staticShared = 0;
  if (Error err =
          driver.check(driver.funcGetAttribute(
                           &threads, cuda::functionMaxThreadsPerBlock, kernel),
                       "cuFuncGetAttribute"))
    return err;
  if (Error err = driver.check(
          driver.funcGetAttribute(&staticShared, cuda::functionSharedSizeBytes,
                                  kernel),
          "cuFuncGetAttribute"))
    return err;
  if (step.block > threads)
    return makeError("kernel '", step.kernel, "': expected at most ", threads,
                     " threads a block, but the manifest has ", step.block);
  int64_t shared = step.shared + staticShared;
  if (shared > device.maxSharedMemory())
    return makeError("kernel '", step.kernel, "' needs ", shared,
                     " bytes of shared memory, but ", device.describe(),
                     " has ", device.maxSharedMemory());
  // The attribute is the kernel's, so it must do for all of its launches.
  int64_t dynamicShared = 0;
  for (const LaunchStep &other : manifest.steps)
    if (other.kernel == step.kernel)
      dynamicShared = std::max(dynamicShared, other.shared);
  if (dynamicShared + staticShared > sharedWithoutAsking)
    if (Error err =
            driver.check(driver.funcSetAttribute(
                             kernel, cuda::functionMaxDynamicSharedSizeBytes,
                             int(dynamicShared)),
                         "cuFuncSetAttribute"))
      return err;
  if (Error err = checkParameters(driver, manifest, step, kernel))
    return err;
  return kernel;
}

} // namespace

ErrorOr<std::unique_ptr<Program>> Program::load(const Device &device,
                                                std::string_view manifestJson,
                                                std::string_view image,
                                                std::string_view code) {
  ErrorOr<Manifest> manifest = parseManifest(manifestJson);
  if (!manifest)
    return manifest.takeError();
  if (Error err = checkTarget(device, *manifest))
    return err;
  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  std::unique_ptr<Program> program(new Program(device));
  program->description = std::move(*manifest);
  // A program whose result is what it was given launches nothing.
  if (program->description.steps.empty())
    return program;
  ErrorOr<CUmodule> module =
      loadImage(device, program->description.name, image, code);
  if (!module)
    return module.takeError();
  program->module = *module;
  for (const LaunchStep &step : program->description.steps) {
    ErrorOr<CUfunction> kernel =
        prepareKernel(device, program->description, *module, step);
    if (!kernel)
      return kernel.takeError();
    program->kernels.push_back(*kernel);
  }
  const std::vector<ScratchSpec> &scratch = program->description.scratch;
  bool leavesZeros =
      std::any_of(scratch.begin(), scratch.end(),
                  [](const ScratchSpec &spec) { return spec.leftZero; });
  if (!scratch.empty())
    if (Error err = device.scratch().open(leavesZeros))
      return err;
  return program;
}

Program::Program(const Device &device)
    : device(device), calls(std::make_shared<CallCache>()) {}

void Program::setComplete(Complete how) { complete = std::move(how); }

ErrorOr<Program *> Program::findOther() {
  std::lock_guard<std::mutex> lock(otherMutex);
  if (other)
    return other.get();
  ErrorOr<std::unique_ptr<Program>> made = complete();
  if (!made)
    return made.takeError();
  // It is called in this one's place, with what is prepared for this one.
  if ((*made)->description.arguments.size() != description.arguments.size() ||
      !(*made)->description.missing.empty())
    return makeError(
        "program '", description.name,
        "': expected one with every specialization of its kernels");
  other = std::move(*made);
  return other.get();
}

Program::~Program() {
  if (!module)
    return;
  CurrentContext current(device);
  device.driver().moduleUnload(module);
}
