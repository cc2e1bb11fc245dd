"""docs/guides/MaskGallery.md: each mask is what its function says, and the pictures are those of the page's masks."""

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tvm_ffi")
from masks import attention, seen  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "guides" / "MaskGallery.md").read_text()


@pytest.fixture
def page(sattn):
    names = {}
    exec("\n".join(re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)), names)
    return names


def test_results(page):
    assert len(page["results"]) == len(page["gallery"]) == 12
    arrays = page["query"], page["key"], page["value"]
    for name, out in page["results"].items():
        expected = attention(*arrays, seen(page["gallery"][name], (1, 2, page["S"], page["S"])))[0]
        assert np.abs(out - expected).max() < 1e-5, name


def test_names(page):
    """The masks that have a name are those of their functions."""
    arrays = page["query"], page["key"], page["value"]
    for name, options in {"Causal": {}, "Sliding window": {"window": (16, 0)}, "Prefix LM": {"prefix": 20}}.items():
        by_name = page["sattn"].flex_attention(*arrays, causal=True, **options)
        assert np.abs(by_name - page["results"][name]).max() < 1e-5, name


def test_pictures(sattn, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import mask_pictures
    assert mask_pictures.main(["--check"]) == 0
    shown = re.findall(r"^!\[(.*)\]\((.*)\)$", TEXT, re.MULTILINE)
    assert [ROOT / "docs" / "guides" / path for _, path in shown] == list(mask_pictures.pictures())
    assert [title for title, _ in shown] == re.findall(r"^## (.*)$", TEXT, re.MULTILINE)[:-1]
