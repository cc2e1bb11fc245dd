"""The package's operations in PyTorch, torch.ops.sattn: one node of a graph each, as their specs say (_ops/spec.py).

Each has a kernel that runs the public function, one for fake tensors, which gives the result's shape, type and strides, and
one that refuses gradients, where its spec has no backward. This file imports PyTorch.
"""

import torch

from .._arrays import adapters, sparse_operand
from .._ops.spec import SPECS

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


# How a kernel has a parameter of a kind of its function: names of arguments, and the expression of the function's argument.
_GIVEN = {"matrix": ("crow, col, {0}, columns", "_matrix(crow, col, {0}, columns)"),
          "pattern": ("crow, col, {0}", "(crow, col, {0})"), "precision": ("{0}", "{0} or None")}


def _kernel_of(spec):
    """The kernel that calls the spec's function. It is compiled from text, so that a call has no loop."""
    forms = {name: _GIVEN.get(kind, ("{0}", "{0}")) for name, kind in spec.parameters.items()}
    taken = ", ".join(form[0].format(name) for name, form in forms.items())
    passed = ", ".join(f"{name}={form[1].format(name)}" for name, form in forms.items())
    text = f"lambda {taken}: function({passed})" + ("[2]" if spec.pattern else "")
    return eval(text, {"function": spec.function, "_matrix": _matrix})


def _refusing(operation):
    """The kernel for tensors of which PyTorch may want a gradient: it refuses those, and calls the operation for others."""
    names = [argument.name for argument in operation._schema.arguments]

    def refuse(name, value):
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, torch.Tensor):
                adapters.require_no_derivative(name, one)

    def kernel(*arguments, **options):
        for name, value in (*zip(names, arguments), *options.items()):
            refuse(name, value)
        with torch._C._AutoDispatchBelowAutograd():
            return operation(*arguments, **options)

    return kernel


def define(spec):
    """Defines the operation of a spec."""
    _LIBRARY.define(spec.full_schema(), tags=(torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides))
    _LIBRARY.impl(spec.name, spec.kernel or _kernel_of(spec), "CompositeExplicitAutograd")
    torch.library.register_fake(f"sattn::{spec.name}", spec.fake, lib=_LIBRARY)
    operation = getattr(torch.ops.sattn, spec.name).default
    _LIBRARY.impl(spec.name, (spec.backward or _refusing)(operation), "Autograd")


for _spec in SPECS.values():
    if _spec.name:
        define(_spec)


# Calls with tensors that stand for others


def _parts_of(bsr, name):
    """(crow, col, matrix, columns) of an operand, as the operations take it."""
    if isinstance(bsr, sparse_operand.Operand):
        return bsr.crow, bsr.col, bsr.values, None if bsr.shape is None else bsr.shape[-1]
    if adapters.is_torch(bsr) and bsr.layout == torch.sparse_bsr:
        return None, None, bsr, None
    return sparse_operand.parts_of(bsr, name)


def _require_tuple(function, name, matrix):
    if not isinstance(matrix, tuple) or len(matrix) != 3:
        raise NotImplementedError(f"argument '{name}': expected (crow, col, values) where {function} is traced, for fake "
                                  f"tensors, but got {type(matrix).__name__}")
    return matrix


def _flat(spec, given):
    """The operation's arguments, of those of the function that the operation has."""
    for name, kind in spec.parameters.items():
        value = given.get(name)
        if kind == "matrix":
            yield from _parts_of(value, "bsr")
        elif kind == "pattern":
            yield from _require_tuple(spec.function.__name__, name, value)
        else:
            yield (value or "") if kind == "precision" else value


def call(function, given):
    """The result of a public function, by its name, through the operation. given: its arguments by name. Raises
    NotImplementedError for an option that the operation does not have."""
    spec = SPECS[function]
    operation = getattr(torch.ops.sattn, spec.name)
    if spec.arguments is not None:
        return spec.result(operation(*spec.arguments(**given)), given)
    for option in spec.options():
        value = given.get(option)
        if value is not None and value is not False:
            raise NotImplementedError(f"argument '{option}': expected none where {function} is traced, for fake tensors, but "
                                      f"got one of type {type(value).__name__}")
    result = operation(*_flat(spec, given))
    return result if spec.pattern is None else (*given[spec.pattern][:2], result)
