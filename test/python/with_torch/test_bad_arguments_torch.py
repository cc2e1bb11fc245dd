"""Broken tensors of PyTorch are refused: the process lives, and nothing but an exception comes of them."""

from test_package_bad_arguments import run_random_calls


def test_random_calls_with_tensors(built_tools, root, tmp_path):
    run_random_calls(built_tools, root, tmp_path, "--torch")
