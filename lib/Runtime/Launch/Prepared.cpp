//===- Prepared.cpp - A sparse operand, prepared --------------------------===//

#include "sattn/Runtime/Explain.h"
#include "sattn/Runtime/Program.h"
#include "sattn/Runtime/Text.h"

#include "CallCache.h"
#include "Checks/ContractParts.h"

#include <atomic>

using namespace sattn::runtime;

/// The end of the work that made hints.
struct Prepared::Pending {
  Event event;
  std::atomic<bool> isDone{false};
};

/// A call's steps that are launched ahead, with their scratch.
struct Program::Ahead {
  std::vector<int64_t> values;
  std::vector<bool> used;
  ScratchLayout scratch;
  std::vector<ReadyLaunch> launches;
};

Prepared::Prepared() = default;
Prepared::Prepared(Prepared &&) noexcept = default;
Prepared &Prepared::operator=(Prepared &&) noexcept = default;
Prepared::~Prepared() = default;

/// Copies the bytes that the tensor spans; the copy has the same strides.
static ErrorOr<DeviceBuffer> copy(const Device &device, TensorView &tensor,
                                  const std::string &description,
                                  CUstream stream) {
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

size_t Prepared::bytes() const {
  size_t total = scratchMemory ? scratchMemory->size() : 0;
  for (const Snapshot &snapshot : snapshots)
    total += snapshot.buffer.size();
  return total + (other ? other->bytes() : 0);
}

bool Prepared::isDone() const {
  if (!pending || pending->isDone.load(std::memory_order_acquire))
    return true;
  if (!pending->event.isReached())
    return false;
  pending->isDone.store(true, std::memory_order_release);
  return true;
}

Error Prepared::delay(CUstream stream) const {
  return pending ? pending->event.delay(stream) : Error::success();
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
                       ": expected the prepared array, of shape ",
                       listText(snapshot.view.shape), " of ",
                       name(snapshot.view.dtype), ", but got shape ",
                       listText(given->shape), " of ", name(given->dtype));
    given = &snapshot.view;
  }
  return tensors;
}

std::vector<bool> Program::scratchOf(Steps which) const {
  std::vector<bool> used(description.scratch.size());
  for (const LaunchStep &step : description.steps)
    for (const KernelParameter &parameter : step.parameters)
      if (const auto *array = std::get_if<ScratchParameter>(&parameter))
        if (belongs(step, which))
          used[array->scratch] = true;
  return used;
}

std::vector<int64_t>
Program::hintValues(const std::vector<int64_t> &values) const {
  std::vector<int64_t> result;
  for (const LaunchStep &step : description.steps) {
    if (!step.hint)
      continue;
    for (size_t blocks : step.grid)
      result.push_back(values[blocks]);
    for (const KernelParameter &parameter : step.parameters) {
      if (const auto *value = std::get_if<ValueParameter>(&parameter))
        result.push_back(values[value->value]);
      else if (const auto *array = std::get_if<ScratchParameter>(&parameter))
        for (size_t size : description.scratch[array->scratch].sizes)
          result.push_back(values[size]);
    }
  }
  return result;
}

ErrorOr<Program::Ahead>
Program::planAhead(const std::vector<Argument> &arguments, Steps which) const {
  if (Error err = checkShapes(description, arguments))
    return err;
  for (size_t argument : description.indexArguments())
    if (Error err = checkPlacement(description.describeArgument(argument),
                                   tensorOf(arguments, argument)))
      return err;
  ErrorOr<std::vector<int64_t>> values =
      evaluate(description, arguments, device.smCount());
  if (!values)
    return values.takeError();
  if (Error err = runChecks(description, *values))
    return err;
  Ahead ahead;
  ahead.used = scratchOf(which);
  ErrorOr<ScratchLayout> scratch =
      ScratchLayout::create(description, *values, ahead.used);
  if (!scratch)
    return scratch.takeError();
  ErrorOr<std::vector<ReadyLaunch>> launches =
      collectLaunches(tensorsOf(arguments), *values, scratch->arrays, which);
  if (!launches)
    return launches.takeError();
  ahead.values = std::move(*values);
  ahead.scratch = std::move(*scratch);
  ahead.launches = std::move(*launches);
  return ahead;
}

