"""Scalar functions and their derivatives by sattn-differentiate, compiled to functions of C."""

import ctypes
import re
import subprocess

import numpy as np

PASSES = ("builtin.module(func.func(llvm-request-c-wrappers),convert-math-to-llvm,convert-math-to-libm,"
          "arith-expand{include-bf16=true},convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)")
TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i32": ctypes.c_int32}
#: Ops by name: expressions of %x, %y and %z of a type T whose results are one, or are %r.
OPS = {
    "addf": "arith.addf %x, %y : T", "subf": "arith.subf %x, %y : T", "mulf": "arith.mulf %x, %y : T",
    "divf": "arith.divf %x, %y : T", "remf": "arith.remf %x, %y : T", "negf": "arith.negf %x : T",
    "maximumf": "arith.maximumf %x, %y : T", "minimumf": "arith.minimumf %x, %y : T",
    "maxnumf": "arith.maxnumf %x, %y : T", "minnumf": "arith.minnumf %x, %y : T",
    "select": "arith.cmpf olt, %x, %y : T\n %r = arith.select %r0, %x, %y : T",
    "fma": "math.fma %x, %y, %z : T",
    "powf": "math.powf %x, %y : T", "atan2": "math.atan2 %x, %y : T", "copysign": "math.copysign %x, %y : T",
    "fpowi": "arith.constant 3 : i32\n %r = math.fpowi %x, %r0 : T, i32",
    "fpowi_0": "arith.constant 0 : i32\n %r = math.fpowi %x, %r0 : T, i32",
    "sigmoid": "math.exp %x : T\n %r1 = arith.constant 1.0 : T\n %r2 = arith.addf %r0, %r1 : T\n %r = arith.divf %r1, %r2 : T",
    "sigmoid_2": "math.exp2 %x : T\n %r1 = arith.constant 1.0 : T\n %r2 = arith.addf %r1, %r0 : T\n %r = arith.divf %y, %r2 : T",
    **{name: f"math.{name} %x : T" for name in (
        "absf", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp2",
        "expm1", "floor", "log", "log10", "log1p", "log2", "round", "roundeven", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh",
        "trunc")},
}


def run(command, text):
    done = subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def arity(expression):
    return 1 + ("%y" in expression) + ("%z" in expression)


def program(name, expression, type):
    """The function op_NAME of an op, of which all derivatives are wanted."""
    count = arity(expression)
    body = "%r0 = " + expression if "%r =" in expression else "%r = " + expression
    arguments = ", ".join(f"%{argument}: {type}" for argument in "xyz"[:count])
    return (f"func.func @op_{name}({arguments}) -> {type} attributes {{sattn.differentiate = array<i64: {str(list(range(count)))[1:-1]}>}} {{\n"
            f" {re.sub(r'T$', type, body, flags=re.MULTILINE).replace(' T,', f' {type},')}\n return %r : {type}\n}}\n")


class Compiled:
    """The functions of a program of scalars and their derivatives.

    tools: the folder of sparse-opt. folder: for files.
    """

    def __init__(self, tools, folder, text):
        derived = run([tools / "sparse-opt", "--sattn-differentiate"], text)
        ir = run(["mlir-translate", "--mlir-to-llvmir"], run(["mlir-opt", f"--pass-pipeline={PASSES}"], derived))
        (folder / "derived.ll").write_text(ir)
        run(["clang-22", "-O1", "-mfma", "-mf16c", "-Wno-override-module", "-shared", "-fPIC", "-o", folder / "derived.so",
             folder / "derived.ll", "-lm"], "")
        self.library = ctypes.CDLL(str(folder / "derived.so"))

    def call(self, name, types, results, *arrays):
        """The results for each element of arrays, which broadcast. types: of the arguments and of the results."""
        arrays = np.broadcast_arrays(*arrays)
        function = getattr(self.library, f"_mlir_ciface_{name}")
        given = [TYPES[type] for type in types]
        kinds = [TYPES[type] for type in results]
        found = np.empty((len(results), arrays[0].size), np.result_type(*map(np.dtype, kinds)))
        if len(results) == 1:
            function.argtypes, function.restype = given, kinds[0]
        else:
            struct = type("Results", (ctypes.Structure,), {"_fields_": [(f"r{n}", kind) for n, kind in enumerate(kinds)]})
            place = struct()
            function.argtypes, function.restype = [ctypes.POINTER(struct), *given], None
        for number, values in enumerate(zip(*(array.ravel().tolist() for array in arrays))):
            if len(results) == 1:
                found[0, number] = function(*values)
            else:
                function(ctypes.byref(place), *values)
                found[:, number] = [getattr(place, field) for field, _ in struct._fields_]
        return found.reshape(len(results), *arrays[0].shape)
