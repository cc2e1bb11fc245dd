"""The documentation site: it builds without a warning, a broken link is one, and the references are whole."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.fixture(scope="module")
def python():
    """The Python of the site's environment."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    found = os.environ.get("SATTN_SITE_PYTHON") or cache / "sattn-tests" / "site" / "bin" / "python"
    if not Path(found).exists():
        pytest.skip("no environment of the site; ./dev site makes it")
    return found


def build(python, source, target, *options):
    return subprocess.run([python, "-m", "sphinx", *options, "-b", "html", "-W", "--keep-going", "-q", source, target],
                          capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def site(python, tmp_path_factory):
    """The folder of the built site."""
    target = tmp_path_factory.mktemp("site")
    done = build(python, ROOT, target, "-c", ROOT / "docs", "-j", "2")
    assert (done.returncode, done.stderr) == (0, "")
    return target


def test_every_page_is_there(site):
    for page in PAGES:
        assert (site / page.relative_to(ROOT)).with_suffix(".html").exists()
    assert "docs/index.html" in (site / "index.html").read_text()


def test_references(site):
    """Each public function has its docstring there, each function of the C library its comment."""
    python = (site / "docs/api/python.html").read_text()
    assert 'id="sattn.flex_attention"' in python and 'id="sattn.nn.BsrLinear.from_dense"' in python
    assert "the softmax of score_mod(scale" in python
    c = (site / "docs/api/c.html").read_text()
    for header in (ROOT / "include/sattn-c").glob("*.h"):
        functions = re.findall(r"\b(sattn_\w+)\(", re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL))
        assert functions
        for function in functions:
            assert f'id="c.{function}"' in c, function
    assert "Compiles one function of a module" in c


def test_names_of_the_package_are_in_its_reference(sattn):
    page = (ROOT / "docs/api/python.md").read_text()
    named = set(re.findall(r"^\.\. auto\w+:: (?:sattn\.)?([\w.]+)$", page, re.MULTILINE))
    assert set(sattn.__all__) - {name.partition(".")[0] for name in named} == set()


def test_broken_links_are_found(python, tmp_path):
    source = tmp_path / "source"
    (source / "docs").mkdir(parents=True)
    for name in ("conf.py", "site"):
        copy = shutil.copytree if (ROOT / "docs" / name).is_dir() else shutil.copy
        copy(ROOT / "docs" / name, source / "docs" / name)
    for name in ("python", "include"):
        (source / name).symlink_to(ROOT / name)
    (source / "docs/index.md").write_text("# A\n[b](none.md) [c](#none) [d](../include) [e](../none) [f](#a)\n")
    done = build(python, source, tmp_path / "site", "-c", source / "docs")
    assert done.returncode == 1
    assert sorted(re.findall(r"not found: '(.*?)'", done.stderr)) == ["../none", "none", "none.md"]
