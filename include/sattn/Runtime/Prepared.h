//===- Prepared.h - A sparse operand, prepared ------------------*- C++ -*-===//

#ifndef SATTN_RUNTIME_PREPARED_H
#define SATTN_RUNTIME_PREPARED_H

#include "sattn/Runtime/Device.h"
#include "sattn/Runtime/Tensor.h"

#include <memory>

namespace sattn::runtime {

class CallCache;
class Program;
struct Manifest;

/// The tensors that kernels get for each argument of a program, null for
/// scalars: the caller's, or copies of index arrays.
using CallTensors = std::vector<const TensorView *>;

/// A snapshot of the index arrays of a program's sparse operands, and what the
/// program computed from them (`Program::prepare`). Values are not copied: they
/// are read in place at each launch, so there is nothing to refresh when they
/// change. Or hints alone (`Program::prepareHints`), which need no snapshot.
/// Must stay until the kernels that use it are done, and no longer than its
/// program's device.
class Prepared {
public:
  Prepared(Prepared &&) noexcept;
  Prepared &operator=(Prepared &&) noexcept;
  ~Prepared();

  /// Bytes of device memory that it holds.
  size_t bytes() const;

  /// Whether the work that made it has been done. May be asked during a
  /// capture, and from several threads.
  bool isDone() const;

private:
  friend class Program;
  Prepared();

  /// A copy of an argument.
  struct Snapshot {
    size_t argument;
    TensorView view;
    DeviceBuffer buffer;
  };

  /// Lets what follows on `stream` wait for the work that made it.
  Error delay(CUstream stream) const;

  /// The tensors of these arguments with the copies in the place of index
  /// arrays. Errors: an index array that has another shape or type than the
  /// copy.
  ErrorOr<CallTensors> substitute(const Manifest &manifest,
                                  const std::vector<Argument> &arguments) const;

  const Program *program = nullptr;
  std::vector<Snapshot> snapshots;
  /// One for each scratch array of the manifest; nothing for those that were
  /// not written.
  std::vector<std::optional<TensorView>> scratch;
  std::optional<DeviceBuffer> scratchMemory;
  /// Whether these are hints; then the values that their steps were launched
  /// with, and the end of their work, null once it is known to be done.
  bool isHint = false;
  std::vector<int64_t> hintValues;
  struct Pending;
  std::unique_ptr<Pending> pending;
  /// Calls with it, whose copies and scratch stay where they are.
  std::shared_ptr<CallCache> calls;
  /// The prepared data for calls that its program lacks a specialization for,
  /// if it was prepared with the arguments of such a call.
  std::shared_ptr<const Prepared> other;
};

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_PREPARED_H
