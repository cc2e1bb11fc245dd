"""The examples of PyTorch run as their pages say; test/gpu runs the first where a GPU is."""

import re

from test_examples import errors, python_example


def test_pytorch(root, built_tools):
    done = python_example(root, built_tools, "pytorch.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(2, 128, 1024) -> (2, 128, 4096), ")
    assert errors(done.stdout)[0] < 1e-2


def test_training(root, built_tools):
    """Each kind of attention learns, and as the dense formula does."""
    done = python_example(root, built_tools, "training.py")
    assert done.returncode == 0, done.stderr
    losses = re.findall(r"^(\S.*?) +(\d\.\d+) +(\d\.\d+) +(\d\.\d+)$", done.stdout, re.MULTILINE)
    assert [name for name, *_ in losses] == ["causal", "sliding window", "prefix LM", "documents", "ALiBi", "softcap", "relative bias",
                                             "buckets"]
    for _, first, last, dense in losses:
        assert float(last) < 0.7 * float(first) and abs(float(last) - float(dense)) < 1e-4


def test_train_bsr(root, built_tools):
    """In a small form: what pruning loses, training brings back."""
    done = python_example(root, built_tools, "train_bsr.py", "--steps", "40", "--width", "64", "--block", "16")
    assert done.returncode == 0, done.stderr
    dense, pruned, tuned, rewired = (float(found) for found in re.findall(r"accuracy (\S+?),?(?: |$)", done.stdout, re.MULTILINE))
    assert "pruned layers 0, 2, 80% of their blocks" in done.stdout
    assert dense > 0.8 and pruned < tuned and min(tuned, rewired) > 0.8


def test_train_gpt(root, built_tools):
    """In a small form: the losses are those of PyTorch's own operations."""
    done = python_example(root, built_tools, "train_gpt.py", "--steps", "21", "--batch", "2", "--length", "128", "--width", "64")
    assert done.returncode == 0, done.stderr
    losses = [(float(one), float(other)) for one, other in re.findall(r"^ +\d+ +(\S+) +(\S+)$", done.stdout, re.MULTILINE)]
    assert len(losses) == 2
    assert all(abs(one - other) < 1e-3 for one, other in losses)
    assert losses[1][0] < 0.8 * losses[0][0]
