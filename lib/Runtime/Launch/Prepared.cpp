//===- Prepared.cpp - A sparse operand, prepared --------------------------===//

#include "sattn/Runtime/Explain.h"
#include "sattn/Runtime/Program.h"
#include "sattn/Runtime/Text.h"

#include "CallCache.h"
#include "Checks/ContractParts.h"

#include <set>

using namespace sattn::runtime;

namespace {

/// Which scratch arrays the steps with `preprocess` use.
std::vector<bool> preparedScratch(const Manifest &manifest) {
  std::vector<bool> used(manifest.scratch.size());
  for (const LaunchStep &step : manifest.steps)
    for (const KernelParameter &parameter : step.parameters)
      if (const auto *array = std::get_if<ScratchParameter>(&parameter))
        if (step.preprocess)
          used[array->scratch] = true;
  return used;
}

/// Copies the bytes that the tensor spans; the copy has the same strides.
ErrorOr<DeviceBuffer> copy(const Device &device, TensorView &tensor,
                           const std::string &description, CUstream stream) {
  std::optional<ByteRange> range = byteRange(tensor);
  size_t bytes = range ? size_t(range->end - range->begin) : 0;
  ErrorOr<DeviceBuffer> buffer =
      DeviceBuffer::allocate(device, bytes, "a copy of " + description);
  if (!buffer || bytes == 0)
    return buffer;
  const CudaDriver &driver = device.driver();
  if (Error err = driver.check(
          driver.memcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(buffer->data()),
                                 CUdeviceptr(range->begin), bytes, stream),
          "cuMemcpyDtoDAsync"))
    return err;
  uint64_t first = reinterpret_cast<uintptr_t>(tensor.data) - range->begin;
  tensor.data = static_cast<char *>(buffer->data()) + first;
  return buffer;
}

} // namespace

size_t Prepared::bytes() const {
  size_t total = scratchMemory ? scratchMemory->size() : 0;
  for (const Snapshot &snapshot : snapshots)
    total += snapshot.buffer.size();
  return total + (other ? other->bytes() : 0);
}

ErrorOr<CallTensors>
Prepared::substitute(const Manifest &manifest,
                     const std::vector<Argument> &arguments) const {
  if (arguments.size() != manifest.arguments.size())
    return makeError("program '", manifest.name, "': expected ",
                     manifest.arguments.size(), " arguments, but got ",
                     arguments.size());
  CallTensors tensors = tensorsOf(arguments);
  for (const Snapshot &snapshot : snapshots) {
    const TensorView *&given = tensors[snapshot.argument];
    if (!given)
      return makeError(manifest.describeArgument(snapshot.argument),
                       ": expected a tensor, but got a scalar");
    if (given->dtype != snapshot.view.dtype ||
        given->shape != snapshot.view.shape)
      return makeError(manifest.describeArgument(snapshot.argument),
                       ": expected what was prepared, shape ",
                       listText(snapshot.view.shape), " of ",
                       name(snapshot.view.dtype), ", but got shape ",
                       listText(given->shape), " of ", name(given->dtype));
    given = &snapshot.view;
  }
  return tensors;
}

ErrorOr<Prepared> Program::prepare(const std::vector<Argument> &arguments,
                                   CUstream stream) {
  if (Error err = checkShapes(description, arguments))
    return err;
  std::set<size_t> indices = description.indexArguments();
  for (size_t argument : indices)
    if (Error err = checkPlacement(description.describeArgument(argument),
                                   tensorOf(arguments, argument)))
      return err;
  ErrorOr<std::vector<int64_t>> values =
      evaluate(description, arguments, device.smCount());
  if (!values)
    return values.takeError();
  if (Error err = runChecks(description, *values))
    return err;
  std::vector<bool> used = preparedScratch(description);
  ErrorOr<ScratchLayout> scratch =
      ScratchLayout::create(description, *values, used);
  if (!scratch)
    return scratch.takeError();
  CallTensors tensors = tensorsOf(arguments);
  ErrorOr<std::vector<ReadyLaunch>> launches =
      collectLaunches(tensors, *values, scratch->arrays, /*preprocess=*/true);
  if (!launches)
    return launches.takeError();

  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  Prepared prepared;
  prepared.program = this;
  prepared.calls = std::make_shared<CallCache>();
  for (size_t argument : indices) {
    TensorView view = tensorOf(arguments, argument);
    ErrorOr<DeviceBuffer> buffer =
        copy(device, view, description.describeArgument(argument), stream);
    if (!buffer)
      return buffer.takeError();
    prepared.snapshots.push_back({argument, view, std::move(*buffer)});
  }
  for (const Prepared::Snapshot &snapshot : prepared.snapshots)
    tensors[snapshot.argument] = &snapshot.view;
  ErrorOr<DeviceBuffer> memory = DeviceBuffer::allocate(
      device, scratch->bytes, "scratch of a prepared operand");
  if (!memory)
    return memory.takeError();
  scratch->place(memory->data());
  const CudaDriver &driver = device.driver();
  auto zeros =
      reinterpret_cast<CUdeviceptr>(memory->data()) + scratch->unsetBytes;
  if (scratch->zeroBytes > 0)
    if (Error err = driver.check(
            driver.memsetD8Async(zeros, 0, scratch->zeroBytes, stream),
            "cuMemsetD8Async"))
      return err;
  prepared.scratch.resize(used.size());
  std::vector<void *> addresses(used.size());
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i])
      continue;
    prepared.scratch[i] = scratch->arrays[i];
    addresses[i] = scratch->arrays[i].data;
  }
  prepared.scratchMemory = std::move(*memory);
  if (Error err = launchAll(*launches, tensors, arguments, addresses,
                            /*isPrepared=*/false, stream))
    return err;
  // Launches with it follow on any stream, captured ones too, and kernels read
  // the copies before they wait for what precedes them. To wait here, once,
  // costs less than to order each launch after an event.
  if (Error err =
          driver.check(driver.streamSynchronize(stream), "cuStreamSynchronize"))
    return err;
  if (!complete || !findMissing(description, arguments, *values))
    return prepared;
  ErrorOr<Program *> other = findOther();
  if (!other)
    return other.takeError();
  ErrorOr<Prepared> of = (*other)->prepare(arguments, stream);
  if (!of)
    return of.takeError();
  prepared.other = std::make_shared<const Prepared>(std::move(*of));
  return prepared;
}
