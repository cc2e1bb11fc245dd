from typing import Any, NamedTuple

class Disk(NamedTuple):
    folder: str | None
    entries: int
    bytes: int
    hits: int
    misses: int

class Info(NamedTuple):
    kernels: int
    compilations: int
    choices: int
    disk: Disk

calls: dict[Any, Any]

def info() -> Info: ...
def clear(disk: bool = False) -> None: ...
def chosen(source: Any, target: str | int, sizes: tuple[int, int, int], nnz: int, batches: int = 1,
           row: tuple[str, ...] = (), longest: int | None = None) -> str: ...
def reason(error: Exception) -> str: ...
def begin(source: Any, target: str | int) -> None: ...
def program(source: Any, target: str | int) -> Any: ...
