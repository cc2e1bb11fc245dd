"""Actions that run once another library is imported, by any code."""

import importlib.abc
import sys


class _Watch(importlib.abc.MetaPathFinder):
    """Finds a module as the other finders do, and calls a function with it after it was executed."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.name:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(fullname, path, target) if finder is not self else None
            if spec is not None:
                break
        else:
            return None
        execute = getattr(spec.loader, "exec_module", None)
        if execute is None:
            return spec

        def execute_and_call(module):
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            self.function(module)

        spec.loader.exec_module = execute_and_call
        return spec


def when_imported(name, function):
    """Calls function(module) once the module is imported: now, if it is."""
    module = sys.modules.get(name)
    if module is None:
        sys.meta_path.insert(0, _Watch(name, function))
    else:
        function(module)
