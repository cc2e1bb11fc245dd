"""Programs and operands of sampled_addmm, each case small, seeded and with a name.

Used on the GPU (test_sampled_addmm.py beside this) and on the CPU by test/python/test_sampled_addmm_cpu.py: the same
programs on both targets.
"""

import dataclasses

import numpy as np
from bsr_cases import NARROW, random_array, save, scalar_of, type_of


@dataclasses.dataclass(frozen=True)
class Case:
    """One sampled product. alpha and beta: a number that the program takes at run time, or a text that it has as a
    constant. Batches: of crow and col, of mat1, of mat2, of input and of out (which has all of them)."""

    name: str
    dtype: str = "bf16"
    out: str = ""  # element type of the result; the operands' where empty
    mat2: str = ""  # that of mat2; mat1's where empty
    block: tuple = (64, 64)
    tile: tuple = ()  # the compiler's where empty
    shape: tuple = (256, 200, 320)  # M, K, N
    density: float = 0.4
    alpha: object = 1.0
    beta: object = 0.0
    has_input: bool = False
    batches: tuple = ((), (), (), (), ())
    index: str = "i32"
    static: bool = False
    static_k: bool = False  # K alone
    pad: bool = True  # rows of matrices in multiples of 16 bytes, as TMA needs
    pattern: str = "random"  # or: empty, empty_rows, skewed, duplicates, window
    precision: str = ""  # of f32: tf32, or ieee where empty
    nan_in: tuple = ()  # operands that hold NaN, since they must not be read
    is_transposed: bool = False

    @property
    def out_dtype(self):
        return self.out or self.dtype

    def dtypes(self):
        """Element types by operand's name."""
        return {"crow": self.index, "col": self.index, "mat1": self.dtype, "mat2": self.mat2 or self.dtype,
                "input": self.out_dtype if self.dtype in NARROW else self.dtype, "out": self.out_dtype}

    @property
    def names(self):
        return ["crow", "col", "mat1", "mat2", *(["input"] if self.has_input else []), "out"]


