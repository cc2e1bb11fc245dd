#!/usr/bin/env python3
"""Random programs of upstream's ops, called with arrays whose extents fit together and others.

    ./dev run python test/python/random_extents.py [--seeds N] [--first SEED] [--target sm_90a]

A call either computes what the program means, by NumPy, or raises a ValueError that names an argument. It may do
either where extents do not fit in what the result does not depend on. Arrays lie between pages that end the process
when they are touched, so this runs in a process of its own. A seed that fails is named; --first SEED --seeds 1 --print
shows its program. The first seeds are a test (test_extents_fuzz.py).
"""

import argparse
import collections
import ctypes
import mmap
import sys

import numpy as np

CANARY = 0x5A
PAGE, PROT_NONE = mmap.PAGESIZE, 0


class Misfit(Exception):
    """Extents for which a program means nothing."""


def need(holds):
    if not holds:
        raise Misfit


class Guarded:
    """A float32 array between pages that cannot be touched, at the end of its own or at their begin."""

    def __init__(self, data, at_end):
        size = data.nbytes
        inner = max(1, -(-size // PAGE)) * PAGE
        self.memory = mmap.mmap(-1, inner + 2 * PAGE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        libc = ctypes.CDLL(None, use_errno=True)
        for guard in (address, address + PAGE + inner):
            assert libc.mprotect(ctypes.c_void_p(guard), PAGE, PROT_NONE) == 0
        begin = PAGE + (inner - size if at_end else 0)
        self.bytes = np.frombuffer(self.memory, np.uint8, inner, PAGE)
        self.bytes[:] = CANARY
        self.array = np.frombuffer(self.memory, np.float32, data.size, begin).reshape(data.shape)
        self.array[...] = data
        self.inside = slice(begin - PAGE, begin - PAGE + size)

    def is_intact(self):
        outside = np.ones(len(self.bytes), bool)
        outside[self.inside] = False
        return bool((self.bytes[outside] == CANARY).all())


class Tensor:
    """A value of a program: its name, its shape in the call that fits, and what computes it from the arguments."""

    def __init__(self, name, shape, compute):
        self.name, self.shape, self.compute = name, tuple(shape), compute

    @property
    def rank(self):
        return len(self.shape)

    @property
    def type(self):
        return f"tensor<{'?x' * self.rank}f32>"


class Number:
    def __init__(self, name, value, compute):
        self.name, self.value, self.compute = name, value, compute


class Program:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.lines, self.used = [], []
        self.count = 0
        self.arguments, self.tensors = [], []
        extents = [int(n) for n in self.rng.integers(1, 9, 3)]
        for _ in range(self.pick(2, 3, 4)):
            rank = self.pick(1, 2, 2)
            self.argument([int(self.rng.choice(extents)) for _ in range(rank)])
        for _ in range(self.pick(1, 2, 3, 4)):
            self.random_op()
        self.finish()

    # Choices and names.
    def pick(self, *of):
        return of[int(self.rng.integers(len(of)))]

    def below(self, end):
        return int(self.rng.integers(end))

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append("    " + text)

    def tensor(self, rank=None, where=lambda shape: True):
        """A tensor at random, or None."""
        found = [t for t in self.tensors if (rank is None or t.rank == rank) and where(t.shape)]
        return self.pick(*found) if found else None

    # Numbers.
    def constant(self, value):
        name = self.fresh()
        self.line(f"{name} = arith.constant {value} : index")
        return Number(name, value, lambda env: value)

    def dim(self, tensor, dimension):
        name, index = self.fresh(), self.constant(dimension)
        self.line(f"{name} = tensor.dim {tensor.name}, {index.name} : {tensor.type}")
        return Number(name, tensor.shape[dimension], lambda env: env(tensor).shape[dimension])

    def number(self, value):
        """A number that is `value` in the call that fits."""
        found = [(t, i) for t in self.tensors for i, n in enumerate(t.shape) if n == value]
        way = self.below(4)
        if way == 0 or not self.tensors:
            return self.constant(value)
        if found and way == 1:
            return self.dim(*self.pick(*found))
        tensor = self.tensor(where=len)
        other = self.dim(tensor, self.below(tensor.rank))
        name = self.fresh()
        if way == 2:
            difference = self.constant(value - other.value)
            self.line(f"{name} = arith.addi {other.name}, {difference.name} : index")
            return Number(name, value, lambda env: other.compute(env) + difference.value)
        factor = self.pick(2, 3)
        rest = self.constant(value - other.value * factor)
        self.line(f"{name} = affine.apply affine_map<(d0)[s0] -> (d0 * {factor} + s0)>({other.name})[{rest.name}]")
        return Number(name, value, lambda env: other.compute(env) * factor + rest.value)

    # Tensors.
    def argument(self, shape):
        index = len(self.arguments)
        types = [n if self.rng.random() < 0.15 else None for n in shape]
        self.arguments.append((shape, types))
        declared = "x".join("?" if n is None else str(n) for n in types)
        self.tensors.append(Tensor(f"%a{index}", shape, lambda env: env.arguments[index]))
        if any(n is not None for n in types):
            self.line(f"%a{index} = tensor.cast %s{index} : tensor<{declared}xf32> to {self.tensors[-1].type}")
        return f"%{'s' if any(n is not None for n in types) else 'a'}{index}: tensor<{declared}xf32>"

    def add(self, text, shape, compute):
        result = Tensor(self.fresh(), shape, compute)
        self.line(f"{result.name} = {text}")
        self.tensors.append(result)
        return result

    def sizes(self, shape):
        return [self.number(n) for n in shape]

    def empty(self, shape):
        sizes = self.sizes(shape)

        def compute(env):
            values = [size.compute(env) for size in sizes]
            need(all(n >= 0 for n in values) and np.prod(values, dtype=object) < 10**6)
            return np.zeros(values, np.float32)
        result = Tensor(self.fresh(), shape, compute)
        self.line(f"{result.name} = tensor.empty({', '.join(s.name for s in sizes)}) : {result.type}")
        return result

    def generic(self, maps, iterators, inputs, out, body, shape, compute):
        dims = ", ".join(f"d{i}" for i in range(len(iterators)))
        maps = ", ".join(f"affine_map<({dims}) -> ({m})>" for m in maps)
        kinds = ", ".join(f'"{kind}"' for kind in iterators)
        operands = f"ins({', '.join(t.name for t in inputs)} : {', '.join(t.type for t in inputs)}) " if inputs else ""
        arguments = ", ".join(f"%x{i}: f32" for i in range(len(inputs) + 1))
        return self.add(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {operands}"
                        f"outs({out.name} : {out.type}) {{ ^bb0({arguments}): {body} }} -> {out.type}", shape, compute)

    # Ops.
    def random_op(self):
        ways = [name for name in dir(self) if name.startswith("op_")]
        for _ in range(20):
            way = self.pick(*ways)
            if getattr(self, way)() is not None:
                self.used.append(way[3:])
                return

    def op_elementwise(self):
        x = self.tensor()
        y = self.tensor(where=lambda shape: shape == x.shape)
        out = self.empty(x.shape)

        def compute(env):
            need(env(x).shape == env(y).shape == env(out).shape)
            return env(x) + env(y)
        return self.add(f"linalg.add ins({x.name}, {y.name} : {x.type}, {y.type}) outs({out.name} : {out.type}) -> "
                        f"{out.type}", x.shape, compute)

    def op_copy_over(self):
        x = self.tensor()
        y = self.tensor(where=lambda shape: shape == x.shape)

        def compute(env):
            need(env(x).shape == env(y).shape)
            return env(x)
        return self.add(f"linalg.copy ins({x.name} : {x.type}) outs({y.name} : {y.type}) -> {y.type}", x.shape, compute)

    def op_transpose(self):
        x = self.tensor(2)
        if not x:
            return None
        out = self.empty(x.shape[::-1])

        def compute(env):
            need(env(x).shape == env(out).shape[::-1])
            return env(x).T
        return self.add(f"linalg.transpose ins({x.name} : {x.type}) outs({out.name} : {out.type}) permutation = [1, 0]",
                        out.shape, compute)

    def op_bias(self):
        x = self.tensor(2)
        if not x:
            return None
        axis = self.below(2)
        y = self.tensor(1, lambda shape: shape[0] == x.shape[axis])
        if not y:
            return None
        out = self.empty(x.shape)

        def compute(env):
            need(env(x).shape == env(out).shape and env(y).shape[0] == env(x).shape[axis])
            return env(x) + (env(y)[None] if axis else env(y)[:, None])
        return self.generic(["d0, d1", f"d{axis}", "d0, d1"], ["parallel"] * 2, [x, y], out,
                            "%y = arith.addf %x0, %x1 : f32 linalg.yield %y : f32", x.shape, compute)

    def op_first_row(self):
        x, y = self.tensor(2), None
        if x:
            y = self.tensor(2, lambda shape: shape[1] == x.shape[1] and shape[0] > 0)
        if not y:
            return None
        row = self.below(y.shape[0])
        out = self.empty(x.shape)

        def compute(env):
            need(env(x).shape == env(out).shape and env(y).shape[1] == env(x).shape[1])
            need(env(y).shape[0] > row or env(x).size == 0)
            return env(x) + env(y)[row] if env(x).size else env(x)
        return self.generic(["d0, d1", f"{row}, d1", "d0, d1"], ["parallel"] * 2, [x, y], out,
                            "%y = arith.addf %x0, %x1 : f32 linalg.yield %y : f32", x.shape, compute)

    def op_matmul(self):
        x, y = self.tensor(2), None
        if x:
            y = self.tensor(2, lambda shape: shape[0] == x.shape[1])
        if not y:
            return None
        shape = (x.shape[0], y.shape[1])
        out, filled = self.empty(shape), self.fresh()
        self.line(f"{filled} = linalg.fill ins(%zero : f32) outs({out.name} : {out.type}) -> {out.type}")

        def compute(env):
            need(env(x).shape[1] == env(y).shape[0] and env(out).shape == (env(x).shape[0], env(y).shape[1]))
            return env(x) @ env(y)
        return self.add(f"linalg.matmul ins({x.name}, {y.name} : {x.type}, {y.type}) outs({filled} : {out.type}) -> "
                        f"{out.type}", shape, compute)

    def op_sum(self):
        x = self.tensor(2)
        if not x:
            return None
        axis = self.below(2)
        out, filled = self.empty((x.shape[1 - axis],)), self.fresh()
        self.line(f"{filled} = linalg.fill ins(%zero : f32) outs({out.name} : {out.type}) -> {out.type}")

        def compute(env):
            need(env(out).shape == (env(x).shape[1 - axis],))
            return env(x).sum(axis)
        return self.add(f"linalg.reduce {{ arith.addf }} ins({x.name} : {x.type}) outs({filled} : {out.type}) "
                        f"dimensions = [{axis}]", out.shape, compute)

    def op_convolution(self):
        x = self.tensor(1)
        k = self.tensor(1, lambda shape: x and 0 < shape[0] <= x.shape[0])
        if not k:
            return None
        out, filled = self.empty((x.shape[0] - k.shape[0] + 1,)), self.fresh()
        self.line(f"{filled} = linalg.fill ins(%zero : f32) outs({out.name} : {out.type}) -> {out.type}")

        def compute(env):
            n, width, length = len(env(x)), len(env(k)), len(env(out))
            need(width == 0 or length == 0 or length + width - 1 <= n)
            return np.array([np.dot(env(x)[i:i + width], env(k)) for i in range(length)], np.float32)
        return self.add(f"linalg.conv_1d ins({x.name}, {k.name} : {x.type}, {k.type}) outs({filled} : {out.type}) -> "
                        f"{out.type}", out.shape, compute)

    def slice_of(self, shape):
        """Offsets, sizes and strides of a slice, and what takes it from an array."""
        sizes = [self.below(n + 1) for n in shape]
        strides = [self.pick(1, 1, 2) if 2 * size - 1 <= n else 1 for n, size in zip(shape, sizes)]
        # Where it is plain to see, upstream's verifier wants an empty slice to begin inside as well.
        offsets = [self.below(max(1, n - max(0, size - 1) * by)) for n, size, by in zip(shape, sizes, strides)]
        offsets, sizes = self.sizes(offsets), self.sizes(sizes)
        text = "".join(f"[{', '.join(part)}]" for part in ([n.name for n in offsets], [n.name for n in sizes],
                                                           [str(by) for by in strides]))

        def window(env, array):
            index = []
            for extent, offset, size, by in zip(array.shape, offsets, sizes, strides):
                first, length = offset.compute(env), size.compute(env)
                need(first >= 0 and length >= 0)
                need(length == 0 or first + (length - 1) * by < extent)
                index.append(slice(first, first + length * by, by) if length else slice(0, 0))
            return tuple(index)
        return text, [size.value for size in sizes], window

    def op_extract_slice(self):
        x = self.tensor()
        text, shape, window = self.slice_of(x.shape)
        return self.add(f"tensor.extract_slice {x.name}{text} : {x.type} to {x.type}", shape,
                        lambda env: env(x)[window(env, env(x))])

    def op_insert_slice(self):
        x = self.tensor()
        text, shape, window = self.slice_of(x.shape)
        y = self.tensor(x.rank, lambda other: other == tuple(shape))
        if not y:
            return None

        def compute(env):
            result = env(x).copy()
            index = window(env, result)
            need(result[index].shape == env(y).shape)
            result[index] = env(y)
            return result
        return self.add(f"tensor.insert_slice {y.name} into {x.name}{text} : {y.type} into {x.type}", x.shape, compute)

    def op_pad(self):
        x = self.tensor()
        low, high = self.sizes([self.below(3) for _ in x.shape]), self.sizes([self.below(3) for _ in x.shape])
        names = [", ".join(n.name for n in part) for part in (low, high)]
        indices = ", ".join(f"%i{i}: index" for i in range(x.rank))

        def compute(env):
            widths = [(a.compute(env), b.compute(env)) for a, b in zip(low, high)]
            need(all(a >= 0 and b >= 0 for a, b in widths))
            return np.pad(env(x), widths)
        shape = [a.value + n + b.value for a, n, b in zip(low, x.shape, high)]
        return self.add(f"tensor.pad {x.name} low[{names[0]}] high[{names[1]}] {{ ^bb0({indices}): "
                        f"tensor.yield %zero : f32 }} : {x.type} to {x.type}", shape, compute)

    def op_collapse(self):
        x = self.tensor(2)
        return x and self.add(f"tensor.collapse_shape {x.name} [[0, 1]] : {x.type} into tensor<?xf32>",
                              [x.shape[0] * x.shape[1]], lambda env: env(x).reshape(-1))

    def op_expand(self):
        x = self.tensor(1)
        if not x:
            return None
        n = x.shape[0]
        rows = self.pick(*[d for d in range(1, n + 1) if n % d == 0] or [1])
        sizes = self.sizes((rows, n // rows))

        def compute(env):
            shape = [size.compute(env) for size in sizes]
            need(min(shape) >= 0 and shape[0] * shape[1] == len(env(x)))
            return env(x).reshape(shape)
        return self.add(f"tensor.expand_shape {x.name} [[0, 1]] output_shape [{sizes[0].name}, {sizes[1].name}] : "
                        f"{x.type} into tensor<?x?xf32>", (rows, n // rows), compute)

    def op_cast(self):
        x = self.tensor()
        dimension, name = self.below(x.rank), self.fresh()
        size = x.shape[dimension]
        static = f"tensor<{'x'.join(str(size) if i == dimension else '?' for i in range(x.rank))}xf32>"
        self.line(f"{name} = tensor.cast {x.name} : {x.type} to {static}")

        def compute(env):
            need(env(x).shape[dimension] == size)
            return env(x)
        return self.add(f"tensor.cast {name} : {static} to {x.type}", x.shape, compute)

    def op_gather(self):
        """out[i] = x[i + shift], or x[last - i]."""
        x = self.tensor(1, lambda shape: shape[0] > 0)
        if not x:
            return None
        length = 1 + self.below(x.shape[0])
        shift = self.number(self.below(x.shape[0] - length + 1))
        turned = self.pick(False, True)
        if turned:
            shift = self.number(length - 1 + self.below(x.shape[0] - length + 1))
        out = self.empty((length,))

        def compute(env):
            count, first = len(env(out)), shift.compute(env)
            at = first - np.arange(count) if turned else first + np.arange(count)
            need(((at >= 0) & (at < len(env(x)))).all())
            return env(x)[at] if count else np.zeros(0, np.float32)
        body = (f"%i = linalg.index 0 : index %at = arith.{'subi' if turned else 'addi'} {shift.name}, %i : index "
                f"%y = tensor.extract {x.name}[%at] : {x.type} linalg.yield %y : f32")
        return self.generic(["d0"], ["parallel"], [], out, body, (length,), compute)

    def op_loop(self):
        """Adds a row of y to each row of x, row by row."""
        x = self.tensor(2)
        y = self.tensor(2, lambda shape: x and shape[1] == x.shape[1] and shape[0] >= x.shape[0])
        if not y:
            return None
        rows, columns = self.dim(x, 0), self.dim(self.pick(x, y), 1)
        piece = "tensor<1x?xf32>"
        cut = f"[%i, %c0] [1, {columns.name}] [1, 1]"
        names = [self.fresh() for _ in range(4)]

        def compute(env):
            need(env(x).shape[0] == 0 or env(y).shape[0] >= env(x).shape[0])
            width = columns.compute(env)
            need(width <= min(env(x).shape[1], env(y).shape[1]) or env(x).shape[0] == 0)
            result = env(x).copy()
            for row in range(len(result)):
                result[row, :width] += env(y)[row, :width]
            return result
        return self.add(
            f"scf.for %i = %c0 to {rows.name} step %c1 iter_args(%all = {x.name}) -> ({x.type}) {{\n"
            f"      {names[0]} = tensor.extract_slice %all{cut} : {x.type} to {piece}\n"
            f"      {names[1]} = tensor.extract_slice {y.name}{cut} : {y.type} to {piece}\n"
            f"      {names[2]} = linalg.add ins({names[0]}, {names[1]} : {piece}, {piece}) outs({names[0]} : {piece}) "
            f"-> {piece}\n"
            f"      {names[3]} = tensor.insert_slice {names[2]} into %all{cut} : {piece} into {x.type}\n"
            f"      scf.yield {names[3]} : {x.type}\n    }}", x.shape, compute)

    def op_tiles(self):
        """Doubles x in tiles of four, the last one cut."""
        x = self.tensor(1)
        if not x:
            return None
        n, names = self.dim(x, 0), [self.fresh() for _ in range(4)]
        return self.add(
            f"scf.for %i = %c0 to {n.name} step %c4 iter_args(%all = {x.name}) -> ({x.type}) {{\n"
            f"      {names[0]} = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[{n.name}]\n"
            f"      {names[1]} = tensor.extract_slice %all[%i] [{names[0]}] [1] : {x.type} to {x.type}\n"
            f"      {names[2]} = linalg.add ins({names[1]}, {names[1]} : {x.type}, {x.type}) outs({names[1]} : {x.type})"
            f" -> {x.type}\n"
            f"      {names[3]} = tensor.insert_slice {names[2]} into %all[%i] [{names[0]}] [1] : {x.type} into {x.type}\n"
            f"      scf.yield {names[3]} : {x.type}\n    }}", x.shape, lambda env: env(x) * 2)

    # The whole program.
    def finish(self):
        self.result = self.tensors[-1]
        body, self.lines = self.lines, []
        out = self.argument(self.result.shape)
        casts, self.lines = self.lines, []
        self.out = self.tensors[-1]
        self.line(f"%r = linalg.copy ins({self.result.name} : {self.result.type}) outs({self.out.name} : "
                  f"{self.out.type}) -> {self.out.type}")
        header = []
        for i, (shape, types) in enumerate(self.arguments[:-1]):
            declared = "x".join("?" if n is None else str(n) for n in types)
            header.append(f"%{'s' if any(n is not None for n in types) else 'a'}{i}: tensor<{declared}xf32>")
        self.text = "\n".join([
            f"func.func @f({', '.join(header + [out])}) -> {self.out.type} {{",
            "    %zero = arith.constant 0.0 : f32", *(f"    %c{i} = arith.constant {i} : index" for i in (0, 1, 4)),
            *body, *casts, *self.lines, f"    return %r : {self.out.type}", "}", ""])

    def expected(self, arrays):
        """The contents that the call leaves in its last array, and whether the elements that it does not compute fit
        too. Raises Misfit."""
        for array, (_, types) in zip(arrays, self.arguments):
            need(all(n is None or n == actual for n, actual in zip(types, array.shape)))

        class Environment:
            def __init__(self):
                self.arguments, self.known = arrays, {}

            def __call__(self, tensor):
                if tensor.name not in self.known:
                    self.known[tensor.name] = tensor.compute(self)
                return self.known[tensor.name]
        environment = Environment()
        result = environment(self.result)
        need(result.shape == arrays[-1].shape)
        try:
            for tensor in self.tensors:
                environment(tensor)
        except Misfit:
            return result, False
        return result, True

    def shapes(self):
        """Shapes of the arguments: those that fit, then others."""
        fitting = [list(shape) for shape, _ in self.arguments]
        yield fitting
        for _ in range(8):
            changed = [list(shape) for shape in fitting]
            old, new = self.pick(*{n for shape in fitting for n in shape}), self.below(12)
            if self.rng.random() < 0.3:  # Everywhere, which may fit again.
                changed = [[new if n == old else n for n in shape] for shape in changed]
            else:
                for _ in range(self.pick(1, 1, 2)):
                    shape = self.pick(*changed)
                    shape[self.below(len(shape))] = self.pick(new, old, 0, 1)
            yield changed


def check(program, call, rng, reads_memory=True):
    """Calls the program; returns (calls that fit, calls that were refused). call(arrays) raises ValueError."""
    fits = refused = 0
    for shapes in program.shapes():
        data = [np.array(rng.integers(-4, 5, shape), np.float32) for shape in shapes]
        guarded = [Guarded(array, rng.random() < 0.5) for array in data]
        try:
            expected, all_fit = program.expected(data)
        except Misfit:
            expected, all_fit = None, False
        message = None
        try:
            call([one.array for one in guarded])
        except ValueError as error:
            message = str(error)
        what = f"arguments of shapes {shapes}"
        assert all(one.is_intact() for one in guarded), f"{what}: memory outside was written"
        if message is not None:
            assert not all_fit, f"{what}: refused what fits: {message}"
            assert "argument '" in message, f"{what}: no argument is named: {message}"
            for one, array in zip(guarded, data):
                assert np.array_equal(one.array, array), f"{what}: written, though refused"
            refused += 1
            continue
        assert expected is not None, f"{what}: called, though they do not fit"
        if reads_memory:
            assert np.allclose(guarded[-1].array, expected), f"{what}: {guarded[-1].array}, not {expected}"
        fits += 1
    return fits, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    import sattn

    counts, failures, fits, refused = collections.Counter(), [], 0, 0
    for seed in range(options.first, options.first + options.seeds):
        program = Program(seed)
        print(f"seed {seed}", flush=True)
        if options.print:
            print(program.text, flush=True)
        counts.update(program.used)
        try:
            compiled = sattn.compile(program.text, threads=1)
        except sattn.CompileError as error:
            failures.append(seed)
            print(f"seed {seed}: refused by the compiler: {error}", flush=True)
            continue
        try:
            found = check(program, lambda arrays: compiled(*arrays), np.random.default_rng(seed))
        except AssertionError as error:
            failures.append(seed)
            print(f"seed {seed}: {error}", flush=True)
            continue
        fits, refused = fits + found[0], refused + found[1]
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    print(f"{fits} calls computed, {refused} refused, failures: {failures}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
