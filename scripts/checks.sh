# Tests, formatting and clang-tidy for ./dev, which sources this file. Uses root,
# build, venv, jobs, say, die, setup, setup_site, build_targets and use_tools.
# shellcheck shell=bash

# The C++ files of the project, NUL-separated, relative to root.
cpp_files() {
  if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
    # A file deleted but not yet committed is still listed.
    git -C "$root" ls-files -z --cached --others --exclude-standard '*.cpp' '*.h' '*.c' |
      while IFS= read -r -d '' file; do
        [ ! -f "$root/$file" ] || printf '%s\0' "$file"
      done
  else
    (cd "$root" && find . \( -name 'build*' -o -name .venv \) -prune -o \
      \( -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -printf '%P\0')
  fi
}

# clang_format OPTION...: on every C++ file.
clang_format() {
  (cd "$root" && cpp_files | xargs -0 -r -n 16 -P "$jobs" clang-format-22 --style=file "$@")
}

command_format() {
  [ $# -eq 0 ] || die "expected no argument after 'format', but got '$1'"
  setup
  clang_format -i
}

check_format() {
  local unformatted
  [ "$(cpp_files | tr -dc '\0' | wc -c)" -gt 0 ] || die "no C++ file found to check"
  # A line a place, each beginning with the file's name.
  if ! unformatted=$(clang_format --dry-run -Werror 2>&1); then
    die "not formatted; run ./dev format:" \
        "$(sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error: .*/\1/p' <<<"$unformatted" | sort -u)"
  fi
}

# The folders of tests that need PyTorch.
torch_folders=("$root/test/python/with_torch" "$root/test/python/with_cuda_stub")

# Each runner writes a JUnit file, which scripts/suite_summary.py counts.
run_suite() {
  local suite=$1 report=$2
  shift 2
  case $suite in
    format) (check_format) ;;
    lit)
      local quiet=(-v)
      [ ! -t 1 ] || quiet=(-sv)
      [ $# -gt 0 ] || set -- "$build/test"
      "$llvm_bin/lit" "${quiet[@]}" -j "$jobs" --xunit-xml-output "$report" "$@" ;;
    unit)
      ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error --timeout 600 \
        --output-junit "$report" "$@" ;;
    python)
      # An environment without PyTorch.
      names_a_path "$@" || set -- "$root/test/python" "${torch_folders[@]/#/--ignore=}" "$@"
      local site_python
      setup_site
      SATTN_SITE_PYTHON=$site_python run_pytest "$venv/bin/python" "$report" "$@" ;;
    torch)
      # A process has the stub of CUDA's runtime or not, so each folder has processes of its own.
      names_a_path "$@" || set -- "$root/test/python/with_torch" "$@"
      run_pytest "$torch_python" "$report" "$@" ;;
    torch-cuda)
      names_a_path "$@" || set -- "$root/test/python/with_cuda_stub" "$@"
      run_pytest "$torch_python" "$report" "$@" ;;
  esac
}

# names_a_path ARGUMENT...: whether one is a file or a folder, or a test of a file; without one a suite's own folder is meant.
names_a_path() {
  local argument
  for argument in "$@"; do
    [ ! -e "${argument%%::*}" ] || return 0
  done
  return 1
}

# run_pytest PYTHON REPORT ARGUMENT...: the tests of a file stay together, for they share what a process has compiled.
run_pytest() {
  local python=$1 report=$2
  shift 2
  "$python" -m pytest -c "$root/test/python/pytest.ini" --rootdir "$root/test/python" \
    -n "$jobs" --dist loadfile --junitxml "$report" "$@"
}

# The tests that what differs from the main branch can break: a line each, a suite and its argument.
changed_tests() {
  local base
  base=$(git -C "$root" merge-base HEAD origin/main 2>/dev/null || git -C "$root" rev-parse HEAD 2>/dev/null) ||
    die "expected a git checkout to find what changed" "name the tests instead: ./dev test SUITE FILE..."
  {
    git -C "$root" diff -z --name-only "$base"
    git -C "$root" ls-files -z --others --exclude-standard
  } | "$venv/bin/python" "$root/scripts/changed_tests.py" "$build"
}

