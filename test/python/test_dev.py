"""./dev: usage errors, and what it says of a machine that lacks something.

The machine is a PATH of stand-ins: nothing is installed, and only the messages count.
"""

import os
import shutil
import subprocess
import sys

import pytest

PACKAGE_COMMANDS = ["apt-get", "apt-cache", "dpkg-query", "sudo"]
NEEDED = ["awk", "bash", "cat", "df", "dirname", "env", "find", "grep", "head", "id", "mktemp", "nproc", "rm",
          "sed", "sha256sum", "sort", "tail", "tee"]


class Machine:
    """A PATH of its own; `command` puts a shell script there."""

    def __init__(self, folder, root):
        self.folder, self.root = folder / "bin", root
        self.folder.mkdir()
        self.environment = {"PATH": str(self.folder), "SATTN_VENV": str(folder / "venv"), "HOME": str(folder)}
        for name in NEEDED:
            (self.folder / name).symlink_to(shutil.which(name))

    def command(self, name, script):
        path = self.folder / name
        path.unlink(missing_ok=True)
        path.write_text("#!/bin/bash\n" + script + "\n")
        path.chmod(0o755)

    def dev(self, *arguments, **environment):
        return subprocess.run([self.folder / "bash", self.root / "dev", *arguments], capture_output=True, text=True,
                              env={**self.environment, **environment}, check=False)

    def with_packages(self, installed="", candidates="1", update="", install="", code=0):
        """Debian's tools: what they list, and what apt-get says."""
        self.command("dpkg-query", f'for p in {installed}; do echo "installed $p"; done; exit 1')
        self.command("apt-cache", f'case "$2" in {candidates}) echo "  Candidate: 1.0" ;; esac')
        self.command("apt-get", f'case "$1" in update) echo "{update}" ;; *) echo "{install}"; exit {code} ;; esac')
        self.command("id", "echo 0")


@pytest.fixture
def machine(tmp_path, root):
    return Machine(tmp_path, root)


def fails(done, *parts):
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr.startswith("dev: error: ")
    for part in parts:
        assert part in done.stderr


