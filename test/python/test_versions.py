"""The version of the project is the same wherever it stands."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "packaging"))
import build_wheel  # noqa: E402


def of_cmake():
    return re.search(r"^project\(sattn VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def top_release(text):
    """The newest version of a changelog: in its first heading with a version, or else named under *Unreleased*."""
    found = re.search(r"^## \[(\d[\d.]*\d)\]", text, re.MULTILINE) or re.search(
        r"^## \[Unreleased\]\n.*?\bversion\D*(\d[\d.]*\d)", text, re.MULTILINE)
    return found[1]


@pytest.mark.parametrize("text, version", [
    ("## [Unreleased]\nAll of the first version, 0.1.0.\n", "0.1.0"),
    ("## [Unreleased]\n### Added\n- x 9.9\n\n## [0.2.0] - 2026-01-01\n## [0.1.0]\n", "0.2.0")])
def test_top_release(text, version):
    assert top_release(text) == version


def test_versions_agree(sattn):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project.get("version", build_wheel.version()) == of_cmake()
    assert "version" in project or "version" in project["dynamic"]
    assert sattn.__version__ == of_cmake()
    assert top_release((ROOT / "CHANGELOG.md").read_text()) == of_cmake()


def test_pages_name_the_version():
    wanted = re.findall(r"find_package\(SAttn ([\d.]+)", (ROOT / "README.md").read_text())
    assert wanted == [of_cmake().rpartition(".")[0]]
