//===- PlainArguments.h - Python's arguments of programs --------*- C++ -*-===//

#ifndef SATTN_PYTHON_BINDING_PLAINARGUMENTS_H
#define SATTN_PYTHON_BINDING_PLAINARGUMENTS_H

#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <tvm/ffi/tvm_ffi.h>

#include <optional>
#include <utility>
#include <vector>

namespace sattn::python {

/// A reference to an object of Python, which is dropped with it.
class Reference {
public:
  explicit Reference(PyObject *object) : object(object) {}
  Reference(Reference &&other) : object(other.object) {
    other.object = nullptr;
  }
  Reference(const Reference &) = delete;
  Reference &operator=(Reference &&other) {
    std::swap(object, other.object);
    return *this;
  }
  ~Reference() { Py_XDECREF(object); }
  static Reference to(PyObject *object) { return Reference(Py_NewRef(object)); }
  PyObject *get() const { return object; }
  explicit operator bool() const { return object != nullptr; }

private:
  PyObject *object;
};

/// The memory that a storage has.
struct Storage {
  int64_t address, bytes;
};

/// Arguments that a program takes as they are: numbers, None, arrays of NumPy,
/// and PyTorch's plain tensors, dense ones of which no gradient is wanted and
/// whose elements lie in memory as they are. They must outlive this. All calls
/// hold the GIL.
class PlainArguments {
public:
  enum class Result {
    Plain,
    /// An argument is something else.
    Unknown,
    /// An exception is set, which the caller gets.
    Raised
  };

  /// most: the number of arguments that may be added.
  explicit PlainArguments(size_t most) {
    passed.reserve(most);
    held.reserve(most);
    tensors.reserve(most);
  }

  /// Adds the arguments of a call.
  Result read(PyObject *const *arguments, Py_ssize_t count);

  /// Adds an argument that is known to be plain, but for its type.
  Result add(PyObject *value) { return add(value, true); }

  const std::vector<tvm::ffi::AnyView> &views() const { return passed; }
  /// Whether an argument is an array of NumPy.
  bool isArray(size_t i) const { return arrays & uint64_t(1) << i; }
  /// The storage of each argument; none of those that need no check.
  const std::vector<std::optional<Storage>> &storages() const { return held; }
  /// The first device that is not the CPU, and PyTorch's current stream of it.
  const std::optional<std::pair<DLDevice, void *>> &stream() const {
    return current;
  }

private:
  Result add(PyObject *value, bool isTrusted);
  Result addTensor(PyObject *tensor, bool isTrusted);
  Result addArray(PyObject *array);

  std::vector<tvm::ffi::AnyView> passed;
  std::vector<std::optional<Storage>> held;
  // The tensors and arrays that the views refer to; they do not move.
  std::vector<DLTensor> tensors;
  std::vector<Reference> capsules;
  std::optional<std::pair<DLDevice, void *>> current;
  uint64_t arrays = 0;
  bool isRecording = false;
};

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_PLAINARGUMENTS_H
