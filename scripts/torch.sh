# The virtual environment with PyTorch for `./dev test`; ./dev sources this file. Uses root, say, die, need_space,
# pick_python and pip_install.
# shellcheck shell=bash

# The version that the tests run on unless another is asked for.
torch_version() {
  sed -n 's/^torch==//p' "$root/requirements-torch.txt"
}

# The packages of the requirements file, with this version of PyTorch.
torch_requirements() {
  sed -e 's/^torch==.*/torch=='"$1"'/' "$root/requirements-torch.txt"
}

# check_torch PYTHON [VERSION]: whether it has PyTorch, of that version, and what the tests import; else prints what is wrong.
check_torch() {
  { "$1" - "${2:-}" 2>&1 || true; } <<'PYTHON' | tail -n 1
import importlib, sys
for name in ("numpy", "ml_dtypes", "scipy", "tvm_ffi", "pytest", "xdist", "hypothesis", "expecttest", "torch"):
    try:
        module = importlib.import_module(name)
    except Exception as error:
        sys.exit(f"{name} cannot be imported: {type(error).__name__}: {error}")
found = module.__version__.partition("+")[0]
if sys.argv[1] not in ("", found):
    sys.exit(f"expected PyTorch {sys.argv[1]}, but found {found}")
PYTHON
}

# setup_torch VERSION: sets torch_python to a Python with PyTorch; to nothing where SATTN_TORCH is skip.
setup_torch() {
  local version=$1 wrong
  torch_python=
  case ${SATTN_TORCH:-} in
    skip) return ;;
    ?*)
      torch_python=$SATTN_TORCH
      type -P -- "$torch_python" >/dev/null || die "expected SATTN_TORCH to be 'skip' or a Python, but got '$torch_python'"
      wrong=$(check_torch "$torch_python")
      [ -z "$wrong" ] || die "the Python of SATTN_TORCH, $torch_python, lacks what the tests need: $wrong" \
        "install requirements.txt and requirements-torch.txt there"
      return ;;
  esac
  case $version in
    ''|*[!0-9.]*) die "expected a version of PyTorch such as $(torch_version), but got '$version'" ;;
  esac
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/sattn-tests/torch-$version
  mkdir -p "$(dirname "$folder")"
  # One process makes it, others wait.
  local lock
  exec {lock}>"$folder.lock"
  flock "$lock"
  make_torch_venv "$version" "$folder"
  exec {lock}>&-
  torch_python=$folder/bin/python
}

# make_torch_venv VERSION FOLDER: unless it is there and whole.
make_torch_venv() {
  local version=$1 folder=$2 python want wrong log
  python=$(pick_python)
  want=$({ "$python" --version; cat "$root/requirements.txt"; torch_requirements "$version"; } | sha256sum)
  if [ "$(cat "$folder/.requirements" 2>/dev/null)" = "$want" ]; then
    wrong=$(check_torch "$folder/bin/python" "$version")
    [ -n "$wrong" ] || return 0
    say "making the environment with PyTorch again: $wrong"
  fi
  need_space "$(dirname "$folder")" 7000 "PyTorch $version and the libraries that its wheel links"
  say "making $folder with $python (PyTorch $version: about 3 GB from PyPI, 5.6 GB unpacked; SATTN_TORCH=skip leaves it out)"
  log=$(mktemp)
  rm -f "$folder/.requirements"
  "$python" -m venv --clear "$folder" >"$log" 2>&1 ||
    die "$python -m venv failed" "$(tail -n 3 "$log")" "install Debian's python3-venv and try again"
  torch_requirements "$version" > "$folder/requirements-torch.txt"
  pip_install "$folder" "$log" -r "$root/requirements.txt" -r "$folder/requirements-torch.txt"
  rm -f "$log"
  wrong=$(check_torch "$folder/bin/python" "$version")
  [ -z "$wrong" ] || die "the environment with PyTorch does not work: $wrong" "remove $folder and run the command again"
  printf '%s\n' "$want" > "$folder/.requirements"
}
