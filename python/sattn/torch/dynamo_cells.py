"""Reading cells, and the modules of functions, under torch.compile.

A function that is made while torch.compile traces may capture a variable of a function around the traced one. Dynamo knows
the content of that cell, since the function itself reads it, but not as its attribute `cell_contents`. This adds that, in
the two forms that PyTorch's versions have for attributes, and nothing where they have neither. Nor does every version know
the `__module__` of such a function, which is that of its globals.
"""


def make_readable():
    _cells_readable()
    _functions_readable()


def _functions_readable():
    try:
        from torch._dynamo.variables import ConstantVariable, base
        from torch._dynamo.variables.functions import NestedUserFunctionVariable
    except ImportError:
        return
    if hasattr(base, "GetSet") or not hasattr(NestedUserFunctionVariable, "var_getattr"):
        return
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


def _cells_readable():
    try:
        from torch._dynamo.variables import base
        from torch._dynamo.variables.misc import CellVariable
    except ImportError:
        return

    def contents(cell, compiler):
        """What the cell had before the trace; None: ask Dynamo, which knows of what the trace has written."""
        try:
            if compiler.output.side_effects.has_pending_mutation_of_attr(cell, "cell_contents"):
                return None
            return cell.pre_existing_contents
        except AttributeError:
            return None

    if hasattr(base, "GetSet") and "tp_getset" not in vars(CellVariable):
        CellVariable.tp_getset = {"cell_contents": base.GetSet(contents, lambda cell, compiler, value: None)}
    elif hasattr(CellVariable, "var_getattr"):
        own = CellVariable.var_getattr

        def var_getattr(self, tx, name):
            found = contents(self, tx) if name == "cell_contents" else None
            return own(self, tx, name) if found is None else found

        CellVariable.var_getattr = var_getattr
