//===- KeptHints.h - Results of hints, kept for calls -----------*- C++ -*-===//

#ifndef SATTN_PYTHON_BINDING_KEPTHINTS_H
#define SATTN_PYTHON_BINDING_KEPTHINTS_H

#include "sattn/Runtime/Program.h"

#include <mutex>

namespace sattn::python {

/// Hints (Program::prepareHints) for calls with the same lists, in memory that
/// Python holds: one for each stream that calls came on, since memory of
/// PyTorch's is free for others in the order of the stream that it was
/// allocated for. A captured call takes any of them that is done. May be used
/// from several threads.
class KeptHints {
public:
  KeptHints(const runtime::Device &device,
            std::shared_ptr<runtime::Program> program)
      : device(device), program(std::move(program)) {}

  /// The outcome of a call with hints: it used them; it found none for its
  /// stream, and launched nothing; or it found none for a capture, and did
  /// without. A number n from `Captured` on stands for hints that a graph uses
  /// for the first time, at place n - `Captured` in the order of `add`: their
  /// memory must stay for ever.
  enum Outcome : int64_t { Used, NoneForStream, NoneForCapture, Captured };

  /// Launches, unless the outcome says otherwise.
  runtime::ErrorOr<int64_t>
  launch(const std::vector<runtime::Argument> &arguments,
         runtime::CUstream stream);

  /// Makes hints for the calls on `stream`. Not while that is captured.
  runtime::Error add(const std::vector<runtime::Argument> &arguments,
                     void *memory, runtime::CUstream stream);

private:
  struct Entry {
    runtime::CUstream stream;
    std::shared_ptr<const runtime::Prepared> hints;
    bool isCaptured = false;
  };

  const runtime::Device &device;
  std::shared_ptr<runtime::Program> program;
  std::mutex mutex;
  std::vector<Entry> entries;
};

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_KEPTHINTS_H
