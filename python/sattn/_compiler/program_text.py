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


def program(op, types, operands, attributes=(), *, outs=("out",), names=None, constants="", tail=None):
    """The module: one function @op, which returns the new contents of `outs`, its last arguments.

    types: the type of each argument, in order. operands: what the op has before outs. attributes: of the op. names:
    callers' names of arguments by those in the text, where they are others. constants: lines before the op. tail: what
    stands after the types of outs, before the attributes, in an op that has regions; else attributes stand before those
    types.
    """
    results = ", ".join(types[name] for name in outs)
    values = "%0" if len(outs) == 1 else ", ".join(f"%0#{place}" for place in range(len(outs)))
    arguments = ", ".join(f"%{name}: {own}" for name, own in types.items())
    callers = ", ".join(quoted((names or {}).get(name, name)) for name in types)
    own = dictionary(attributes)
    end = f"{own} -> {results}" if tail is None else f" -> {results}\n      {tail}{own}"
    return (f"func.func @{op}({arguments}) -> ({results})\n    attributes {{sattn.names = [{callers}]}} {{\n{constants}"
            f"  %0{f':{len(outs)}' if len(outs) > 1 else ''} = sattn.{op}{operands}\n"
            f"      outs({listed(outs, types)}){end}\n  return {values} : {results}\n}}\n")
