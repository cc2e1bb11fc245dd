"""The package's operations, a file each. All of them are imported: a file's functions are public by their OpSpec (spec.py)."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
