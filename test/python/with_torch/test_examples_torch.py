"""The example of PyTorch runs as its page says; test/gpu runs it where a GPU is."""

from test_examples import errors, python_example


def test_pytorch(root, built_tools):
    done = python_example(root, built_tools, "pytorch.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(2, 128, 1024) -> (2, 128, 4096), ")
    assert errors(done.stdout)[0] < 1e-2
