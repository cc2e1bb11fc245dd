#!/usr/bin/env bash
# On a GPU host, in a copy of the repository with dist/ (./dev bundle): unpacks the bundle and the wheels beside
# it, then runs the command given, in the bundle's folder.
#
#   test/gpu/run.sh python3 -m pytest -q -n 12 test/gpu
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
target=${TMPDIR:-/tmp}/sattn-bundle
site=${TMPDIR:-/tmp}/sattn-site
rm -rf "$target"
mkdir -p "$target"
tar xf "$root"/dist/sattn-*.tar.xz -C "$target"
[ -d "$site" ] || python3 -m pip install -q --no-index --no-deps --no-compile --target "$site" "$root"/dist/wheels/*.whl
export PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1
cd "$target"/sattn-*
exec "$@"
