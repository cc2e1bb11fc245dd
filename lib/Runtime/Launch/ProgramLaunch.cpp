//===- ProgramLaunch.cpp - Calls of a program -----------------------------===//

#include "sattn/Runtime/Program.h"

#include "CallCache.h"
#include "sattn/Runtime/Contract.h"
#include "sattn/Runtime/Explain.h"
#include "sattn/Runtime/ScratchMemory.h"
#include "sattn/Runtime/Text.h"

#include <limits>

using namespace sattn::runtime;

/// Blocks that a grid can have in x, y and z.
static constexpr int64_t gridLimits[3] = {std::numeric_limits<int32_t>::max(),
                                          65535, 65535};

bool Program::belongs(const LaunchStep &step, Steps which) {
  switch (which) {
  case Steps::All:
    return true;
  case Steps::Preprocess:
    return step.preprocess;
  case Steps::AfterPreprocess:
    return !step.preprocess;
  case Steps::Hints:
    return step.hint;
  case Steps::AfterHints:
    return !step.hint;
  }
  return false;
}

ErrorOr<std::vector<ReadyLaunch>> Program::collectLaunches(
    const CallTensors &tensors, const std::vector<int64_t> &values,
    const std::vector<TensorView> &scratch, Steps which) const {
  std::vector<ReadyLaunch> launches;
  for (size_t i = 0; i < description.steps.size(); ++i) {
    const LaunchStep &step = description.steps[i];
    if (!belongs(step, which) || (step.when && values[*step.when] == 0))
      continue;
    ReadyLaunch launch = {&step, kernels[i], {}, {}};
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
      launches.push_back(std::move(launch));
  }
  for (ReadyLaunch &launch : launches) {
    ErrorOr<ParameterPlan> parameters = ParameterPlan::create(
        description, *launch.step, tensors, values, scratch);
    if (!parameters)
      return parameters.takeError();
    launch.parameters = std::move(*parameters);
  }
  return launches;
}

static CUresult launchKernel(const CudaDriver &driver, CUfunction kernel,
                             const LaunchStep &step, const unsigned *grid,
                             bool startsEarly, CUstream stream,
                             void **parameters) {
  auto block = unsigned(step.block);
  auto shared = unsigned(step.shared);
  if (!startsEarly)
    return driver.launchKernel(kernel, grid[0], grid[1], grid[2], block, 1, 1,
                               shared, stream, parameters, nullptr);
  cuda::LaunchAttribute attribute;
  attribute.id = cuda::launchProgrammaticStreamSerialization;
  attribute.value = 1;
  cuda::LaunchConfig config{
      {grid[0], grid[1], grid[2]}, {block, 1, 1}, shared, stream, &attribute,
      /*attributeCount=*/1};
  return driver.launchKernelEx(&config, kernel, parameters, nullptr);
}

Error Program::launchAll(const std::vector<ReadyLaunch> &launches,
                         const CallTensors &tensors,
                         const std::vector<Argument> &arguments,
                         const std::vector<void *> &scratch, bool isPrepared,
                         CUstream stream) {
  const CudaDriver &driver = device.driver();
  // Filled anew by each call, in memory of the calls before.
  static thread_local std::vector<KernelParameters> parameters;
  if (parameters.size() < launches.size())
    parameters.resize(launches.size());
  for (size_t i = 0; i < launches.size(); ++i)
    if (Error err = parameters[i].fill(launches[i].parameters, tensors,
                                       arguments, scratch, driver, tensorMaps))
      return err;
  for (size_t i = 0; i < launches.size(); ++i) {
    const LaunchStep &step = *launches[i].step;
    const unsigned *grid = launches[i].grid;
    bool startsEarly =
        step.programmatic && (isPrepared || !step.readsIndicesEarly);
    CUresult result =
        launchKernel(driver, launches[i].kernel, step, grid, startsEarly,
                     stream, parameters[i].pointers());
    if (result != cuda::success)
      return makeError("kernel '", step.kernel,
                       "': cuLaunchKernel failed: ", driver.describe(result));
  }
  return Error::success();
}

