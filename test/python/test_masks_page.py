"""docs/Masks.md: its snippets run, and each of its masks and scores is what its function says."""

import linecache
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from masks import attention, seen  # noqa: E402

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "Masks.md").read_text()
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_snippets(sattn, capsys):
    """They run in order, as one program."""
    page = {}
    for snippet in SNIPPETS:
        # As a file's lines, which errors quote.
        linecache.cache["<page>"] = len(snippet), None, snippet.splitlines(True), "<page>"
        exec(compile(snippet, "<page>", "exec"), page)
    assert len(page["results"]) == len(page["masks"]) == 8 and len(page["changed"]) == 3
    printed = capsys.readouterr().out
    assert "░░" in printed and "in <page>:2: return kv_idx < 4 or q_idx >= kv_idx\n" in printed
    assert page["causal"](0, 0, 3, 2) and "<svg" in page["sattn"].create_block_mask(page["causal"], None, None, 64, 64)._repr_svg_()
    arrays = page["query"], page["key"], page["value"]
    shape = *arrays[0].shape[:3], arrays[1].shape[2]
    for name, out in page["results"].items():
        expected = attention(*arrays, seen(page["masks"][name], shape))[0]
        assert np.abs(out - expected).max() < 1e-5, name
    for name, out in page["changed"].items():
        expected = attention(*arrays, seen(page["causal"], shape), page["scores"][name])[0]
        assert np.abs(out - expected).max() < 1e-5, name
