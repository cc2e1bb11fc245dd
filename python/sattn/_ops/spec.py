"""The OpSpec of an operation: all that the package needs to know of it, registered by the operation's file."""

import dataclasses
import functools
import inspect
import typing

from .._arrays import lazy_torch as torch
from .._call import explain

#: Kinds of parameters that an operation of PyTorch has: (its part of the schema, the parameter's type in the stub).
KINDS = {
    "tensor": ("Tensor {0}", "_Array"),
    "tensor?": ("Tensor? {0}", "_Array | None"),
    # A block-sparse operand. crow and col are None where it is a torch.sparse_bsr tensor; columns: of the matrix, or
    # None.
    "matrix": ("Tensor? crow, Tensor? col, Tensor {0}, SymInt? columns", "_Bsr"),
    # (crow, col, values) of a block-sparse matrix, whose crow and col the result has; the first parameter.
    "pattern": ("Tensor crow, Tensor col, Tensor {0}", "Any"),
    # A number, or where a 0-d tensor is given this tensor; see NUMBER_TENSOR.
    "number": ("Scalar {0}", "_Number"),
    "precision": ("str {0}", "_Precision | None"),
    # Lists of pairs in a format, of which p and r may be none, and the parts of a row (scatter_mm.py).
    "pairs": ("str format, Tensor offsets, Tensor q, Tensor? p, Tensor? r, SymInt split", "tuple[Any, ...]"),
}
#: The argument, the last ones of an operation, that has a number's tensor.
NUMBER_TENSOR = "{0}_tensor"
#: The name of an operation's result among what its gradients read.
RESULT = "result"
# Types in the stub of parameters that several functions have, by name.
_TYPES = {"out": "_Array | None", "skip_checks": "bool", "max_grid": "Sequence[int | None] | None",
          "check": "bool | None", "meta": "_Meta | None", "precision": "_Precision | None", "strict": "bool",
          "query": "_Array", "key": "_Array", "value": "_Array", "scale": "_Number | None"}
#: Specs of public functions by the name of these, and all specs.
SPECS, OPERATIONS = {}, []