def pattern_of(case, rng):
    """crow and col of one batch, with the same number of blocks in every batch."""
    m, _, n = case.shape
    rows, columns = m // case.block[0], n // case.block[1]
    total = max(1, round(case.density * rows * columns)) if rows * columns and case.pattern != "empty" else 0
    usable = np.arange(rows * columns)
    if case.pattern == "empty_rows":
        usable = usable[(usable // columns) % 3 == 1]
    places = rng.choice(usable, min(total, len(usable)), replace=case.pattern == "duplicates") if total else usable[:0]
    if case.pattern == "skewed":  # one row full
        places = np.union1d(places[places // columns != 1], columns + np.arange(columns))
    rng.shuffle(places)
    places = places[np.argsort(places // max(columns, 1), kind="stable")]  # columns unsorted
    counts = np.bincount(places // max(columns, 1), minlength=rows) if rows else np.zeros(0, int)
    crow, col = np.concatenate([[0], np.cumsum(counts)]), places % max(columns, 1)
    if case.pattern == "window":  # of a larger matrix: blocks before and after have columns of their own
        return crow + 3, np.concatenate([[1 << 20] * 3, col, [-1, 1 << 20]])
    return crow, col


def operands(case, seed=0):
    """Arrays by operand's name."""
    rng = np.random.default_rng(seed)
    m, k, n = case.shape
    storage, mat1, mat2, added, out = case.batches
    index = np.int32 if case.index == "i32" else np.int64

    def random(name, *shape):
        return random_array(rng, shape, case.dtypes()[name])

    patterns = [pattern_of(case, rng) for _ in range(int(np.prod(storage, dtype=int)))]
    arrays = {"crow": np.stack([crow for crow, _ in patterns]).reshape(*storage, -1).astype(index),
              "col": np.stack([col for _, col in patterns]).reshape(*storage, -1).astype(index),
              "mat1": random("mat1", *mat1, m, k),
              "mat2": random("mat2", *mat2, *((n, k) if case.is_transposed else (k, n)))}
    nnz = arrays["col"].shape[-1]
    arrays["input"] = random("input", *added, nnz, *case.block)
    arrays["out"] = random("out", *out, nnz, *case.block)
    for name in case.nan_in:
        arrays[name][...] = np.nan
    return arrays


def program(case, arrays):
    """The text of @f: arguments in the order alpha, beta (those at run time), then tensors."""
    types = {}
    for name in case.names:
        element = case.dtypes()[name]
        if name in ("input", "out"):
            lead = "".join(f"{size if case.static else '?'}x" for size in arrays[name].shape[:-2])
            types[name] = f"tensor<{lead}{case.block[0]}x{case.block[1]}x{element}>"
        else:
            types[name] = type_of(arrays[name].shape, element, case.static)
        if case.static_k and name in ("mat1", "mat2"):
            lead, dims = arrays[name].ndim - 2, ["?", "?"]
            dims[name == "mat1" or case.is_transposed] = str(case.shape[1])
            types[name] = f"tensor<{'?x' * lead}{'x'.join(dims)}x{element}>"
    scalars = [name for name in ("alpha", "beta") if not isinstance(getattr(case, name), str)]
    scalar = scalar_of(case.dtype)
    arguments = [f"%{name}: {scalar}" for name in scalars] + [f"%{name}: {types[name]}" for name in case.names]
    constants = "".join(f"  %{name} = arith.constant {getattr(case, name)} : {scalar}\n"
                        for name in ("alpha", "beta") if name not in scalars)
    inputs = case.names[:4]
    added = f"      input(%input : {types['input']})\n" if case.has_input else ""
    attributes = [f"meta = #sattn.meta<tile = [{', '.join(map(str, case.tile))}]>"] if case.tile else []
    attributes += [f'precision = "{case.precision}"'] if case.precision else []
    attributes += ["transpose_mat2"] if case.is_transposed else []
    attributes = f" {{{', '.join(attributes)}}}" if attributes else ""
    return (f"func.func @f({', '.join(arguments)}) -> {types['out']} {{\n{constants}"
            "  %0 = sattn.sampled_addmm alpha(%alpha) beta(%beta)\n"
            f"      ins({', '.join(f'%{name}' for name in inputs)} : {', '.join(types[name] for name in inputs)})\n"
            f"{added}      outs(%out : {types['out']}){attributes} -> {types['out']}\n"
            f"  return %0 : {types['out']}\n}}\n")


def arguments(case, arrays, folder):
    """The operands as files, in the order of the program's arguments."""
    result = [str(getattr(case, name)) for name in ("alpha", "beta") if not isinstance(getattr(case, name), str)]
    for name in case.names:
        path = str(save(folder / f"{name}.npy", arrays[name]))
        columns, multiple = arrays[name].shape[-1], 16 // arrays[name].itemsize
        if name in ("mat1", "mat2") and case.pad and columns % multiple:
            path += f":ld={-(-columns // multiple) * multiple}"
        result.append(path)
    return result


def narrow_cases():
    """Factors of 8 bits, in both layouts of mat2."""
    kinds = {"i8": {"dtype": "i8", "out": "i32"}, "i8-bf16": {"dtype": "i8", "out": "bf16"},
             "e4m3": {"dtype": "f8E4M3FN", "out": "bf16"},
             "e5m2-e4m3": {"dtype": "f8E5M2", "mat2": "f8E4M3FN", "out": "f32"},
             "e4m3-e5m2": {"dtype": "f8E4M3FN", "mat2": "f8E5M2", "out": "bf16"}}
    found = []
    for kind, types in kinds.items():
        for is_transposed in (False, True):
            suffix = "-transposed" * is_transposed
            for block in ((8, 8), (16, 16), (24, 40), (64, 64), (128, 128)):
                found.append(Case(f"{kind}-{block[0]}x{block[1]}{suffix}", block=block, is_transposed=is_transposed,
                                  shape=(4 * block[0], 200, 5 * block[1]), beta=0.5, has_input=True, **types))
            for k in (0, 1, 16, 129):
                found.append(Case(f"{kind}-k{k}{suffix}", shape=(320, k, 448), beta=1.0, is_transposed=is_transposed, **types))
        for alpha, beta in (("1.0", "0.0"), ("1.0", "1.0"), (1.0, 1.0), (0.0, 2.0), (0.125, 0.0)):
            found.append(Case(f"{kind}-alpha-{alpha!r}-beta-{beta!r}", shape=(320, 200, 448), alpha=alpha, beta=beta, **types))
        found.append(Case(f"{kind}-batches", batches=((1, 3), (2, 1), (3,), (2, 3), (2, 3)), has_input=True, beta=1.0,
                          shape=(128, 72, 192), **types))
        found.append(Case(f"{kind}-empty-rows", pattern="empty_rows", beta=1.0, **types))
    return found


def cases():
    """The cases that both targets take."""
    found = []
    for block in ((8, 8), (16, 16), (24, 40), (32, 32), (48, 96), (64, 64), (64, 128), (128, 64), (128, 128),
                  (256, 192), (136, 8)):
        for dtype in ("bf16", "f16"):
            found.append(Case(f"{dtype}-{block[0]}x{block[1]}", dtype=dtype, block=block,
                              shape=(4 * block[0], 200, 5 * block[1]), beta=0.5, has_input=dtype == "f16"))
    base = Case("", shape=(320, 200, 448), beta=0.5)
    variants = {
        "plain": {}, "transposed": {"is_transposed": True}, "i64": {"index": "i64"}, "f32-result": {"out": "f32"},
        "static": {"static": True}, "static-transposed": {"static": True, "is_transposed": True},
        "empty": {"pattern": "empty"}, "empty-rows": {"pattern": "empty_rows"}, "skewed": {"pattern": "skewed"},
        "duplicates": {"pattern": "duplicates", "density": 0.9}, "window": {"pattern": "window", "beta": 0.25},
        "window-infinite-alpha": {"pattern": "window", "alpha": float("inf"), "nan_in": ("mat1",)},
        "one-row": {"shape": (64, 200, 448)}, "one-column": {"shape": (320, 200, 64)},
        "no-rows": {"shape": (0, 200, 448)}, "many-rows": {"shape": (64 * 65, 40, 128), "density": 0.05},
        "k1": {"shape": (320, 1, 448)}, "k8": {"shape": (320, 8, 448)}, "k64": {"shape": (320, 64, 448)},
        "k65": {"shape": (320, 65, 448)}, "k0": {"shape": (320, 0, 448), "alpha": float("inf")},
        "k1000": {"shape": (128, 1000, 192)}, "unpadded": {"pad": False, "shape": (320, 203, 448)},
        "unpadded-transposed": {"pad": False, "shape": (320, 203, 448), "is_transposed": True},
        "beta-0": {"beta": 0.0, "nan_in": ("out",)}, "beta-0-constant": {"beta": "0.0", "nan_in": ("out",)},
        "beta-0-input": {"beta": 0.0, "has_input": True, "nan_in": ("input", "out")},
        "beta-1-constant": {"beta": "1.0", "has_input": True},
        "alpha-0": {"alpha": 0.0, "nan_in": ("mat1", "mat2")},
        "alpha-0-constant": {"alpha": "0.0", "nan_in": ("mat1", "mat2")},
        "alpha-beta-0": {"alpha": "0.0", "beta": "0.0", "nan_in": ("mat1", "mat2", "out")},
        "alpha": {"alpha": -1.5, "has_input": True}, "alpha-constant": {"alpha": "2.5", "beta": "0.0"},
        "batch": {"batches": ((3,), (3,), (3,), (3,), (3,)), "has_input": True},
        "batch-of-matrices": {"batches": ((), (3,), (), (), (3,)), "has_input": True},
        "batch-2d": {"batches": ((1, 3), (2, 1), (3,), (2, 3), (2, 3)), "has_input": True, "shape": (128, 72, 192)},
        "parts": {"block": (128, 128), "tile": (64, 64, 32), "shape": (256, 200, 384)},
        "parts-of-32": {"block": (64, 64), "tile": (32, 32, 64)},
    }
    # Stored blocks of a CTA.
    several = {name: variants[name] for name in (
        "plain", "transposed", "i64", "static", "empty", "empty-rows", "skewed", "duplicates", "window",
        "window-infinite-alpha", "one-row", "one-column", "no-rows", "many-rows", "k0", "k65", "k1000", "unpadded", "beta-0",
        "beta-1-constant", "alpha-0", "alpha", "batch-2d")}
    variants |= {f"blocks-of-4-{name}": changes | {"tile": (64, 256, 64)} for name, changes in several.items()}
    variants |= {f"{count}-blocks-of-{rows}x{columns}": {
        "block": (rows, columns), "tile": (min(rows, 128), count * columns, 64), "shape": (4 * rows, 200, 5 * columns)}
        for rows, columns, count in ((128, 128, 2), (64, 64, 3), (64, 128, 2), (128, 64, 2), (256, 64, 2), (16, 32, 4), (8, 8, 8))}
    # Runs of blocks, where all of K is one step.
    runs = {name: variants[name] for name in (
        "plain", "transposed", "i64", "f32-result", "static", "empty", "empty-rows", "skewed", "duplicates", "window",
        "window-infinite-alpha", "one-row", "one-column", "no-rows", "unpadded", "alpha-0", "alpha-0-constant", "batch-2d")}
    for name, changes in runs.items():
        m, _, n = changes.get("shape", base.shape)
        # Fewer blocks than CTAs run at one time have runs of one.
        if name in ("plain", "transposed", "i64", "f32-result", "static", "window"):
            m, n, changes = 1792, 1792, {**changes, "density": 0.8}
        changes = {"tile": (64, 256, 128), **changes, "beta": "0.0", "has_input": False, "static_k": "static" not in name,
                   "shape": (m, 123 if name == "unpadded" else 128, n), "nan_in": (*changes.get("nan_in", ()), "out")}
        variants[f"run-{name}"] = changes
    variants |= {f"run-{count}-of-{rows}x{columns}-k{k}": {
        "block": (rows, columns), "tile": (rows, count * columns, depth), "shape": (30 * rows, k, 25 * columns), "beta": "0.0",
        "density": 0.9, "static_k": True} for rows, columns, count, k, depth in (
            (64, 64, 8, 128, 128), (64, 64, 32, 64, 64), (64, 64, 2, 16, 64), (128, 128, 2, 128, 128), (128, 64, 4, 128, 128),
            (32, 32, 4, 64, 64), (16, 16, 8, 40, 64), (64, 128, 2, 72, 128))}
    return found + [dataclasses.replace(base, name=name, **changes) for name, changes in variants.items()]
