//===- KeptHints.cpp - Results of hints, kept for calls -------------------===//

#include "KeptHints.h"

using namespace sattn::python;
using namespace sattn::runtime;

ErrorOr<int64_t> KeptHints::launch(const std::vector<Argument> &arguments,
                                   CUstream stream) {
  int capture = cuda::streamCaptureNone;
  {
    CurrentContext current(device);
    if (Error err = current.takeError())
      return err;
    // A stream of which nobody knows is used as if it were captured.
    if (device.driver().streamIsCapturing(stream, &capture) != cuda::success)
      capture = !cuda::streamCaptureNone;
  }
  bool isCaptured = capture != cuda::streamCaptureNone;
  int64_t outcome = isCaptured ? NoneForCapture : NoneForStream;
  std::shared_ptr<const Prepared> hints;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < entries.size() && !hints; ++i) {
      Entry &entry = entries[i];
      if (isCaptured ? !entry.hints->isDone() : entry.stream != stream)
        continue;
      hints = entry.hints;
      bool isFirst = isCaptured && !entry.isCaptured;
      outcome = isFirst ? Captured + int64_t(i) : Used;
      entry.isCaptured |= isCaptured;
    }
  }
  if (outcome == NoneForStream)
    return outcome;
  Error failure = hints ? program->launch(*hints, arguments, stream)
                        : program->launch(arguments, stream);
  if (failure)
    return failure;
  return outcome;
}

Error KeptHints::add(const std::vector<Argument> &arguments, void *memory,
                     CUstream stream) {
  ErrorOr<Prepared> hints = program->prepareHints(arguments, memory, stream);
  if (!hints)
    return hints.takeError();
  std::lock_guard<std::mutex> lock(mutex);
  entries.push_back(
      {stream, std::make_shared<const Prepared>(std::move(*hints))});
  return Error::success();
}