@dataclasses.dataclass(frozen=True)
class OpSpec:
    """An operation.

    function: the public one; its name is that in `sattn`, and its signature that of the stub and under torch.compile.
    An operation that no public function calls alone has one whose name begins with "_".
    name: of the operation torch.ops.sattn.<name>; "" where PyTorch has none, so that calls break a graph.
    parameters: the kind (in KINDS) of each parameter that the operation has, in the order of `function`. Other
    parameters are options: a call in a graph gives none of them.
    fake: (the operation's arguments) -> new tensors of the results' shapes, types and strides.
    schema, kernel, arguments, result: for operations whose arguments are none of KINDS; each else follows from
    `parameters`.
    schema: of torch.library, without the name. kernel: runs the operation. arguments: (what the function gives
    dispatch.call, by name) -> the operation's arguments. result: (what the operation gives, a dict of the same) -> what
    the function gives.
    form_of: (the function of another spec, a dict of arguments): under torch.compile a call is one of that function.
    explained: of `sattn.explain` (_call/explain.py), or None. is_default: whether it explains arguments without a
    function.
    gradients: for operations of `parameters` whose tensors may require a gradient: the name of each argument that has
    one, and the names of the arguments that it reads, RESULT for the result. Others than these may change before the
    backward pass.
    gradient: (the result's gradient, the names of those wanted, the operation's arguments, and its result where one
    reads it, as attributes) -> a dict of gradients, which are memory of their own or the result's gradient. Of
    arguments that are not read only shapes and types are right. It runs as an operation, <name>_backward, which
    torch/differentiation.py makes, as all that autograd needs.
    backward: for other operations: (the operation) -> what runs in its place for tensors that may require a gradient,
    such as a torch.autograd.Function's apply. Without either those that do are refused.
    written: the parameter that the function writes its result to where it is given, as the operation does not.
    autocast: parameters that torch.autocast casts to its element type, as those of PyTorch's products.
    types, returns: types of parameters by name, and of the result, in the stub.
    """

    function: typing.Callable
    name: str = ""
    parameters: typing.Mapping = dataclasses.field(default_factory=dict)
    fake: typing.Callable | None = None
    schema: str = ""
    kernel: typing.Callable | None = None
    arguments: typing.Callable | None = None
    result: typing.Callable | None = None
    form_of: tuple | None = None
    explained: typing.Callable | None = None
    is_default: bool = False
    gradients: typing.Mapping = dataclasses.field(default_factory=dict)
    gradient: typing.Callable | None = None
    backward: typing.Callable | None = None
    written: str = ""
    autocast: tuple = ()
    types: typing.Mapping = dataclasses.field(default_factory=dict)
    returns: str = "_Array"

    @property
    def pattern(self):
        """The parameter whose crow and col the result has, or None."""
        return next((name for name, kind in self.parameters.items() if kind == "pattern"), None)

    @property
    def reads_result(self):
        """Whether a gradient reads the result."""
        return any(RESULT in read for read in self.gradients.values())

    @property
    def numbers(self):
        """Parameters that may be numbers or 0-d tensors."""
        return [name for name, kind in self.parameters.items() if kind == "number"]

    def schema_of_arguments(self):
        """The operation's arguments in the schema of torch.library."""
        tensors = (f"Tensor? {NUMBER_TENSOR.format(name)}=None" for name in self.numbers)
        return ", ".join([*(KINDS[kind][0].format(name) for name, kind in self.parameters.items()), *tensors])

    def full_schema(self):
        """The schema of torch.library."""
        if self.schema:
            return self.name + self.schema
        return f"{self.name}({self.schema_of_arguments()}) -> Tensor"

    @functools.cached_property
    def options(self):
        """Names of the function's parameters that the operation has not."""
        return [name for name in self._taken() if name not in self.parameters]

    def _taken(self):
        """The function's parameters by name, but for keywords that it refuses, which have no type."""
        return {name: one for name, one in inspect.signature(self.function).parameters.items()
                if one.kind is not one.VAR_KEYWORD or name in self.types}

    def stub(self):
        """The function's declaration, on one line."""
        parts, is_keyword = [], False
        for name, parameter in self._taken().items():
            if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword:
                is_keyword = True
                parts.append("*")
            kind = self.parameters.get(name)
            own = self.types.get(name) or (KINDS[kind][1] if kind else _TYPES[name])
            default = parameter.default
            text = "" if default is parameter.empty else f" = {'...' if isinstance(default, str) else repr(default)}"
            star = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
            parts.append(f"{star}{name}: {own}{text}")
        return f"def {self.function.__name__}({', '.join(parts)}) -> {self.returns}: ..."


def register(spec):
    """Makes the spec known to the package, and returns it."""
    OPERATIONS.append(spec)
    if spec.function.__name__.startswith("_"):
        return spec
    SPECS[spec.function.__name__] = spec
    if spec.explained is not None:
        explain.explained[spec.function] = spec.explained
        if spec.is_default:
            explain.explained[None] = spec.explained
    return spec


def rows_of(crow, matrix):
    """M of an operand as the operation has it."""
    return matrix.shape[-2] if crow is None else (crow.shape[-1] - 1) * matrix.shape[-2]


def operand_batch(crow, matrix, *others):
    """Batch dimensions of an operand as the operation has it, broadcast with others."""
    own = (matrix.shape[:-2],) if crow is None else (crow.shape[:-1], matrix.shape[:-3])
    return torch.broadcast_shapes(*own, *others)


def wide_of(tensor):
    """The type that sums of a tensor's elements have."""
    return torch.float64 if tensor.dtype == torch.float64 else torch.float32


def summed_to(tensor, shape):
    """The sum over what was broadcast from a shape."""
    return tensor.sum_to_size(shape) if tuple(tensor.shape) != tuple(shape) else tensor
