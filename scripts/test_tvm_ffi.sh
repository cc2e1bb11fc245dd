#!/usr/bin/env bash
# Tests the built Python package with other versions of apache-tvm-ffi than .venv's: by default with both ends of
# what pyproject.toml allows. Their wheels come from PyPI.
#     ./dev run scripts/test_tvm_ffi.sh [VERSION...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ $# -eq 0 ]; then
  allowed=$(sed -n 's/.*"apache-tvm-ffi\([^"]*\)".*/\1/p' pyproject.toml)
  oldest=${allowed#>=}
  set -- "==${oldest%%,*}" "$allowed"
else
  set -- "${@/#/==}"
fi
for wanted in "$@"; do
  python -m pip install --quiet --no-deps --upgrade --target "$folder/$wanted" "apache-tvm-ffi$wanted"
  PYTHONPATH=$folder/$wanted python -c 'import tvm_ffi; print("apache-tvm-ffi", tvm_ffi.__version__)'
  PYTHONPATH=$folder/$wanted SATTN_REQUIRE_TOOLS=1 python -m pytest -q -p no:cacheprovider -c test/python/pytest.ini \
    --rootdir test/python test/python/test_package_{bsr,load,scalars,storage,types}.py
done