@pytest.mark.parametrize("arguments, message", [
    (["frobnicate"], "unknown command 'frobnicate'"),
    (["run"], "expected a command after 'run'"),
    (["build", "--no-pch", "--fast"], "expected a target or '--no-pch' after 'build', but got '--fast'"),
    (["syntax", "--all", "x"], "expected nothing after '--all', but got 'x'"),
    (["setup", "x"], "expected no argument after 'setup', but got 'x'"),
    (["bundle", "x"], "expected no argument after 'bundle', but got 'x'"),
    (["test", "luit"], "expected a suite (format, lit, unit, python, torch or torch-cuda), but got 'luit'"),
    (["test", "--torch"], "expected a version of PyTorch after '--torch', such as "),
    (["test", "--torch", "2.11.0", "luit"], "but got 'luit'"),
])
def test_usage_errors(root, arguments, message):
    done = subprocess.run([root / "dev", *arguments], capture_output=True, text=True, check=False)
    fails(done, message)


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"]])
def test_help_installs_nothing(machine, arguments):
    done = machine.dev(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ./dev COMMAND")


def test_help_of_the_demo_installs_nothing(machine, root):
    """It is the demo's own."""
    (machine.folder / "python3").symlink_to(sys.executable)
    done = machine.dev("demo", "--help")
    assert done.returncode == 0, done.stderr
    own = subprocess.run([sys.executable, root / "examples" / "demo.py", "--help"], capture_output=True, text=True,
                         check=True)
    assert done.stdout == own.stdout
    assert done.stdout.startswith("usage: ./dev demo")
    for option in ["--matrix FILE", "--fem", "--block {8,16,32,64,128,auto}", "--columns", ".mtx.gz"]:
        assert option in done.stdout


@pytest.mark.parametrize("arguments, message", [
    (["--matrix", "none.npz"], "no matrix 'none.npz'"), (["--matrix=none.npz"], "no matrix 'none.npz'"),
    (["--block", "24"], "invalid choice: 24"), (["--fast"], "unrecognized arguments: --fast"),
])
def test_options_of_the_demo_are_read_before_anything_is_installed(machine, arguments, message):
    (machine.folder / "python3").symlink_to(sys.executable)
    done = machine.dev("demo", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize("jobs", ["0", "two", "-1"])
def test_bad_number_of_jobs(machine, jobs):
    fails(machine.dev("setup", SATTN_JOBS=jobs), f"expected SATTN_JOBS to be a positive number, but got '{jobs}'")


def test_run_without_a_build(machine, tmp_path):
    fails(machine.dev("run", "sparse-opt", SATTN_BUILD_DIR=str(tmp_path / "none")), "nothing is built yet", "./dev build")


def test_run_of_an_unknown_command(machine, tmp_path):
    (tmp_path / "build" / "bin").mkdir(parents=True)
    (tmp_path / "build" / "bin" / "sparse-opt").touch()
    fails(machine.dev("run", "no-such", SATTN_BUILD_DIR=str(tmp_path / "build")), "no command 'no-such'", "sparse-opt")


@pytest.mark.parametrize("built", [[], ["sparse-translate"]])
def test_run_after_a_build_that_was_interrupted(machine, tmp_path, built):
    (tmp_path / "build" / "bin").mkdir(parents=True)
    for name in built:
        (tmp_path / "build" / "bin" / name).touch()
    fails(machine.dev("run", "sparse-opt", SATTN_BUILD_DIR=str(tmp_path / "build")), "'sparse-opt' is not built",
          "./dev build")


def test_run_python_without_its_environment(machine, tmp_path):
    (tmp_path / "build" / "bin").mkdir(parents=True)
    fails(machine.dev("run", "python", SATTN_BUILD_DIR=str(tmp_path / "build")), "the virtual environment of 'python'",
          "./dev setup")


def test_run_python_finds_the_package(machine, tmp_path, root):
    (tmp_path / "build" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to("/usr/bin/env")
    done = machine.dev("run", "python", SATTN_BUILD_DIR=str(tmp_path / "build"), PYTHONPATH="/mine")
    assert done.returncode == 0, done.stderr
    environment = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert environment["PYTHONPATH"] == f"{root / 'python'}:/mine"
    assert environment["SATTN_LIBRARIES"] == str(tmp_path / "build" / "lib")


def test_run_passes_arguments_and_exit_code(machine, tmp_path):
    tool = tmp_path / "build" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    tool.write_text('#!/bin/bash\nprintf "<%s>" "$@"\nexit 7\n')
    tool.chmod(0o755)
    done = machine.dev("run", "tool", "a b", "", SATTN_BUILD_DIR=str(tmp_path / "build"))
    assert (done.returncode, done.stdout) == (7, "<a b><>")


def test_no_apt(machine):
    fails(machine.dev("setup"), "no apt-get", "Debian 12", "SATTN_NO_APT=1", "libmlir-22-dev")


def test_neither_root_nor_sudo(machine):
    machine.with_packages()
    machine.command("id", "echo 1000")
    fails(machine.dev("setup"), "neither root nor sudo", "apt-get install --no-install-recommends libmlir-22-dev")


def test_sudo_is_used(machine, tmp_path):
    machine.with_packages(candidates="*", install="E: broken", code=100)
    machine.command("id", "echo 1000")
    machine.command("sudo", f'echo "$@" >> {tmp_path}/sudo.log; exec "$@"')
    machine.command("df", "echo; echo x x x 99999")
    fails(machine.dev("setup"), "apt-get install failed", "E: broken")
    log = (tmp_path / "sudo.log").read_text().splitlines()
    assert log[0] == "apt-get update"
    assert "apt-get install -y --no-install-recommends" in log[1]


def test_little_disk(machine):
    machine.with_packages()
    machine.command("df", "echo Filesystem; echo /dev/x 9000 8100 900 90% /usr")
    fails(machine.dev("setup"), "too little disk space", "900 MiB free in /usr, expected at least 3000 MiB")


def test_missing_package_source(machine):
    machine.with_packages(candidates="cmake|ninja-build|ccache|python3-venv|python3-dev|libgtest-dev|nlohmann-json3-dev")
    machine.command("df", "echo; echo x x x 99999")
    done = machine.dev("setup")
    fails(done, "no package source offers: libmlir-22-dev mlir-22-tools", "this command again" if bookworm() else "")
    assert "cmake" not in done.stderr.splitlines()[0]
    if bookworm():
        assert "deb http://deb.debian.org/debian-security bookworm-security main" in done.stderr


def bookworm():
    with open("/etc/os-release", encoding="utf-8") as stream:
        return "VERSION_CODENAME=bookworm" in stream.read()


def test_no_network_for_the_lists(machine):
    machine.with_packages(candidates="none", update="W: Failed to fetch http://x  Temporary failure resolving 'x'")
    machine.command("df", "echo; echo x x x 99999")
    fails(machine.dev("setup"), "no network: apt-get could not fetch the package lists", "Temporary failure resolving")


def test_no_network_for_the_packages(machine):
    machine.with_packages(candidates="*", install="E: Failed to fetch http://x  Could not connect", code=100)
    machine.command("df", "echo; echo x x x 99999")
    fails(machine.dev("setup"), "apt-get could not download the packages: no network", "Could not connect")


def test_only_what_is_missing_is_installed(machine):
    machine.with_packages(installed="libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 clang-format-22 "
                          "lld-22 libomp-22-dev libclang-rt-22-dev ninja-build ccache python3-venv python3-dev libgtest-dev "
                          "nlohmann-json3-dev",
                          candidates="*")
    done = machine.dev("setup")
    assert "installing Debian packages: cmake\n" in done.stdout
    fails(done, "apt-get ended without error, but these are still missing: cmake")


def complete(machine, cmake="3.25.1"):
    """Every package and program; only Python's packages remain to do."""
    for name in ["clang-22", "clang++-22", "ninja", "ccache"]:
        machine.command(name, "")
    machine.command("cmake", f"echo cmake version {cmake}")
    machine.environment["SATTN_NO_APT"] = "1"


@pytest.mark.parametrize("version", ["3.18.4", "2.8", "3.24.9"])
def test_old_cmake(machine, version):
    complete(machine, cmake=version)
    fails(machine.dev("setup"), f"expected cmake 3.25 or newer, but got {version} from")


def test_missing_program(machine):
    complete(machine)
    (machine.folder / "ninja").unlink()
    fails(machine.dev("setup"), "no command 'ninja'", "ninja-build")


def test_no_python(machine):
    complete(machine)
    fails(machine.dev("setup", SATTN_PYTHON="/nonexistent/python3"), "expected Python 3.11 or newer",
          "/nonexistent/python3 (not there)", "python3-venv")


def test_old_python(machine):
    complete(machine)
    machine.command("python-old", 'case "$2" in *sys.exit*) exit 1 ;; *) echo 3.10.13 ;; esac')
    fails(machine.dev("setup", SATTN_PYTHON="python-old"), "expected Python 3.11 or newer", "python-old (3.10.13)")


def fake_python(machine, pip):
    """A Python whose virtual environments have the given pip."""
    machine.command("python-fake", f"""
if [ "$1" = -c ]; then exit 0; fi
/bin/mkdir -p "$4/bin"
printf '#!/bin/bash\\n%s\\n' '{pip}' > "$4/bin/python"
/bin/chmod +x "$4/bin/python"
""")
    machine.environment["SATTN_PYTHON"] = str(machine.folder / "python-fake")


def test_pip_without_network(machine):
    complete(machine)
    fake_python(machine, 'echo "ERROR: NewConnectionError: Failed to establish a new connection"; exit 1')
    done = machine.dev("setup")
    fails(done, "no network: pip could not reach PyPI", "NewConnectionError")
    assert not os.path.exists(os.path.join(machine.environment["SATTN_VENV"], ".requirements"))


def test_pip_without_trust(machine):
    complete(machine)
    fake_python(machine, 'echo "WARNING: SSLError: CERTIFICATE_VERIFY_FAILED"; exit 1')
    fails(machine.dev("setup"), "pip does not trust the certificate", "PIP_CERT")


def test_pip_without_a_version(machine):
    complete(machine)
    fake_python(machine, 'echo "ERROR: No matching distribution found for numpy==9"; exit 1')
    fails(machine.dev("setup"), "pip could not install what requirements*.txt name", "No matching distribution")


def test_nothing_is_done_twice(machine):
    """A complete machine: neither apt-get nor pip runs the second time."""
    complete(machine)
    fake_python(machine, "exit 0")
    fails(machine.dev("setup"), "no ptxas in the package")
    ptxas = os.path.join(machine.environment["SATTN_VENV"], "nvidia", "cu13", "bin", "ptxas")
    machine.command("chmod", "exit 0")
    machine.command("ln", 'exec /bin/ln "$@"')
    machine.command("python-fake", f"""
if [ "$1" = -c ]; then exit 0; fi
/bin/mkdir -p "$4/bin" {os.path.dirname(ptxas)}
printf '#!/bin/bash\\n' > "$4/bin/python"
printf '#!/bin/bash\\n' > {ptxas}
/bin/chmod +x "$4/bin/python" {ptxas}
""")
    first = machine.dev("setup")
    assert first.returncode == 0, first.stderr
    assert "making" in first.stdout
    machine.command("python-fake", "echo called again >&2; exit 1")
    second = machine.dev("setup")
    assert second.returncode == 0, second.stderr
    assert "making" not in second.stdout


def test_configures_again(root, built_tools, tmp_path):
    """With other options than the last time, in the same build folder."""
    build = tmp_path / "build"
    for _ in range(2):
        done = subprocess.run([root / "dev", "build", "help"], capture_output=True, text=True, check=False,
                              env={**os.environ, "SATTN_NO_APT": "1", "SATTN_BUILD_DIR": str(build)})
        assert done.returncode == 0, done.stdout + done.stderr
        assert "==> configuring" in done.stdout and "sparse-opt" in done.stdout
        (build / ".dev-configured").write_text("other options\n")
