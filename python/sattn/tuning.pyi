from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from os import PathLike
from typing import Any

__all__ = ["Problem", "Tuned", "create_blocked_tensor", "dump", "get_meta", "minimize", "optimize_bsr_dense_addmm",
           "optimize_scatter_mm", "record", "tune", "tune_bsr_dense_addmm", "update"]

@dataclass(frozen=True)
class Problem:
    op: str
    facts: tuple[tuple[str, float | str], ...]

@dataclass(frozen=True)
class Tuned:
    problem: str
    device: str
    parameters: dict[str, int]
    is_default: bool
    milliseconds: float
    default_milliseconds: float
    tried: int
    failed: int

def record() -> AbstractContextManager[list[Problem]]: ...
def tune(call: Callable[..., Any] | Sequence[Problem], *arguments: Any, target: str | None = None, device: int = 0,
         effort: str = "normal", budget: float | None = None, table: str | PathLike[str] | None = None,
         progress: bool = False, **named: Any) -> list[Tuned]: ...

def get_meta(op: str, key: Sequence[int | str], device_name: str | None = None, version: tuple[int, Any, float] = ...,
             exact: bool = False) -> dict[Any, Any] | None: ...
def update(op: str, device_name: str, version: tuple[int, Any, float], key: Sequence[int],
           value: Sequence[int] | Mapping[str, int | Sequence[int]]) -> None: ...
def dump(path: str | PathLike[str] | None = None) -> None: ...
def minimize(target_func: Callable[[dict[str, int]], float], initial_parameters: dict[str, int],
             reference_parameters: dict[str, int], step_func: Callable[[str, int, int, dict[str, int]], int],
             max_step: int = 2, verbose: bool = False,
             all_values: MutableMapping[tuple[int, ...], float | str] | None = None) -> tuple[dict[str, int], float, float, str]: ...
def create_blocked_tensor(B: int, M: int, N: int, blocksize: tuple[int, int], sparsity: float, dtype: Any, device: Any) -> Any: ...
def tune_bsr_dense_addmm(input: Any, bsr: Any, dense: Any, *, beta: Any = 1, alpha: Any = 1, left_alpha: Any = None,
                         right_alpha: Any = None, out: Any = None, store: bool = False, verbose: bool = False,
                         force: bool = False) -> dict[str, Any]: ...
def optimize_bsr_dense_addmm(m: int, k: int, n: int, bm: int, bk: int, beta: Any = 1, alpha: Any = 1, dtype: Any = ...,
                             device: Any = ..., sparsity: float = 0.5, force: bool = False, verbose: bool = False) -> None: ...
def optimize_scatter_mm(m: int, k: int, n: int, bm: int, bk: int, dtype: Any = ..., device: Any = ..., sparsity: float = 0.5,
                        force: bool = False) -> None: ...
