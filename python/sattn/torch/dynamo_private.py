"""All that depends on classes and modules of PyTorch's compiler that are private, by its version.

A function that is made while torch.compile traces may capture a variable of a function around the traced one. Dynamo
knows the content of that cell, since the function itself reads it, but not as its attribute `cell_contents`; nor does
every version know the parts of such a function, or its `__module__`, which is that of its globals. `connect` adds both
to the versions in KNOWN. In others it changes no class: what reads such a cell breaks the graph, and the call runs as
it is.
"""

import torch

#: The first and the last version whose classes were looked at; test_dynamo_private.py says what to look at in another
#: one.
KNOWN = (2, 11), (2, 15)
VERSION = tuple(map(int, torch.__version__.split(".")[:2]))
#: Whether Dynamo guards an attribute that is read of a class; one of an older PyTorch keeps its first value.
GUARDS_CLASSES = VERSION >= (2, 15)


def is_known():
    """Whether this PyTorch is one in KNOWN."""
    return KNOWN[0] <= VERSION <= KNOWN[1]


def connect(compiler, modules):
    """Has torch.compile, whose module torch._dynamo is, leave these modules to Python, by their names, and read
    cells."""
    for module in modules:
        compiler.trace_rules.add(module)
    if not is_known():
        return
    from torch._dynamo.variables import base

    if hasattr(base, "GetSet"):  # Variables have tables of attributes in the place of var_getattr.
        _add_table_of_cells()
    else:
        _add_attributes_of_cells()
        _add_parts_of_functions()


def _contents(cell, compiler):
    """The cell's value before the trace; None: ask Dynamo, which knows of what the trace has written."""
    try:
        if compiler.output.side_effects.has_pending_mutation_of_attr(cell, "cell_contents"):
            return None
        return cell.pre_existing_contents
    except AttributeError:
        return None


def _add_table_of_cells():
    from torch._dynamo.variables import base
    from torch._dynamo.variables.misc import CellVariable

    if "tp_getset" not in vars(CellVariable):
        CellVariable.tp_getset = {"cell_contents": base.GetSet(_contents, lambda cell, compiler, value: None)}


def _add_attributes_of_cells():
    from torch._dynamo.variables.misc import CellVariable

    own = CellVariable.var_getattr

    def var_getattr(self, tx, name):
        found = _contents(self, tx) if name == "cell_contents" else None
        return own(self, tx, name) if found is None else found

    CellVariable.var_getattr = var_getattr


def _add_parts_of_functions():
    from torch._dynamo.variables import ConstantVariable
    from torch._dynamo.variables.functions import NestedUserFunctionVariable

    own = NestedUserFunctionVariable.var_getattr
    parts = {"__closure__": "closure", "__code__": "code", "__defaults__": "defaults", "__kwdefaults__": "kwdefaults"}

    def var_getattr(self, tx, name):
        is_set = tx.output.side_effects.has_pending_mutation_of_attr(self, name)
        if name == "__module__" and not is_set:
            return ConstantVariable.create(self.f_globals.get("__name__"))
        if name in parts and not is_set:
            return getattr(self, parts[name]) or ConstantVariable.create(None)
        return own(self, tx, name)

    NestedUserFunctionVariable.var_getattr = var_getattr
