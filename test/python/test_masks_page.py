"""docs/Masks.md: its snippets run, and each of its masks and scores is what its function says."""

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
        exec(snippet, page)
    assert len(page["results"]) == len(page["masks"]) == 8 and len(page["changed"]) == 3
    assert "░░" in capsys.readouterr().out
    arrays = page["query"], page["key"], page["value"]
    shape = *arrays[0].shape[:3], arrays[1].shape[2]
    for name, out in page["results"].items():
        expected = attention(*arrays, seen(page["masks"][name], shape))[0]
        assert np.abs(out - expected).max() < 1e-5, name
    for name, out in page["changed"].items():
        expected = attention(*arrays, seen(page["causal"], shape), page["scores"][name])[0]
        assert np.abs(out - expected).max() < 1e-5, name
