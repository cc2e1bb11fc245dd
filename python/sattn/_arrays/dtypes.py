"""Which element types products multiply, and which their results have: ProductTypes.cpp in the words of Python."""

# Floats of GPUs, and of results that the CPU rounds to.
SMALL_FLOATS = ("f16", "bf16", "f32")
FLOATS = (*SMALL_FLOATS, "f64")
NARROW_FLOATS = ("f8E4M3FN", "f8E5M2")
FACTORS = (*FLOATS, "i8", *NARROW_FLOATS)
# Names that libraries have for what is stored in 8 bits.
LIBRARY_NAMES = {"float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2"}


def is_narrow(factor):
    """Whether results of products have another element type than the factors."""
    return factor == "i8" or factor in NARROW_FLOATS


def others_of(factor):
    """Element types that are multiplied with `factor`."""
    return NARROW_FLOATS if factor in NARROW_FLOATS else (factor,)


def results_of(factor):
    """Element types that a product's result may have."""
    if factor == "i8":
        return ("i32", "bf16", "f32")
    if factor == "f64":
        return ("f64",)
    return ("bf16", "f32") if is_narrow(factor) else SMALL_FLOATS


def result_of(factor):
    """The element type of a new result."""
    if factor == "i8":
        return "i32"
    return "f32" if is_narrow(factor) else factor


def added_to(factor, out):
    """The element type of what is added to a product."""
    return out if is_narrow(factor) else factor


def bytes_of(float):
    """Bytes of an element of one of FLOATS."""
    return int(float.lstrip("bf")) // 8


def scalar_of(factor):
    """The type of scalars that products, and what they are in an attention, are multiplied by."""
    return "f64" if factor == "f64" else "f32"


def require_kernels(name, element, on_gpu):
    """Raises NotImplementedError for an argument whose elements have no kernels on CUDA."""
    if on_gpu and element == "f64":
        raise NotImplementedError(f"argument '{name}': expected elements of f16, bf16, f32 or of 8 bits on CUDA, since "
                                  "f64 has kernels for the CPU alone, but got f64")


def require_precision(precision):
    """Raises ValueError for an argument 'precision' that is no precision."""
    if precision is not None and not (isinstance(precision, str) and precision in ("ieee", "tf32")):
        raise ValueError(f"argument 'precision': expected None, 'ieee' or 'tf32', but got {precision!r}")


def precision_of(factor, precision, on_gpu):
    """The op's precision: only of f32 on CUDA does it make a difference."""
    return precision if factor == "f32" and on_gpu and precision is not None else "ieee"


def scales_of(factor):
    """Element types of what scales rows and columns."""
    return ("f32",) if is_narrow(factor) else (factor, "f32")
