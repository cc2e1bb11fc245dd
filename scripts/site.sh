# The documentation site; ./dev sources this file. Uses root, build, jobs, say, die, need_space, pick_python and pip_install.
# shellcheck shell=bash

# setup_site: sets site_python to the Python of the site's environment, which all clones share.
setup_site() {
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/sattn-tests/site lock
  mkdir -p "$(dirname "$folder")"
  # One process makes it, others wait.
  exec {lock}>"$folder.lock"
  flock "$lock"
  make_site_venv "$folder"
  exec {lock}>&-
  site_python=$folder/bin/python
}

# make_site_venv FOLDER: unless it is there.
make_site_venv() {
  local folder=$1 python want log
  python=$(pick_python)
  want=$({ "$python" --version; cat "$root/requirements-docs.txt"; } | sha256sum)
  if [ "$(cat "$folder/.requirements" 2>/dev/null)" = "$want" ] && [ -x "$folder/bin/python" ]; then
    return
  fi
  need_space "$(dirname "$folder")" 400 "the Python packages of the documentation site"
  say "making $folder with $python (about 60 MB from PyPI)"
  log=$(mktemp)
  "$python" -m venv --clear "$folder" >"$log" 2>&1 ||
    die "$python -m venv failed" "$(tail -n 3 "$log")" "install Debian's python3-venv and try again"
  pip_install "$folder" "$log" -r "$root/requirements-docs.txt"
  rm -f "$log"
  printf '%s\n' "$want" > "$folder/.requirements"
}

command_site() {
  [ $# -eq 0 ] || die "expected no argument after 'site', but got '$1'"
  local site_python
  setup_site
  say "building build/site"
  "$site_python" -m sphinx -c "$root/docs" -b html -W --keep-going -q -j "$jobs" "$root" "$build/site" ||
    die "the site has faults; they are above"
  say "the site: $build/site/index.html"
}
