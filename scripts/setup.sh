# Set-up for ./dev, which sources this file: Debian packages, then the virtual
# environment. Uses root, venv, say and die. Nothing is touched when all is there.
# shellcheck shell=bash

packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 clang-format-22 lld-22
  libomp-22-dev libclang-rt-22-dev cmake ninja-build ccache python3-venv python3-dev libgtest-dev nlohmann-json3-dev
)
security_source='deb http://deb.debian.org/debian-security bookworm-security main'

setup() {
  setup_packages "${packages[@]}"
  check_programs
  setup_venv
}

setup_tidy() { setup_packages clang-tidy-22; }
# Static zlib and zstd for the one library, readelf for its checks.
setup_bundle() { setup_packages zlib1g-dev libzstd-dev binutils xz-utils; }

# The given packages that are not installed, one a line.
missing_packages() {
  local installed name
  # It fails where one is unknown, and names the others all the same.
  installed=$({ dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } |
    sed -n 's/^installed //p')
  for name in "$@"; do
    grep -qxF -- "$name" <<<"$installed" || printf '%s\n' "$name"
  done
}

# need_space FOLDER MEBIBYTES WHAT
need_space() {
  local free
  free=$(df -Pm -- "$1" 2>/dev/null | awk 'NR == 2 { print $4 }')
  [ -z "$free" ] || [ "$free" -ge "$2" ] ||
    die "too little disk space for $3: $free MiB free in $1, expected at least $2 MiB" \
        "free some space there and run the command again"
}

