"""The package's operations, a file each. All of them are imported: a file's functions are public by their OpSpec
(spec.py)."""

import importlib
from pathlib import Path

for _file in sorted(Path(__file__).parent.glob("*.py")):
    if _file.stem != "__init__":
        importlib.import_module(f"{__name__}.{_file.stem}")