ErrorOr<std::shared_ptr<const ReadyCall>>
Program::makeReady(const Prepared *prepared,
                   const std::vector<Argument> &arguments,
                   const CallTensors &tensors) const {
  std::vector<Argument> given = arguments;
  for (size_t i = 0; prepared && i < given.size(); ++i)
    if (tensors[i])
      given[i] = *tensors[i];
  if (Error err = checkContracts(description, given, ContentCheck::Off))
    return err;
  ErrorOr<std::vector<int64_t>> values =
      evaluate(description, given, device.smCount());
  if (!values)
    return values.takeError();
  if (Error err = runChecks(description, *values))
    return err;

  auto call = std::make_shared<ReadyCall>(description, tensors);
  if (Error err = findMissing(description, given, *values)) {
    if (!complete)
      return err;
    call->isForOther = true;
    return std::shared_ptr<const ReadyCall>(std::move(call));
  }

  // Hints of calls with other values say nothing of this one.
  if (prepared && prepared->isHint &&
      prepared->hintValues != hintValues(*values))
    prepared = nullptr;
  // Prepared results already have their memory.
  std::vector<bool> wanted(description.scratch.size(), true);
  for (size_t i = 0; prepared && i < wanted.size(); ++i)
    wanted[i] = !prepared->scratch[i];
  ErrorOr<ScratchLayout> scratch =
      ScratchLayout::create(description, *values, wanted);
  if (!scratch)
    return scratch.takeError();
  Steps which = !prepared          ? Steps::All
                : prepared->isHint ? Steps::AfterHints
                                   : Steps::AfterPreprocess;
  ErrorOr<std::vector<ReadyLaunch>> launches =
      collectLaunches(tensors, *values, scratch->arrays, which);
  if (!launches)
    return launches.takeError();
  call->launches = std::move(*launches);
  if (call->launches.empty())
    return std::shared_ptr<const ReadyCall>(std::move(call));
  call->kept.resize(wanted.size());
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
    call->kept[i] = kept.data;
  }
  call->scratch = std::move(*scratch);
  return std::shared_ptr<const ReadyCall>(std::move(call));
}

Error Program::run(const Prepared *prepared, CallCache &cache,
                   const std::vector<Argument> &arguments,
                   const CallTensors &tensors, CUstream stream) {
  uint64_t hash = ReadyCall::hash(tensors);
  std::shared_ptr<const ReadyCall> call = cache.find(hash, tensors);
  if (!call || !call->isApart(tensors)) {
    ErrorOr<std::shared_ptr<const ReadyCall>> made =
        makeReady(prepared, arguments, tensors);
    if (!made)
      return made.takeError();
    call = std::move(*made);
    cache.insert(hash, call);
  }
  if (call->isForOther)
    return runOther(prepared, arguments, tensors, stream);
  if (call->launches.empty())
    return Error::success();

  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  bool isPrepared = prepared && !prepared->isHint;
  if (call->scratch.total == 0)
    return launchAll(call->launches, tensors, arguments, call->kept, isPrepared,
                     stream);
  ErrorOr<ScratchMemory::Piece> memory =
      device.scratch().take(call->scratch.bytes, stream);
  if (!memory)
    return memory.takeError();
  std::vector<void *> scratch = call->kept;
  for (size_t i = 0; i < scratch.size(); ++i)
    if (!scratch[i])
      scratch[i] = call->scratch.address(i, memory->unset(), memory->zeros(),
                                         memory->leftZeros());
  if (Error err = launchAll(call->launches, tensors, arguments, scratch,
                            isPrepared, stream))
    return err;
  return memory->release();
}

Error Program::runOther(const Prepared *prepared,
                        const std::vector<Argument> &arguments,
                        const CallTensors &tensors, CUstream stream) {
  ErrorOr<Program *> other = findOther();
  if (!other)
    return other.takeError();
  if (prepared && prepared->other)
    return (*other)->launch(*prepared->other, arguments, stream);
  // Without prepared results each call computes them from the copies.
  return (*other)->run(nullptr, *(*other)->calls, arguments, tensors, stream);
}

Error Program::launch(const std::vector<Argument> &arguments, CUstream stream) {
  return run(nullptr, *calls, arguments, tensorsOf(arguments), stream);
}

Error Program::launch(const Prepared &prepared,
                      const std::vector<Argument> &arguments, CUstream stream) {
  if (prepared.program != this)
    return makeError("program '", description.name,
                     "': expected an operand that this program prepared");
  if (prepared.isHint && !prepared.isDone()) {
    CurrentContext current(device);
    if (Error err = current.takeError())
      return err;
    int capture = cuda::streamCaptureNone;
    if (device.driver().streamIsCapturing(stream, &capture) != cuda::success ||
        capture != cuda::streamCaptureNone)
      return launch(arguments, stream);
    if (Error err = prepared.delay(stream))
      return err;
  }
  ErrorOr<CallTensors> tensors = prepared.substitute(description, arguments);
  if (!tensors)
    return tensors.takeError();
  return run(&prepared, *prepared.calls, arguments, *tensors, stream);
}