setup_packages() {
  [ -z "${SATTN_NO_APT:-}" ] || return 0
  if ! type -P dpkg-query >/dev/null || ! type -P apt-get >/dev/null; then
    die "this system has no apt-get; ./dev sets up Debian 12 (bookworm)" \
        "elsewhere, install these (or your system's equals) and set SATTN_NO_APT=1:" "$*"
  fi
  local missing=()
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    type -P sudo >/dev/null ||
      die "missing Debian packages, and neither root nor sudo to install them" \
          "as root: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  # As unpacked, for all of them on a bare system; a few need much less.
  if [ ${#missing[@]} -ge 5 ]; then need_space /usr 3000 "the Debian packages (LLVM, MLIR, clang)"; fi

  local log
  log=$(mktemp)
  say "installing Debian packages: ${missing[*]}"
  "${as_root[@]}" apt-get update >"$log" 2>&1 || true
  check_candidates "$log" "${missing[@]}"
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" 2>&1 |
      progress "$log" '^(Get:|Setting up|Need to get|E:|Err:)'; then
    local reason
    if unreachable "$log"; then
      reason="apt-get could not download the packages: no network, or the mirror does not answer"
    else
      reason="apt-get install failed"
    fi
    die "$reason" "the end of its output:" "$(tail -n 4 "$log")" \
        "fix that, or install by hand, then run the command again: ${missing[*]}"
  fi
  rm -f "$log"
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] || die "apt-get ended without error, but these are still missing: ${missing[*]}"
}

# progress LOG PATTERN: keeps standard input in LOG and shows the lines that match.
# It succeeds, so that under pipefail a pipe's exit code is that of the writer.
progress() {
  tee "$1" | grep --line-buffered -E "$2" || true
}

# Whether the log of apt-get or pip speaks of an unreachable network.
unreachable() {
  grep -qiE 'temporary failure|could not resolve|failed to fetch|could not connect|unable to connect|connection (timed out|refused|failed|error)|network is unreachable|name or service not known|failed to establish|ConnectionError|NewConnectionError|ProxyError|SSLError|ReadTimeout' "$1"
}

has_candidate() {
  case $(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p') in
    ''|'(none)') return 1 ;;
  esac
}

# check_candidates LOG PACKAGE...: a source for each, or say which is missing.
check_candidates() {
  local log=$1 name without=() llvm=
  shift
  for name in "$@"; do
    if ! has_candidate "$name"; then
      without+=("$name")
      case $name in *-22|*-22-*) llvm=1 ;; esac
    fi
  done
  [ ${#without[@]} -gt 0 ] || return 0
  # Some source is always unreachable on somebody's machine; without a candidate
  # for a package of Debian's main suite no list came at all.
  if unreachable "$log" && ! has_candidate ninja-build; then
    die "no network: apt-get could not fetch the package lists" \
        "$(grep -m 1 -iE '^(E|W|Err):?' "$log" || tail -n 1 "$log")" \
        "needed: ${without[*]}"
  fi
  local codename
  codename=$(. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_CODENAME:-}")
  if [ -n "$llvm" ] && [ "${codename:-bookworm}" = bookworm ]; then
    die "no package source offers: ${without[*]}" \
        "LLVM 22 for Debian 12 is in the suite bookworm-security. Add this line to /etc/apt/sources.list," \
        "run apt-get update, then this command again:" "  $security_source"
  fi
  die "no package source offers: ${without[*]}" \
      "./dev sets up Debian 12 (bookworm, with bookworm-security); this system is ${codename:-another}." \
      "Install them by other means, or check the lines in /etc/apt/sources.list"
}

# The programs that the packages bring, whoever installed them.
check_programs() {
  local program
  for program in clang-22 clang++-22 cmake ninja ccache; do
    type -P "$program" >/dev/null ||
      die "no command '$program'" "install the Debian packages: ${packages[*]}"
  done
  local version
  version=$(cmake --version | sed -n '1s/^cmake version //p')
  if [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" != 3.25 ]; then
    die "expected cmake 3.25 or newer, but got ${version:-no version} from $(type -P cmake)" \
        "Debian 12's package cmake is new enough; take the older one off PATH"
  fi
}

# Debian's own Python where it can make virtual environments, else the PATH's.
pick_python() {
  local candidate version found=()
  for candidate in ${SATTN_PYTHON:-/usr/bin/python3 python3}; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s' "$candidate"
      return
    fi
    version=$("$candidate" -c 'import sys; print(sys.version.split()[0])' 2>/dev/null || true)
    found+=("$candidate (${version:-not there})")
  done
  die "expected Python 3.11 or newer with the venv module, but got: ${found[*]}" \
      "install Debian's python3-venv, or name another with SATTN_PYTHON=/path/to/python3.11"
}

setup_venv() {
  local want stamp="$venv/.requirements"
  # A virtual environment holds its own path, so a moved one is made again.
  want=$(printf '%s\n' "$venv" | cat - "$root"/requirements{,-plots,-ptxas}.txt | sha256sum)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ] && [ -x "$venv/bin/python" ] && [ -x "$venv/bin/ptxas" ]; then
    return
  fi
  local python log
  python=$(pick_python)
  need_space "$(dirname "$venv")" 1500 "the Python packages and the build"
  say "making ${venv#"$root"/} with $python (about 170 MB from PyPI)"
  log=$(mktemp)
  "$python" -m venv --clear "$venv" >"$log" 2>&1 ||
    die "$python -m venv failed" "$(tail -n 3 "$log")" "install Debian's python3-venv and try again"
  pip_install "$venv" "$log" -r "$root/requirements.txt" -r "$root/requirements-plots.txt"
  pip_install "$venv" "$log" --no-deps -r "$root/requirements-ptxas.txt"
  local ptxas
  ptxas=$(find "$venv" -path '*/nvidia/*/bin/ptxas' -type f | head -n 1)
  [ -n "$ptxas" ] || die "no ptxas in the package of requirements-ptxas.txt" "check the version named there"
  chmod +x "$ptxas"
  ln -sf "$ptxas" "$venv/bin/ptxas"
  "$venv/bin/ptxas" --version >"$log" 2>&1 ||
    die "ptxas does not run here" "$(tail -n 2 "$log")" "the package is for Linux on x86_64"
  rm -f "$log"
  printf '%s\n' "$want" > "$stamp"
}

# pip_install VENV LOG ARGUMENT...
pip_install() {
  local log=$2 python=$1/bin/python
  shift 2
  if "$python" -m pip install --disable-pip-version-check --progress-bar off "$@" 2>&1 |
      progress "$log" '^(Collecting|Successfully)'; then
    return
  fi
  if grep -q CERTIFICATE_VERIFY_FAILED "$log"; then
    die "pip does not trust the certificate that PyPI, or a proxy before it, shows" \
        "set PIP_CERT to the file of your certificate authorities, then run the command again"
  fi
  if unreachable "$log"; then
    die "no network: pip could not reach PyPI" "$(grep -m 1 -iE 'error' "$log" || tail -n 1 "$log")" \
        "behind a proxy or with a mirror, set PIP_PROXY or PIP_INDEX_URL, then run the command again"
  fi
  die "pip could not install what requirements*.txt name" "$(tail -n 3 "$log")"
}
