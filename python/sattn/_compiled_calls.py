"""How torch.compile is told of the package's functions. It imports PyTorch's compiler no sooner than others do."""

from pathlib import Path

#: Modules that torch.compile traces. All others it leaves to Python: it cannot trace what they do with memory. (That of the
#: package itself has no functions, and would stand for all.)
TRACED = "__init__", "_compiled", "_masks", "nn"


def connect(dynamo):
    """Has torch.compile, whose module torch._dynamo is, make a node of a graph of each call that has an operation
    (_compiled.py), and break its graph at other functions of the package."""
    from . import _bsr, _cells

    add = getattr(getattr(dynamo, "trace_rules", None), "add", None)
    if add is None:
        return
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem not in TRACED:
            add(f"{__package__}.{path.stem}")
    # Nor what is imported for a new kind of call; one that is remembered calls nothing of others.
    _bsr._with_memory = dynamo.disable(_bsr._with_memory)
    _cells.make_readable()
    from . import _compiled  # noqa: F401
