"""Words of sparse-run for random patterns: offsets and columns, and block lists, as programs read them."""

import subprocess

import numpy as np
import pytest

GRID = "grid=6x5:nnz=14"


@pytest.fixture
def numbers(built_tools, tmp_path):
    """The array that a word stands for, by a program that copies it."""
    def read(word, shape):
        type = f"tensor<{'?x' * len(shape)}i32>"
        (tmp_path / "copy.mlir").write_text(
            f"func.func @copy(%a: {type}, %o: {type}) -> {type} {{\n"
            f"  %0 = linalg.copy ins(%a : {type}) outs(%o : {type}) -> {type}\n  return %0 : {type}\n}}\n")
        subprocess.run([built_tools / "sparse-run", f"--out={tmp_path / 'out.npy'}", tmp_path / "copy.mlir", word,
                        f"zeros:shape={'x'.join(map(str, shape))}"], check=True, capture_output=True, text=True)
        return np.load(tmp_path / "out.npy")
    return read


def as_matrix(counts, indices, columns):
    """Which blocks lists have; each has its blocks once, in ascending order, and zeros after them."""
    matrix = np.zeros((len(counts), columns), bool)
    for row, (count, listed) in enumerate(zip(counts, indices)):
        assert (np.diff(listed[:count]) > 0).all() and not listed[count:].any()
        matrix[row, listed[:count]] = True
    return matrix


def lists(numbers, options, rows=6, columns=5):
    return as_matrix(numbers(f"counts:3:{GRID}{options}", (rows,)), numbers(f"indices:3:{GRID}{options}", (rows, columns)), columns)


def test_lists_have_the_blocks_of_the_offsets(numbers):
    found = lists(numbers, "")
    crow, col = numbers(f"crow:3:{GRID}", (7,)), numbers(f"col:3:{GRID}", (14,))
    stored = np.zeros((6, 5), bool)
    stored[np.repeat(np.arange(6), np.diff(crow)), col] = True
    assert found.sum() == 14 and (found == stored).all() and found.any(axis=1).all()


def test_parts_and_transposes(numbers):
    """The first block of each row and the rest are disjoint and all; transposed lists have the same blocks."""
    whole = lists(numbers, "")
    first, rest = lists(numbers, ":part=first"), lists(numbers, ":part=rest")
    assert (first.sum(axis=1) == 1).all() and (first ^ rest == whole).all() and not (first & rest).any()
    for options, part in (("", whole), (":part=first", first), (":part=rest", rest)):
        assert (lists(numbers, f"{options}:transposed", 5, 6) == part.T).all()


def test_batches(numbers):
    one = numbers(f"indices:3:{GRID}", (6, 5))
    for batch, extents in (("2", (2,)), ("2x3", (2, 3))):
        assert (numbers(f"indices:3:{GRID}:batch={batch}", (*extents, 6, 5)) == one).all()
    assert (numbers(f"col:3:{GRID}:batch=2", (2, 14)) == numbers(f"col:3:{GRID}", (14,))).all()


@pytest.mark.parametrize("word, message", [
    ("counts:x:grid=6x5:nnz=14", "expected a seed after 'counts:', but got 'x'"),
    ("indices:3:grid=6x5", "expected ':grid=RxC' and ':nnz=N' after the seed"),
    (f"indices:3:{GRID}:part=last", "'part=first', 'part=rest' or 'transposed', but got 'part=last'"),
    (f"counts:3:{GRID}:batch=2x0", "expected extents of batches such as 2 or 2x8, but got '2x0'"),
    ("counts:3:grid=6x5:nnz=31", "expected a pattern that its grid has room for"),
    ("indices:3:grid=16384x16384:nnz=9:batch=2", "expected a pattern of at most 268435456 numbers in all batches"),
    (f"counts:3:{GRID}:batch=65536x65536", "expected a pattern of at most 268435456 numbers in all batches")])
def test_words_that_are_none(built_tools, tmp_path, word, message):
    (tmp_path / "copy.mlir").write_text("func.func @copy(%a: tensor<?xi32>, %o: tensor<?xi32>) -> tensor<?xi32> {\n"
                                        "  return %a : tensor<?xi32>\n}\n")
    done = subprocess.run([built_tools / "sparse-run", tmp_path / "copy.mlir", word, "zeros:shape=6"], capture_output=True,
                          text=True, check=False)
    assert done.returncode != 0 and message in done.stderr, done.stderr
