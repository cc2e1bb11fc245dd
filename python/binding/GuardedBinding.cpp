//===- GuardedBinding.cpp - Repeated calls as functions of Python ---------===//
//
// Python calls these functions itself, not by tvm-ffi, and they ask PyTorch for
// no more of each tensor than a call needs.
//
//===----------------------------------------------------------------------===//

#include "GuardedCalls.h"

using namespace sattn;
using namespace tvm;
using python::GuardedCalls;
using python::PlainArguments;
using python::Reference;
using Result = PlainArguments::Result;

/// The error that the program of this thread's last guarded call threw.
static thread_local std::optional<ffi::Error> failure;
static constexpr const char *capsuleName = "sattn.GuardedCalls";

static GuardedCalls &callsOf(PyObject *capsule) {
  return *static_cast<GuardedCalls *>(
      PyCapsule_GetPointer(capsule, capsuleName));
}

/// The function of tvm-ffi at an address, which Python keeps.
static ffi::Function functionAt(PyObject *address) {
  TVMFFIAny function = {};
  function.type_index = kTVMFFIFunction;
  function.v_obj = static_cast<TVMFFIObject *>(PyLong_AsVoidPtr(address));
  return ffi::AnyView::CopyFromTVMFFIAny(function).cast<ffi::Function>();
}

/// The result of `call` for arguments that are not plain.
static PyObject *none(Result result) {
  return result == Result::Raised ? nullptr : Py_NewRef(Py_None);
}

/// Adds what an entry keeps, and new results, which the tuple `results` gets.
/// given: the call's arguments.
static Result addOwn(const GuardedCalls::Entry &entry,
                     PlainArguments &arguments, PyObject *const *given,
                     PyObject *results) {
  Result result = Result::Plain;
  for (Py_ssize_t i = 0; i < PyTuple_Size(entry.kept.get()); ++i)
    if (result = arguments.add(PyTuple_GetItem(entry.kept.get(), i));
        result != Result::Plain)
      return result;
  for (size_t i = 0; i < entry.results.size(); ++i) {
    const auto &[function, made, named] = entry.results[i];
    PyObject *one =
        PyLong_Check(made.get())
            ? PyObject_CallFunctionObjArgs(
                  function.get(), given[PyLong_AsLong(made.get())], nullptr)
            : PyObject_Call(function.get(), made.get(), named.get());
    if (!one)
      return Result::Raised;
    PyTuple_SetItem(results, Py_ssize_t(i), one);
    if (result = arguments.add(one); result != Result::Plain)
      return result;
  }
  return result;
}

/// call(again, arguments...), of guarded_calls. `self` is a capsule.
static PyObject *call(PyObject *self, PyObject *const *given,
                      Py_ssize_t count) {
  GuardedCalls &known = callsOf(self);
  PyObject *again = *given++;
  PlainArguments arguments;
  Result result = arguments.read(given, count - 1);
  if (result != Result::Plain)
    return none(result);
  std::shared_ptr<const GuardedCalls::Entry> entry = known.find(arguments);
  if (!entry)
    return none(Result::Unknown);
  Reference made(PyTuple_New(Py_ssize_t(entry->results.size())));
  result = made ? addOwn(*entry, arguments, given, made.get()) : Result::Raised;
  if (result != Result::Plain)
    return none(result);
  ffi::Function function = entry->program;
  std::vector<ffi::AnyView> prefix;
  Reference hints = Reference::to(Py_None);
  if (again != Py_None) {
    function = functionAt(PyTuple_GetItem(again, 0));
    for (Py_ssize_t i = 1; i < PyTuple_Size(again); ++i)
      prefix.push_back(int64_t(PyLong_AsLongLong(PyTuple_GetItem(again, i))));
  } else if (entry->hints.get() != Py_None) {
    hints = Reference(
        PyObject_CallFunctionObjArgs(entry->hints.get(), *given, nullptr));
    if (!hints)
      return nullptr;
  }
  if (hints.get() != Py_None) {
    Reference address(PyObject_GetAttrString(hints.get(), "address"));
    if (!address)
      return nullptr;
    function = functionAt(address.get());
  }
  try {
    std::optional<ffi::Any> returned =
        known.call(*entry, function, prefix, arguments);
    if (!returned)
      return none(Result::Unknown);
    int64_t outcome = returned->try_cast<int64_t>().value_or(0);
    if (outcome == 0)
      return Py_NewRef(made.get());
    return Py_BuildValue("[LOO]", static_cast<long long>(outcome), hints.get(),
                         made.get());
  } catch (const ffi::Error &error) {
    failure = error;
  } catch (const std::exception &error) {
    failure = ffi::Error("RuntimeError", error.what(), "");
  }
  return Py_NewRef(Py_False);
}

