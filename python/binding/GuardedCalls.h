//===- GuardedCalls.h - Programs that repeated calls reuse ------*- C++ -*-===//

#ifndef SATTN_PYTHON_BINDING_GUARDEDCALLS_H
#define SATTN_PYTHON_BINDING_GUARDEDCALLS_H

#include "PlainArguments.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sattn::python {

/// The programs that calls of one kind reuse, found by the tensors' element
/// types, devices and shapes, and whether they are transposed in memory.
/// Neither addresses nor contents count. Used by threads that hold the GIL.
class GuardedCalls {
public:
  static constexpr size_t capacity = 4096;

  /// A call has `count` arguments: numbers, tensors, or None for one that is
  /// absent. Calls whose argument at the place `strided`, if not -1, has other
  /// strides are others.
  explicit GuardedCalls(int count, int strided)
      : count(count), strided(strided) {}

  /// An argument of a program.
  struct Part {
    /// The argument's place in the call; those from the call's count on are
    /// places in Entry::kept, and then in Entry::results.
    int place;
    /// Whether its last two dimensions are swapped.
    bool isTransposed = false;
    /// The place of the argument to whose shape it is broadcast first, or -1.
    int like = -1;
    /// If not 0, (B, H, M, ...) is passed as (B, heads, H / heads * M, ...).
    int heads = 0;
    /// If not 0, (..., M, N) is passed as (..., M / rows, split, rows, N /
    /// split).
    int rows = 0, split = 0;

    bool isView() const { return isTransposed || like >= 0 || heads || rows; }
  };

  /// A tensor that each call makes: a function of Python and its arguments, a
  /// tuple, or the place of the call's argument that is its own.
  struct Result {
    Reference function, arguments, named;
  };

  struct Entry {
    tvm::ffi::Function program;
    /// The program's arguments; empty: those of the call.
    std::vector<Part> parts;
    /// A tuple of arguments that are not the call's, such as prepared indices.
    Reference kept;
    std::vector<Result> results;
    /// None, or a function of Python that gives, of the first argument, None or
    /// hints (launch_hints.py): their `address` is of a function that is called
    /// in the place of the program.
    Reference hints;
  };

  /// Keeps an entry for calls with such arguments; replaces an earlier one.
  void insert(const PlainArguments &arguments, Entry entry);

  /// The entry of a call, or null where none is known, or where a tensor has
  /// elements outside of its storage.
  std::shared_ptr<const Entry> find(const PlainArguments &arguments);

  /// Calls a function with `prefix` and the arguments of the entry's program,
  /// and returns its result. `arguments`: those of the call, what is kept, and
  /// the results. Returns nothing where an argument cannot be viewed as the
  /// program takes it. Throws what the function throws. Python's GIL is free
  /// meanwhile.
  std::optional<tvm::ffi::Any>
  call(const Entry &entry, const tvm::ffi::Function &function,
       const std::vector<tvm::ffi::AnyView> &prefix,
       const PlainArguments &arguments) const;

private:
  using Key = std::vector<int64_t>;
  struct Hash {
    size_t operator()(const Key &key) const;
  };

  bool makeKey(const PlainArguments &arguments, Key &key) const;

  const int count, strided;
  std::unordered_map<Key, std::shared_ptr<const Entry>, Hash> entries;
};

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_GUARDEDCALLS_H
