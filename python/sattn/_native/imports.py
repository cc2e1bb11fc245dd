"""Actions that run once another library is imported, by any code."""

import importlib.abc
import sys


class _Watch(importlib.abc.MetaPathFinder):
    """Finds a module as the other finders do, and calls functions with it after it was executed."""

    def __init__(self, name):
        self.name, self.functions = name, []

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
            for function in self.functions:
                function(module)

        spec.loader.exec_module = execute_and_call
        return spec


def when_imported(name, function):
    """Calls function(module) once the module is imported: now, if it is."""
    module = sys.modules.get(name)
    if module is not None:
        function(module)
        return
    # One for all functions: two would ask each other without end.
    watch = next((one for one in sys.meta_path if type(one) is _Watch and one.name == name), None)
    if watch is None:
        sys.meta_path.insert(0, watch := _Watch(name))
    watch.functions.append(function)
