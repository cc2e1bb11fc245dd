//===- GuardedCalls.h - Programs that repeated calls reuse ------*- C++ -*-===//

#ifndef SATTN_PYTHON_BINDING_GUARDEDCALLS_H
#define SATTN_PYTHON_BINDING_GUARDEDCALLS_H

#include "PlainArguments.h"

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sattn::python {

/// The programs that calls of one kind reuse, found by the tensors' element
/// types, devices and shapes, and whether they are transposed in memory.
/// Neither addresses nor contents count. Safe to use from several threads.
class GuardedCalls {
public:
  static constexpr size_t capacity = 4096;

  /// A call has `count` arguments: numbers, tensors, or None for one that is
  /// absent.
  explicit GuardedCalls(int count) : count(count) {}

  /// An argument of a program.
  struct Part {
    /// The argument's place in the call; one from the call's count on is, less
    /// that, a place in Entry::kept.
    int place;
    /// Whether its last two dimensions are swapped.
    bool isTransposed;
    /// The place of the argument to whose shape it is broadcast first, or -1.
    int like;
  };

  struct Entry {
    tvm::ffi::Function program;
    /// The program's arguments; empty: those of the call.
    std::vector<Part> parts;
    /// Arguments that are not the call's, such as prepared index arrays.
    std::vector<tvm::ffi::Any> kept;
  };

  /// Keeps an entry for calls with such arguments; replaces an earlier one.
  void insert(const tvm::ffi::AnyView *arguments, Entry entry);

  /// Calls the entry's program and returns its result; returns nothing where
  /// none is known, or where a tensor has elements outside of its storage.
  /// `instead`, if given, is called in the place of the program, with its
  /// arguments. Throws what the program throws. Python's GIL is free meanwhile.
  std::optional<tvm::ffi::Any>
  call(const PlainArguments &arguments,
       const std::optional<tvm::ffi::Function> &instead);

private:
  using Key = std::vector<int64_t>;
  struct Hash {
    size_t operator()(const Key &key) const;
  };

  bool makeKey(const tvm::ffi::AnyView *arguments, Key &key) const;

  const int count;
  std::mutex mutex;
  std::unordered_map<Key, std::shared_ptr<const Entry>, Hash> entries;
};

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_GUARDEDCALLS_H
