"""Texts of programs: a module of one function that is one op of `sattn`."""


def quoted(name):
    """A name of the user's as a string of a program."""
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else "?" for c in name) + '"'


def listed(names, types):
    """Operands with their types: "%a, %b : A, B". types: by name."""
    return f"{', '.join(f'%{name}' for name in names)} : {', '.join(types[name] for name in names)}"


def dictionary(attributes):
    """A dictionary of attributes, with a blank before it, or "" where there are none. attributes: texts."""
    return f" {{{', '.join(attributes)}}}" if attributes else ""


def meta_and_precision(source):
    """The attributes of a source's `meta`, the inside of #sattn.meta<...> or "", and of its `precision`, where it has
    one."""
    attributes = [f"meta = #sattn.meta<{source.meta}>"] if getattr(source, "meta", "") else []
    precision = getattr(source, "precision", "ieee")
    return attributes + [f'precision = "{precision}"'] * (precision != "ieee")


def function(name, types, names, results, values, body):
    """The module: one function of arguments with these types and callers' names, by their names in the text, that
    returns values. results: their types. body: lines."""
    arguments = ", ".join(f"%{own}: {type}" for own, type in types.items())
    callers = ", ".join(quoted(names.get(own, own)) for own in types)
    returned = ", ".join(results)
    return (f"func.func @{name}({arguments}) -> ({returned})\n    attributes {{sattn.names = [{callers}]}} {{\n{body}"
            f"  return {', '.join(values)} : {returned}\n}}\n")


def program(op, types, operands, attributes=(), *, outs=("out",), names=None, constants="", tail=None):
    """The module: one function @op, which returns the new contents of `outs`, its last arguments.

    types: the type of each argument, in order. operands: what the op has before outs. attributes: of the op. names:
    callers' names of arguments by those in the text, where they are others. constants: lines before the op. tail: what
    stands after the types of outs, before the attributes, in an op that has regions; else attributes stand before those
    types.
    """
    results = [types[name] for name in outs]
    values = ["%0"] if len(outs) == 1 else [f"%0#{place}" for place in range(len(outs))]
    own, returned = dictionary(attributes), ", ".join(results)
    end = f"{own} -> {returned}" if tail is None else f" -> {returned}\n      {tail}{own}"
    return function(op, types, names or {}, results, values,
                    f"{constants}  %0{f':{len(outs)}' if len(outs) > 1 else ''} = sattn.{op}{operands}\n"
                    f"      outs({listed(outs, types)}){end}\n")


class Arguments:
    """The arguments of a program while its text is written: types, and callers' names, by their names in the text."""

    def __init__(self, types=(), names=()):
        self.types, self.names = dict(types), dict(names)

    def clause(self, keyword, types, callers=()):
        """Adds arguments; gives the op's clause of them, or "" where there are none. callers: their callers' names, in
        order, where they are others."""
        self.types |= types
        self.names |= zip(types, callers)
        return f" {keyword}({listed(types, types)})" if types else ""
