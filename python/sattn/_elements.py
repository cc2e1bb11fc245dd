"""Which element types products multiply, and which their results have: ProductTypes.cpp in the words of Python."""

FLOATS = ("f16", "bf16", "f32")
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
    return ("bf16", "f32") if is_narrow(factor) else FLOATS


def result_of(factor):
    """The element type of a new result."""
    if factor == "i8":
        return "i32"
    return "f32" if is_narrow(factor) else factor


def added_to(factor, out):
    """The element type of what is added to a product."""
    return out if is_narrow(factor) else factor


def scales_of(factor):
    """Element types of what scales rows and columns."""
    return ("f32",) if is_narrow(factor) else (factor, "f32")
