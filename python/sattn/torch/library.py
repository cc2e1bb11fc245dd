"""The package's operations in PyTorch, torch.ops.sattn: one node of a graph each, as their specs say (_ops/spec.py).

Each has a kernel that runs the public function, one for fake tensors, which gives the result's shape, type and strides,
one that records or refuses gradients, and where its spec says so one that torch.autocast calls. This file imports
PyTorch.
"""

import torch

from .._arrays import adapters, autocast, sparse_operand, stand_ins
from .._call.scalars import require_number
from .._ops.spec import NUMBER_TENSOR, OPERATIONS, SPECS
from . import differentiation

_LIBRARY = torch.library.Library("sattn", "DEF")


def _matrix(crow, col, matrix, columns):
    """The operand of a product, as the package's functions take it."""
    if crow is None:
        return matrix
    prepared = sparse_operand.prepared_of(crow, col, matrix)
    if prepared is not None:
        return prepared
    if columns is None:
        return crow, col, matrix
    batch = matrix.shape[:-3]
    return sparse_operand.Operand(crow, col, matrix, (*batch, (crow.shape[-1] - 1) * matrix.shape[-2], columns))


# How a kernel has a parameter of a kind of its function: names of arguments, and the expression of the function's
# argument.
_GIVEN = {"matrix": ("crow, col, {0}, columns", "_matrix(crow, col, {0}, columns)"),
          "pattern": ("crow, col, {0}", "(crow, col, {0})"), "precision": ("{0}", "{0} or None"),
          "number": ("{0}", "{0} if {0}_tensor is None else {0}_tensor")}


def _kernel_of(spec):
    """The kernel that calls the spec's function. It is compiled from text, so that a call has no loop."""
    forms = {name: _GIVEN.get(kind, ("{0}", "{0}")) for name, kind in spec.parameters.items()}
    taken = ", ".join([*(form[0].format(name) for name, form in forms.items()),
                       *(f"{NUMBER_TENSOR.format(name)}=None" for name in spec.numbers)])
    passed = ", ".join(f"{name}={form[1].format(name)}" for name, form in forms.items())
    text = f"lambda {taken}: function({passed})" + ("[2]" if spec.pattern else "")
    return eval(text, {"function": spec.function, "_matrix": _matrix})


def _casting(spec, operation, device):
    """The kernel for tensors on this type of device where torch.autocast is on: it casts those that the spec names."""
    places = [place for place, argument in enumerate(operation._schema.arguments) if argument.name in spec.autocast]
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, f"Autocast{device.upper()}"))

    def kernel(*arguments, **options):
        element, arguments = torch.get_autocast_dtype(device), list(arguments)
        for place in places:
            if autocast.is_cast(arguments[place], device):
                arguments[place] = arguments[place].to(element)
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return operation(*arguments, **options)

    return kernel


def define(spec):
    """Defines the operation of a spec."""
    _LIBRARY.define(spec.full_schema(), tags=differentiation.TAGS)
    _LIBRARY.impl(spec.name, spec.kernel or _kernel_of(spec), "CompositeExplicitAutograd")
    torch.library.register_fake(f"sattn::{spec.name}", spec.fake, lib=_LIBRARY)
    operation = getattr(torch.ops.sattn, spec.name).default
    if spec.gradients:
        kernel = differentiation.recording(spec, operation, differentiation.define_backward(spec, operation, _LIBRARY))
    else:
        kernel = (spec.backward or differentiation.refusing)(operation)
    _LIBRARY.impl(spec.name, kernel, "Autograd")
    if spec.autocast:
        for device in ("cpu", "cuda"):
            _LIBRARY.impl(spec.name, _casting(spec, operation, device), f"Autocast{device.upper()}")


for _spec in OPERATIONS:
    if _spec.name:
        define(_spec)


# Calls that are PyTorch's to dispatch


def _parts_of(bsr, name):
    """(crow, col, matrix, columns) of an operand, as the operations take it."""
    if isinstance(bsr, sparse_operand.Prepared):
        return bsr.crow, bsr.col, bsr.recorded_values(), bsr.shape[-1]
    if isinstance(bsr, sparse_operand.Operand):
        return bsr.crow, bsr.col, bsr.values, None if bsr.shape is None else bsr.shape[-1]
    if adapters.is_torch(bsr) and bsr.layout == torch.sparse_bsr:
        return (None, None, bsr, None) if stand_ins.stands_for_others(bsr) else (
            bsr.crow_indices(), bsr.col_indices(), bsr.values(), bsr.shape[-1])
    return sparse_operand.parts_of(bsr, name)


def _require_tuple(function, name, matrix):
    if not isinstance(matrix, tuple) or len(matrix) != 3:
        raise NotImplementedError(f"argument '{name}': expected (crow, col, values) where {function} is traced, for fake "
                                  f"tensors, but got {type(matrix).__name__}")
    return matrix


def _flat(spec, given):
    """The operation's arguments, in order and by name, of those of the function that the operation has."""
    flat, named = [], {}
    for name, kind in spec.parameters.items():
        value = given.get(name)
        if kind == "matrix":
            flat.extend(_parts_of(value, "bsr"))
        elif kind == "pattern":
            flat.extend(_require_tuple(spec.function.__name__, name, value))
        elif kind == "pairs":
            format, lists, meta = value
            flat += format, *(lists.get(key) for key in ("offsets", "q", "p",
                                                         "r")), 1 if meta is None else meta["SPLIT_N"]
        elif kind == "number" and isinstance(value, torch.Tensor):
            require_number(name, value)
            flat.append(1)
            named[NUMBER_TENSOR.format(name)] = value
        else:
            flat.append((value or "") if kind == "precision" else value)
    return flat, named


def call(function, given):
    """The result of a public function, by its name, through the operation. given: its arguments by name. Raises
    NotImplementedError for an option that the operation does not have."""
    spec = SPECS[function]
    operation = getattr(torch.ops.sattn, spec.name)
    if spec.arguments is not None:
        return spec.result(operation(*spec.arguments(**given)), given)
    for option in spec.options:
        value = given.get(option)
        if value is not None and value is not False:
            raise NotImplementedError(f"argument '{option}': expected none where {function} is traced, for fake tensors, under "
                                      f"torch.autocast, or where a gradient is recorded, but got one of type {type(value).__name__}")
    flat, named = _flat(spec, given)
    result = operation(*flat, **named)
    return result if spec.pattern is None else (*given[spec.pattern][:2], result)
