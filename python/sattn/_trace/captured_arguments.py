"""Captured values (_trace/capturing.py) as arguments of kernels."""

import numpy as np

from .._arrays import adapters, lazy_torch as torch, plain, stand_ins
from . import regions


# Types that captures are converted to.
_PASSED = {"i32": "int32", "i64": "int64", "f32": "float32"}


def _passed_capture(capture, value, arrays, has_gradient, wide):
    """A captured array in the type and on the device of the kernel. has_gradient: whether PyTorch may want one of
    it."""
    wanted = regions.passed_element(capture.element, wide)
    if wanted == capture.element:  # The common case.
        if arrays is adapters.NUMPY and type(value) is np.ndarray and value.flags.aligned:
            return arrays.passed(value)
        if plain.is_in_memory(value) and value.device == arrays.device and not value.requires_grad:
            return value
    on_gpu = arrays.on_gpu
    if isinstance(value, np.ndarray):
        own = adapters.arrays_of(capture.name, value)
        if capture.element in ("bool", "u8"):
            value = value.view(np.int8)
        elif wanted != capture.element:
            value = value.astype(_PASSED[wanted])
        if not on_gpu:
            return own.passed(value)
        value = own.passed(value)
        tensor = torch.from_numpy(np.ascontiguousarray(value))
        return tensor.view(torch.bfloat16).to(arrays.device) if capture.element == "bf16" else \
            tensor.to(arrays.device)
    if has_gradient:
        adapters.require_no_derivative(capture.name, value)
    stand_ins.refuse(capture.name, value)
    if value.device != arrays.device:
        if value.device.type != "cpu":
            raise ValueError(f"argument '{capture.name}': expected a captured tensor in the memory of query, "
                             f"{arrays.description}, but got one on {value.device}")
        if on_gpu:
            value = value.to(arrays.device)
    if capture.element in ("bool", "u8"):
        value = value.view(torch.int8)
    elif wanted != capture.element:
        value = value.to(getattr(torch, _PASSED[wanted]))
    return value.detach() if value.requires_grad else value


def captured(function, values, arrays, wide="f32", is_guarded=False):
    """The kernel's arguments for the captures of a function. wide: the type of scores, "f32" or "f64". is_guarded:
    whether tensors that are passed as they are will be checked by the binding."""
    found = []
    for capture, value in zip(function.captures, values):
        kind = capture.kind
        if kind == "array":
            if is_guarded and type(value) in plain.TYPES and value.is_cuda == arrays.on_gpu \
                    and regions.passed_element(capture.element, wide) == capture.element:
                found.append(value)
            else:
                found.append(_passed_capture(capture, value, arrays, function.kind == "score_mod", wide))
        elif kind == "float" or kind == "small":
            found.append(value)
        else:
            found += regions.numbers_of(capture, value)
    return found
