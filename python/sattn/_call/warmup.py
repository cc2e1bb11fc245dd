"""Programs compiled before they are needed."""

import concurrent.futures
import os

from .._compiler import compiler, program_log
from .._native.c_arguments import integer
from . import cache


def warmup(*calls, log=None, workers=None):
    """Compiles what calls need before they are made, several programs at a time.

    calls: callables without arguments, such as `functools.partial(model, x)` or a step of training with example data.
    Each is called once, for real, in a thread; its result is dropped. log: the path of a log of programs, which a
    process with the environment variable SATTN_PROGRAM_LOG set to a path has written: a line for each program that it
    needed. They are compiled for the CPU and the CUDA devices that it names, without a call, while the calls run.
    workers: threads for calls and as many for programs; None: the processors.

    What is compiled is kept in this process, and on disk for others (`sattn.cache`). Returns the number of programs
    that the disk cache lacked. Raises TypeError or ValueError for arguments that are not what they should be, OSError
    where the log cannot be read, NotImplementedError for a program of the log that its target has no code for, and what
    the calls raise, after all others are done.
    """
    for number, call in enumerate(calls):
        if not callable(call):
            raise TypeError(f"argument 'calls': expected callables without arguments, but got {type(call).__name__} at "
                            f"{number}: write functools.partial(function, *arguments)")
    workers = (os.cpu_count() or 1) if workers is None else integer("workers", workers)
    if workers < 1:
        raise ValueError(f"argument 'workers': expected a positive number, but got {workers}")
    texts = [] if log is None else program_log.read(log)
    lacked = cache.info().disk.misses
    with (concurrent.futures.ThreadPoolExecutor(workers, "sattn-compile") as compilers,
          concurrent.futures.ThreadPoolExecutor(workers, "sattn-warmup") as callers):
        futures = [*cache.begin_texts(texts, compilers), *map(callers.submit, calls)]
    for future in futures:
        try:
            future.result()
        except compiler.CompileError as error:
            raise NotImplementedError(cache.reason(error)) from None
    return cache.info().disk.misses - lacked