command_test() {
  local suites=(format lit unit python torch torch-cuda) version whole='' changed=''
  version=$(torch_version)
  while [ $# -gt 0 ]; do
    case $1 in
      --torch)
        [ $# -ge 2 ] || die "expected a version of PyTorch after '--torch', such as $version"
        version=$2
        shift 2 ;;
      --all) whole=1; shift ;;
      --changed) changed=1; shift ;;
      *) break ;;
    esac
  done
  if [ $# -gt 0 ]; then
    [ -z "$changed" ] || die "expected nothing after '--changed', but got '$1'"
    case " ${suites[*]} " in
      *" $1 "*) suites=("$1") ;;
      *) die "expected a suite (format, lit, unit, python, torch or torch-cuda), but got '$1'" ;;
    esac
    shift
  fi
  setup
  local -A arguments=()
  if [ -n "$changed" ]; then
    local suite argument
    while read -r suite argument; do arguments[$suite]+="$argument "; done < <(changed_tests)
    suites=(format)
    for suite in lit unit python torch torch-cuda; do
      [ -z "${arguments[$suite]:-}" ] || suites+=("$suite")
    done
    say "tests of what changed: ${suites[*]}"
  fi
  local skipped=()
  case " ${suites[*]}" in
    *" torch"*)
      setup_torch "$version"
      [ -n "$torch_python" ] || skipped=(torch torch-cuda) ;;
  esac
  if [ "${suites[*]}" != format ]; then build_targets; fi
  use_tools
  # The tools were just built, so a test that misses one has failed.
  export SATTN_BUILD_DIR=$build SATTN_REQUIRE_TOOLS=1
  # Tests share what they compile; nothing of an earlier run is there.
  export SATTN_CACHE_DIR=$build/test-cache
  rm -rf "$SATTN_CACHE_DIR"
  # A run of whole suites takes a share of the cases that repeat, another with every commit (test/python/shares.py).
  if [ -z "$whole$changed" ] && [ $# -eq 0 ]; then
    export SATTN_TEST_SEED=${SATTN_TEST_SEED:-$(git -C "$root" rev-list --count HEAD 2>/dev/null || echo 0)}
    say "a share of the cases that repeat: SATTN_TEST_SEED=$SATTN_TEST_SEED; --all takes all"
  else
    unset SATTN_TEST_SEED
  fi

  local results=$build/test-results report start status=()
  local suite
  mkdir -p "$results"
  for suite in "${suites[@]}"; do
    report=$results/$suite.xml
    rm -f "$report"
    case " ${skipped[*]} " in
      *" $suite "*)
        status+=("$suite:skipped:SATTN_TORCH=skip: nothing of PyTorch was tested")
        continue ;;
    esac
    say "test: $suite"
    start=$SECONDS
    local rc=0
    local given=("$@")
    [ -z "$changed" ] || read -ra given <<<"${arguments[$suite]:-}"
    run_suite "$suite" "$report" "${given[@]}" || rc=$?
    status+=("$suite:$rc:$((SECONDS - start)):$report")
  done
  "$venv/bin/python" "$root/scripts/suite_summary.py" "${status[@]}"
}

# find_sources COMMAND [--all|FILE...]: the C++ sources that the command is for, in `sources`: those that differ from main.
find_sources() {
  local command=$1 files=() file base
  shift
  if [ "${1:-}" = --all ]; then
    [ $# -eq 1 ] || die "expected nothing after '--all', but got '$2'"
    mapfile -d '' -t files < <(cpp_files)
  elif [ $# -gt 0 ]; then
    files=("$@")
  else
    base=$(git -C "$root" merge-base HEAD origin/main 2>/dev/null || git -C "$root" rev-parse HEAD 2>/dev/null) ||
      die "expected a git checkout to find what changed" "name the files instead: ./dev $command FILE..."
    mapfile -d '' -t files < <(
      cd "$root" || exit
      git diff -z --name-only --diff-filter=d "$base" -- '*.cpp'
      git ls-files -z --others --exclude-standard '*.cpp')
  fi
  sources=()
  for file in "${files[@]}"; do
    case $file in *.cpp) sources+=("$file") ;; esac
  done
  [ ${#sources[@]} -ne 0 ] || say "no C++ source changed"
}

# Each source includes what it uses: the precompiled header, which only Clang has, hides what is missing.
command_syntax() {
  local sources=()
  find_sources syntax "$@"
  [ ${#sources[@]} -ne 0 ] || return 0
  setup
  setup_packages g++
  build_targets SAttnIncGen
  say "g++ -fsyntax-only on ${#sources[@]} files"
  (cd "$root" && printf '%s\0' "${sources[@]}" |
    xargs -0 -n 4 -P "$jobs" "$venv/bin/python" "$root/scripts/syntax.py" "$build" g++) ||
    die "sources do not include what they use; the errors are above"
}

command_tidy() {
  setup
  setup_tidy
  build_targets
  local sources=()
  find_sources tidy "$@"
  [ ${#sources[@]} -ne 0 ] || return 0
  say "clang-tidy on ${#sources[@]} files"
  (cd "$root" && printf '%s\0' "${sources[@]}" |
    xargs -0 -n 1 -P "$jobs" clang-tidy-22 -p "$build" --quiet --warnings-as-errors='*') ||
    die "clang-tidy has findings; they are above"
}