Error Program::launchAhead(Ahead &ahead, const CallTensors &tensors,
                           const std::vector<Argument> &arguments, void *memory,
                           Prepared &prepared, CUstream stream) {
  prepared.program = this;
  prepared.calls = std::make_shared<CallCache>();
  ahead.scratch.place(memory);
  const CudaDriver &driver = device.driver();
  size_t unset = ahead.scratch.bytes.unset;
  if (ahead.scratch.total > unset)
    if (Error err = driver.check(
            driver.memsetD8Async(reinterpret_cast<CUdeviceptr>(memory) + unset,
                                 0, ahead.scratch.total - unset, stream),
            "cuMemsetD8Async"))
      return err;
  prepared.scratch.resize(ahead.used.size());
  std::vector<void *> addresses(ahead.used.size());
  for (size_t i = 0; i < ahead.used.size(); ++i) {
    if (!ahead.used[i])
      continue;
    prepared.scratch[i] = ahead.scratch.arrays[i];
    addresses[i] = ahead.scratch.arrays[i].data;
  }
  return launchAll(ahead.launches, tensors, arguments, addresses,
                   /*isPrepared=*/false, stream);
}

ErrorOr<Prepared> Program::prepare(const std::vector<Argument> &arguments,
                                   CUstream stream) {
  ErrorOr<Ahead> ahead = planAhead(arguments, Steps::Preprocess);
  if (!ahead)
    return ahead.takeError();
  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  CallTensors tensors = tensorsOf(arguments);
  Prepared prepared;
  for (size_t argument : description.indexArguments()) {
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
      device, ahead->scratch.total, "scratch of a prepared operand");
  if (!memory)
    return memory.takeError();
  prepared.scratchMemory = std::move(*memory);
  if (Error err = launchAhead(*ahead, tensors, arguments,
                              prepared.scratchMemory->data(), prepared, stream))
    return err;
  // Launches with it follow on any stream, captured ones too, and kernels read
  // the copies before they wait for what precedes them. To wait here, once,
  // costs less than to order each launch after an event.
  if (Error err = device.driver().check(
          device.driver().streamSynchronize(stream), "cuStreamSynchronize"))
    return err;
  if (!complete || !findMissing(description, arguments, ahead->values))
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

ErrorOr<size_t>
Program::hintBytes(const std::vector<Argument> &arguments) const {
  ErrorOr<Ahead> ahead = planAhead(arguments, Steps::Hints);
  if (!ahead)
    return ahead.takeError();
  return ahead->scratch.total;
}

ErrorOr<Prepared> Program::prepareHints(const std::vector<Argument> &arguments,
                                        void *memory, CUstream stream) {
  ErrorOr<Ahead> ahead = planAhead(arguments, Steps::Hints);
  if (!ahead)
    return ahead.takeError();
  CurrentContext current(device);
  if (Error err = current.takeError())
    return err;
  const CudaDriver &driver = device.driver();
  int capture = cuda::streamCaptureNone;
  if (Error err = driver.check(driver.streamIsCapturing(stream, &capture),
                               "cuStreamIsCapturing"))
    return err;
  if (capture != cuda::streamCaptureNone)
    return makeError("program '", description.name,
                     "': expected hints to be prepared before the capture of a "
                     "graph");
  ErrorOr<Event> event = Event::create(device, /*isTimed=*/false);
  if (!event)
    return event.takeError();
  Prepared prepared;
  prepared.isHint = true;
  prepared.hintValues = hintValues(ahead->values);
  if (Error err = launchAhead(*ahead, tensorsOf(arguments), arguments, memory,
                              prepared, stream))
    return err;
  if (Error err = event->record(stream))
    return err;
  prepared.pending = std::unique_ptr<Prepared::Pending>(
      new Prepared::Pending{std::move(*event)});
  return prepared;
}
