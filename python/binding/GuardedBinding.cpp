//===- GuardedBinding.cpp - Repeated calls as a function of Python --------===//
//
// Python calls `call` itself, not by tvm-ffi: it asks PyTorch for no more of
// each tensor than the call needs.
//
//===----------------------------------------------------------------------===//

#include "GuardedCalls.h"

using namespace sattn;
using namespace tvm;
using python::GuardedCalls;
using python::PlainArguments;

/// The error that the program of this thread's last guarded call threw.
static thread_local std::optional<ffi::Error> failure;
/// Results of a guarded call that ran no program: unknown, or failed.
static constexpr int64_t unknown = -1, failed = -2;
static constexpr const char *capsuleName = "sattn.GuardedCalls";

/// Of `call` (guarded_calls), whose `self` is a capsule with the calls.
static PyObject *callGuarded(PyObject *self, PyObject *const *given,
                             Py_ssize_t count) {
  auto &known = *static_cast<std::shared_ptr<GuardedCalls> *>(
      PyCapsule_GetPointer(self, capsuleName));
  int64_t outcome = unknown;
  try {
    PlainArguments arguments;
    switch (arguments.read(given + 1, count - 1)) {
    case PlainArguments::Result::Raised:
      return nullptr;
    case PlainArguments::Result::Unknown:
      break;
    case PlainArguments::Result::Plain:
      std::optional<ffi::Function> instead;
      if (given[0] != Py_None) {
        TVMFFIAny function = {};
        function.type_index = kTVMFFIFunction;
        function.v_obj =
            static_cast<TVMFFIObject *>(PyLong_AsVoidPtr(given[0]));
        instead =
            ffi::AnyView::CopyFromTVMFFIAny(function).cast<ffi::Function>();
      }
      outcome = failed;
      std::optional<ffi::Any> returned = known->call(arguments, instead);
      outcome = returned ? returned->try_cast<int64_t>().value_or(0) : unknown;
    }
  } catch (const ffi::Error &error) {
    failure = error;
  } catch (const std::exception &error) {
    // Not to the caller, who would make the call again.
    failure = ffi::Error("RuntimeError", error.what(), "");
  }
  return PyLong_FromLongLong(outcome);
}

/// An object of Python as tvm-ffi returns it. Takes over the reference.
static ffi::Any opaque(PyObject *object) {
  auto drop = [](void *object) {
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DecRef(static_cast<PyObject *>(object));
    PyGILState_Release(state);
  };
  TVMFFIAny made = {};
  made.type_index = kTVMFFIOpaquePyObject;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIObjectCreateOpaque(
      object, kTVMFFIOpaquePyObject, drop,
      reinterpret_cast<TVMFFIObjectHandle *>(&made.v_obj)));
  return ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&made);
}

/// The function `call` of Python.
static ffi::Any makeCall(const std::shared_ptr<GuardedCalls> &known) {
  static PyMethodDef definition = {
      "call",
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(callGuarded)),
      METH_FASTCALL, nullptr};
  auto drop = [](PyObject *capsule) {
    delete static_cast<std::shared_ptr<GuardedCalls> *>(
        PyCapsule_GetPointer(capsule, capsuleName));
  };
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *made = nullptr;
  {
    python::Reference capsule(PyCapsule_New(
        new std::shared_ptr<GuardedCalls>(known), capsuleName, drop));
    made = PyCFunction_NewEx(&definition, capsule.get(), nullptr);
  }
  PyGILState_Release(state);
  return opaque(made);
}

/// guarded_calls(count: int) -> [call, remember]
///
/// Programs for calls of one kind that were made before (GuardedCalls.h). A
/// call has `count` arguments: numbers, tensors, and None for one that is
/// absent.
///  - call(instead, arguments...) -> -1 where none is known, or an argument is
///    not plain (PlainArguments.h), -2 where one was called and threw; else
///    what it returned, 0 for None. Arguments in tuples are trusted: they were
///    made by the package. `instead` is None, or the address of a function of
///    tvm-ffi that is called in its place (launch of `keep`).
///  - remember(program, parts, kept, arguments...) keeps a program for such
///    calls; parts has three numbers for each of its arguments
///    (GuardedCalls::Part).
static ffi::Array<ffi::Any> guardedCalls(int64_t count) {
  auto known = std::make_shared<GuardedCalls>(int(count));
  auto remember = [=](ffi::PackedArgs packed, ffi::Any *) {
    if (packed.size() < 3 + int(count))
      TVM_FFI_THROW(TypeError) << "expected " << count << " arguments, but got "
                               << packed.size() - 3;
    GuardedCalls::Entry entry;
    entry.program = packed[0].cast<ffi::Function>();
    auto numbers = packed[1].cast<ffi::Array<int64_t>>();
    for (size_t i = 0; i + 2 < numbers.size(); i += 3)
      entry.parts.push_back(
          {int(numbers[i]), numbers[i + 1] != 0, int(numbers[i + 2])});
    for (const ffi::Any &kept : packed[2].cast<ffi::Array<ffi::Any>>())
      entry.kept.push_back(kept);
    known->insert(packed.data() + 3, std::move(entry));
  };
  return {makeCall(known), ffi::Function::FromPacked(remember)};
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(guarded_calls, guardedCalls);

/// raise_failure()
///
/// Throws what the program of the thread's last call of `guarded_calls` threw.
static void raiseFailure() {
  ffi::Error error = failure.value();
  failure.reset();
  throw error;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(raise_failure, raiseFailure);
