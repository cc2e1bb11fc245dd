//===- ProgramLaunch.cpp - Calls of a program -----------------------------===//

#include "sattn/Runtime/Program.h"

#include "KernelParameters.h"
#include "Scratch.h"
#include "Text.h"
#include "sattn/Runtime/Contract.h"

#include <limits>

using namespace sattn::runtime;

/// Blocks that a grid can have in x, y and z.
static constexpr int64_t gridLimits[3] = {std::numeric_limits<int32_t>::max(),
                                          65535, 65535};

ErrorOr<std::vector<Program::ReadyLaunch>>
Program::collectLaunches(const std::vector<int64_t> &values,
                         std::optional<bool> prepare) const {
  std::vector<ReadyLaunch> launches;
  for (size_t i = 0; i < description.steps.size(); ++i) {
    const LaunchStep &step = description.steps[i];
    if ((prepare && step.prepare != *prepare) ||
        (step.when && values[*step.when] == 0))
      continue;
    ReadyLaunch launch = {&step, kernels[i], {}};
    bool empty = false;
    for (int axis = 0; axis < 3; ++axis) {
      int64_t blocks = values[step.grid[axis]];
      if (blocks < 0 || blocks > gridLimits[axis])
        return makeError("kernel '", step.kernel,
                         "': expected a grid of at most ", gridLimits[axis],
                         " blocks in ", "xyz"[axis], ", but got ", blocks);
      empty |= blocks == 0;
      launch.grid[axis] = unsigned(blocks);
    }
    if (!empty)
      launches.push_back(launch);
  }
  return launches;
}

Error Program::launchAll(const std::vector<ReadyLaunch> &launches,
                         const std::vector<Argument> &arguments,
                         const std::vector<int64_t> &values,
                         const std::vector<TensorView> &scratch,
                         CUstream stream) {
  const CudaDriver &driver = device.driver();
  std::vector<KernelParameters> packed;
  for (const ReadyLaunch &launch : launches) {
    ErrorOr<KernelParameters> parameters =
        KernelParameters::pack(description, *launch.step, arguments, values,
                               scratch, driver, tensorMaps);
    if (!parameters)
      return parameters.takeError();
    packed.push_back(std::move(*parameters));
  }
  for (size_t i = 0; i < launches.size(); ++i) {
    const LaunchStep &step = *launches[i].step;
    const unsigned *grid = launches[i].grid;
    std::vector<void *> pointers = packed[i].pointers();
    CUresult result = driver.launchKernel(
        launches[i].kernel, grid[0], grid[1], grid[2], unsigned(step.block), 1,
        1, unsigned(step.shared), stream, pointers.data(), nullptr);
    if (result != cuda::success)
      return makeError("kernel '", step.kernel,
                       "': cuLaunchKernel failed: ", driver.describe(result));
  }
  return Error::success();
}

Error Program::run(const Prepared *prepared,
                   const std::vector<Argument> &arguments, CUstream stream) {
  if (Error err = checkContracts(description, arguments, ContentCheck::Off))
    return err;
  ErrorOr<std::vector<int64_t>> values =
      evaluate(description, arguments, device.multiprocessors());
  if (!values)
    return values.takeError();
  if (Error err = runChecks(description, *values))
    return err;
  std::optional<bool> which;
  if (prepared)
    which = false;
  ErrorOr<std::vector<ReadyLaunch>> launches = collectLaunches(*values, which);
  if (!launches)
    return launches.takeError();
  if (launches->empty())
    return Error::success();

  // What was prepared has its memory already.
  std::vector<bool> wanted(description.scratch.size(), true);
  for (size_t i = 0; prepared && i < wanted.size(); ++i)
    wanted[i] = !prepared->scratch[i];
  ErrorOr<ScratchLayout> scratch =
      ScratchLayout::create(description, *values, wanted);
  if (!scratch)
    return scratch.takeError();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i])
      continue;
    const TensorView &kept = *prepared->scratch[i];
    if (kept.shape != scratch->arrays[i].shape)
      return makeError("program '", description.name,
                       "': expected an operand that was prepared for these "
                       "arguments, but scratch[",
                       i, "] has shape ", listText(kept.shape), ", not ",
                       listText(scratch->arrays[i].shape));
    scratch->arrays[i] = kept;
  }

  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  ErrorOr<void *> memory = static_cast<void *>(nullptr);
  if (scratch->bytes > 0)
    memory = pool->allocate(scratch->bytes, stream);
  if (!memory)
    return memory.takeError();
  scratch->place(*memory);
  Error result = scratch->clear(description, device.driver(), stream);
  if (!result)
    result = launchAll(*launches, arguments, *values, scratch->arrays, stream);
  if (scratch->bytes > 0)
    if (Error err = pool->release(*memory, stream); err && !result)
      return err;
  return result;
}

Error Program::launch(const std::vector<Argument> &arguments, CUstream stream) {
  return run(nullptr, arguments, stream);
}

Error Program::launch(const Prepared &prepared,
                      const std::vector<Argument> &arguments, CUstream stream) {
  if (prepared.program != this)
    return makeError("program '", description.name,
                     "': expected an operand that this program prepared");
  ErrorOr<std::vector<Argument>> substituted =
      prepared.substitute(description, arguments);
  if (!substituted)
    return substituted.takeError();
  return run(&prepared, *substituted, stream);
}
