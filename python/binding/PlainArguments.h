//===- PlainArguments.h - Python's arguments of programs --------*- C++ -*-===//

#ifndef SATTN_PYTHON_BINDING_PLAINARGUMENTS_H
#define SATTN_PYTHON_BINDING_PLAINARGUMENTS_H

#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>
#include <array>
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

/// The memory that a storage has; bytes: -1 for one that needs no check.
struct Storage {
  int64_t address = 0, bytes = -1;
};

inline bool hasElements(const DLTensor &tensor) {
  return std::find(tensor.shape, tensor.shape + tensor.ndim, 0) ==
         tensor.shape + tensor.ndim;
}

/// An argument of a program.
struct PlainArgument {
  tvm::ffi::AnyView view;
  /// The storage of a tensor.
  Storage storage;
  /// Whether it is an array of NumPy.
  bool isArray = false;
  // The tensor that the view refers to, if it is one of PyTorch's.
  DLTensor tensor;
};

/// Arguments that a program takes as they are: numbers, None, arrays of NumPy,
/// and PyTorch's plain tensors, dense ones of which no gradient is wanted and
/// whose elements lie in memory as they are. Those with elements have memory,
/// unlike stand-ins for tensors. They must outlive this. All calls hold the
/// GIL.
class PlainArguments {
public:
  enum class Result {
    Plain,
    /// An argument is something else.
    Unknown,
    /// An exception is set, which the caller gets.
    Raised
  };

  /// Calls with more arguments are Unknown.
  static constexpr size_t capacity = 64;

  /// Adds the arguments of a call.
  Result read(PyObject *const *given, Py_ssize_t size);

  /// Adds an argument that is known to be plain, but for its type.
  Result add(PyObject *value) { return add(value, true); }

  size_t size() const { return count; }
  const PlainArgument &operator[](size_t i) const { return arguments[i]; }
  /// The first device that is not the CPU, and PyTorch's current stream of it.
  const std::optional<std::pair<DLDevice, void *>> &stream() const {
    return current;
  }

private:
  Result add(PyObject *value, bool isTrusted);
  Result addTensor(PyObject *tensor, bool isTrusted);
  Result addArray(PyObject *array);
  /// Adds a tensor if it has memory.
  Result addView(DLTensor *tensor);

  std::array<PlainArgument, capacity> arguments;
  size_t count = 0;
  // Capsules that keep arrays of NumPy.
  std::vector<Reference> capsules;
  std::optional<std::pair<DLDevice, void *>> current;
  bool isRecording = false;
};

} // namespace sattn::python

#endif // SATTN_PYTHON_BINDING_PLAINARGUMENTS_H
