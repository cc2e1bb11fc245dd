"""The build backend of `pip install .` (PEP 517): a wheel of python/sattn and of libraries that are built already.

It compiles nothing and needs no package, so that it works without a network. The libraries are those in
$SATTN_LIBRARIES, else the newest: of the bundle (which has LLVM inside and runs on any Linux of glibc 2.35) or of
build/lib (which needs this machine's LLVM).
"""

import base64
import hashlib
import os
import re
import sys
import zipfile
from pathlib import Path

if sys.version_info < (3, 11):
    sys.exit(f"sattn needs Python 3.11 or newer, but got {sys.version.split()[0]} ({sys.executable})")

import tomllib  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "sattn"
LIBRARIES = ["libsattn.so", "libsattn_binding.so"]
BUNDLE, BUILD = ROOT / "build-bundle" / "bundle" / "lib", ROOT / "build" / "lib"
# Zip has no earlier time.
TIME = (1980, 1, 1, 0, 0, 0)


class WheelError(RuntimeError):
    """A wheel that cannot be made."""


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def version():
    return re.search(r"^project\(sattn VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def libraries():
    """The folder of the libraries that were built last. Raises WheelError where nothing is built."""
    chosen = os.environ.get("SATTN_LIBRARIES")
    folders = [Path(chosen)] if chosen else [BUNDLE, BUILD]
    whole = [folder for folder in folders if all((folder / name).exists() for name in LIBRARIES)]
    if whole:
        return max(whole, key=lambda folder: max((folder / name).stat().st_mtime for name in LIBRARIES))
    raise WheelError(f"expected {' and '.join(LIBRARIES)} in {' or '.join(map(str, folders))}, but found none: run "
                     "./dev build or ./dev bundle first")


def tag(folder):
    return "py3-none-" + ("manylinux_2_35_x86_64" if folder == BUNDLE else "linux_x86_64")


def metadata():
    """The text of METADATA."""
    described = project()
    extras = described["optional-dependencies"]
    lines = ["Metadata-Version: 2.4", f"Name: {described['name']}", f"Version: {version()}",
             f"Summary: {described['description']}", f"Requires-Python: {described['requires-python']}",
             f"License-Expression: {described['license']}", "License-File: LICENSE",
             *(f"Requires-Dist: {name}" for name in described["dependencies"]),
             *(f"Provides-Extra: {extra}" for extra in extras),
             *(f'Requires-Dist: {name}; extra == "{extra}"' for extra, names in extras.items() for name in names),
             "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + (ROOT / described["readme"]).read_text()


def files(folder):
    """{path in the wheel: contents}, all but RECORD."""
    info = f"sattn-{version()}.dist-info"
    contents = {f"sattn/{path.relative_to(PACKAGE)}": path.read_bytes()
                for path in sorted(PACKAGE.rglob("*")) if path.is_file() and path.suffix != ".pyc"}
    contents |= {f"sattn/lib/{name}": (folder / name).read_bytes() for name in LIBRARIES}
    contents[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    contents[f"{info}/METADATA"] = metadata().encode()
    contents[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: sattn {version()}\nRoot-Is-Purelib: false\n"
                                 f"Tag: {tag(folder)}\n").encode()
    return info, contents


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name, as PEP 517 says."""
    folder = libraries()
    info, contents = files(folder)
    record = []
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
    contents[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    wheel = f"sattn-{version()}-{tag(folder)}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, data)
    return wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise WheelError("a source distribution has no libraries: make a wheel, by pip wheel --no-deps .")
