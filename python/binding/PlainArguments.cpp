//===- PlainArguments.cpp - Python's arguments of programs ----------------===//

#include "PlainArguments.h"

#include <memory>

using namespace sattn::python;
using namespace tvm;

using Result = PlainArguments::Result;

namespace {
/// Functions and types of PyTorch and NumPy, which are never given back.
struct Libraries {
  const DLPackExchangeAPI *exchange = nullptr;
  PyObject *tensor, *parameter, *array;
  // Functions of a tensor, and of its storage.
  PyObject *isNeg, *untypedStorage, *dataPtr;
  PyObject *isGradEnabled, *forwardAd;
  // Names, and the argument of __dlpack__.
  PyObject *requiresGrad, *level, *dlpack, *version;
};
} // namespace

/// An attribute of a module that is imported, or of its class; null, and an
/// exception is set, without.
static PyObject *find(const char *module, const char *name,
                      const char *attribute = nullptr) {
  Reference key(PyUnicode_FromString(module));
  Reference found(key ? PyImport_GetModule(key.get()) : nullptr);
  Reference value(found ? PyObject_GetAttrString(found.get(), name) : nullptr);
  if (!value || !attribute)
    return value ? Py_NewRef(value.get()) : nullptr;
  return PyObject_GetAttrString(value.get(), attribute);
}

/// Looked up once PyTorch is imported; until then null.
static const Libraries *libraries() {
  static const Libraries *known = nullptr;
  if (known)
    return known;
  auto made = std::make_unique<Libraries>();
  Reference capsule(find("torch", "Tensor", "__dlpack_c_exchange_api__"));
  if (capsule)
    made->exchange = static_cast<const DLPackExchangeAPI *>(
        PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  bool isComplete =
      made->exchange &&
      made->exchange->header.version.major == DLPACK_MAJOR_VERSION &&
      (made->tensor = find("torch", "Tensor")) &&
      (made->parameter = find("torch.nn", "Parameter")) &&
      (made->array = find("numpy", "ndarray")) &&
      (made->isNeg = find("torch", "Tensor", "is_neg")) &&
      (made->untypedStorage = find("torch", "Tensor", "untyped_storage")) &&
      (made->dataPtr = find("torch", "UntypedStorage", "data_ptr")) &&
      (made->isGradEnabled = find("torch", "is_grad_enabled")) &&
      (made->forwardAd = find("torch.autograd", "forward_ad")) &&
      (made->requiresGrad = PyUnicode_InternFromString("requires_grad")) &&
      (made->level = PyUnicode_InternFromString("_current_level")) &&
      (made->dlpack = PyUnicode_InternFromString("__dlpack__")) &&
      (made->version =
           Py_BuildValue("{s(ii)}", "max_version", DLPACK_MAJOR_VERSION, 0));
  if (!isComplete) {
    PyErr_Clear();
    return nullptr;
  }
  return known = made.release();
}

/// The result where a function of Python raised an exception: tensors without a
/// storage, nested ones and those in transforms of PyTorch raise one. The slow
/// path says what is wrong.
static Result failed() {
  if (!PyErr_ExceptionMatches(PyExc_Exception))
    return Result::Raised;
  PyErr_Clear();
  return Result::Unknown;
}

/// Plain if the answer to a question is no.
static Result unless(const Reference &answer) {
  if (!answer)
    return failed();
  return answer.get() == Py_False ? Result::Plain : Result::Unknown;
}

/// The memory of a tensor's storage; none if an exception is set.
static std::optional<Storage> storageOf(const Libraries &known,
                                        PyObject *tensor) {
  Reference storage(
      PyObject_CallFunctionObjArgs(known.untypedStorage, tensor, nullptr));
  Reference address(storage ? PyObject_CallFunctionObjArgs(
                                  known.dataPtr, storage.get(), nullptr)
                            : nullptr);
  if (!address)
    return std::nullopt;
  Storage found{PyLong_AsLongLong(address.get()), PyObject_Size(storage.get())};
  if (PyErr_Occurred())
    return std::nullopt;
  return found;
}

Result PlainArguments::addTensor(PyObject *tensor, bool isTrusted) {
  const Libraries &known = *libraries();
  PlainArgument &argument = arguments[count];
  if (!isTrusted) {
    Result result = unless(
        Reference(PyObject_CallFunctionObjArgs(known.isNeg, tensor, nullptr)));
    if (result == Result::Plain && isRecording)
      result = unless(Reference(PyObject_GetAttr(tensor, known.requiresGrad)));
    if (result != Result::Plain)
      return result;
    std::optional<Storage> storage = storageOf(known, tensor);
    if (!storage)
      return failed();
    argument.storage = *storage;
  }
  DLTensor &own = argument.tensor;
  if (known.exchange->dltensor_from_py_object_no_sync(tensor, &own) != 0)
    return failed();
  if (!current && own.device.device_type != kDLCPU) {
    void *stream = nullptr;
    if (known.exchange->current_work_stream(own.device.device_type,
                                            own.device.device_id, &stream) != 0)
      return failed();
    current.emplace(own.device, stream);
  }
  return addView(&own);
}

Result PlainArguments::addView(DLTensor *tensor) {
  if (!tensor->data && hasElements(*tensor))
    return Result::Unknown;
  arguments[count++].view = tensor;
  return Result::Plain;
}

Result PlainArguments::addArray(PyObject *array) {
  const Libraries &known = *libraries();
  Reference method(PyObject_GetAttr(array, known.dlpack));
  Reference none(PyTuple_New(0));
  Reference capsule(method && none
                        ? PyObject_Call(method.get(), none.get(), known.version)
                        : nullptr);
  auto *managed =
      capsule ? static_cast<DLManagedTensorVersioned *>(
                    PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"))
              : nullptr;
  if (!managed)
    return failed();
  arguments[count].isArray = true;
  capsules.push_back(std::move(capsule));
  return addView(&managed->dl_tensor);
}

Result PlainArguments::add(PyObject *value, bool isTrusted) {
  if (!libraries() || count == capacity)
    return Result::Unknown;
  const Libraries &known = *libraries();
  ffi::AnyView &view = arguments[count].view;
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(value));
  if (type == known.tensor || type == known.parameter)
    return addTensor(value, isTrusted);
  if (type == known.array)
    return addArray(value);
  if (value == Py_None) {
    view = nullptr;
  } else if (PyFloat_CheckExact(value)) {
    view = PyFloat_AsDouble(value);
  } else if (PyLong_CheckExact(value)) {
    int overflow = 0;
    int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow)
      return Result::Unknown;
    view = number;
  } else {
    return Result::Unknown;
  }
  ++count;
  return Result::Plain;
}

Result PlainArguments::read(PyObject *const *given, Py_ssize_t size) {
  const Libraries *known = libraries();
  if (!known)
    return Result::Unknown;
  Reference records(PyObject_CallNoArgs(known->isGradEnabled));
  Reference level(PyObject_GetAttr(known->forwardAd, known->level));
  if (!records)
    return Result::Raised;
  isRecording = records.get() != Py_False;
  // Tensors may have tangents.
  if (!level || PyLong_AsLong(level.get()) >= 0) {
    PyErr_Clear();
    return Result::Unknown;
  }
  for (Py_ssize_t i = 0; i < size; ++i) {
    Result result = add(given[i], false);
    if (result != Result::Plain)
      return result;
  }
  return Result::Plain;
}