/// remember(program, parts, kept, results, hints, arguments...), of
/// guarded_calls.
static PyObject *remember(PyObject *self, PyObject *const *given,
                          Py_ssize_t count) {
  constexpr Py_ssize_t first = 5;
  GuardedCalls &known = callsOf(self);
  PlainArguments arguments;
  for (Py_ssize_t i = first; i < count; ++i)
    if (Result result = arguments.add(given[i]); result != Result::Plain)
      return none(result);
  std::vector<GuardedCalls::Part> parts;
  for (Py_ssize_t i = 0; i < PyTuple_Size(given[1]); ++i) {
    auto number = [&, part = PyTuple_GetItem(given[1], i)](Py_ssize_t at) {
      return int(PyLong_AsLong(PyTuple_GetItem(part, at)));
    };
    parts.push_back({number(0), number(1) != 0, number(2), number(3), number(4),
                     number(5)});
  }
  std::vector<GuardedCalls::Result> results;
  for (Py_ssize_t i = 0; i < PyTuple_Size(given[3]); ++i) {
    auto item = [&, made = PyTuple_GetItem(given[3], i)](Py_ssize_t at) {
      return Reference::to(PyTuple_GetItem(made, at));
    };
    results.push_back({item(0), item(1), item(2)});
  }
  if (PyErr_Occurred())
    return nullptr;
  known.insert(arguments,
               {functionAt(given[0]), std::move(parts), Reference::to(given[2]),
                std::move(results), Reference::to(given[4])});
  return Py_NewRef(Py_None);
}

/// An object of Python as tvm-ffi returns it.
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

/// guarded_calls(count: int, strided: int) -> [call, remember]
///
/// Programs for calls of one kind that were made before (GuardedCalls.h). A
/// call has `count` arguments: numbers, tensors, and None for one that is
/// absent.
///  - call(again, arguments...) -> None where no program is known, or an
///    argument is not plain (PlainArguments.h), False where one was called and
///    threw; else the tuple of the results that were made, or, where the
///    program returned a number that is not 0, a list of this number, the hints
///    that it ran with, and the tuple. `again` is None, or the tuple of a
///    function's address and numbers: it is called in the place of the program,
///    with these numbers before the program's arguments.
///  - remember(program, parts, kept, results, hints, arguments...) keeps a
///    program, by its address, for such calls. parts: tuples as
///    GuardedCalls::Part; results: tuples as GuardedCalls::Result.
static ffi::Array<ffi::Any> guardedCalls(int64_t count, int64_t strided) {
  auto method = [](const char *name, auto function) {
    return PyMethodDef{
        name, reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(function)),
        METH_FASTCALL, nullptr};
  };
  static PyMethodDef definitions[] = {method("call", call),
                                      method("remember", remember)};
  auto drop = [](PyObject *capsule) { delete &callsOf(capsule); };
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *functions[2];
  {
    Reference capsule(PyCapsule_New(new GuardedCalls(int(count), int(strided)),
                                    capsuleName, drop));
    for (int i = 0; i < 2; ++i)
      functions[i] = PyCFunction_NewEx(&definitions[i], capsule.get(), nullptr);
  }
  PyGILState_Release(state);
  return {opaque(functions[0]), opaque(functions[1])};
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
