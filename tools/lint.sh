#!/usr/bin/env bash
# Formatting, clang-tidy and clang's own warnings.
#   tools/lint.sh            clang-tidy on what changed since the commit that .ci/linted names
#   tools/lint.sh --all      on everything
#   tools/lint.sh --fix      formats instead of reporting
# Where it finds nothing and all is committed, .ci/linted names that commit: commit it, and CI has little to look at.
# What clang-tidy once found nothing in is not looked at again until the file, a header of it or the checks change.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
cache=${BATON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}}/baton/lint
mkdir -p "$cache/clean" || cache=$(mktemp -d)/lint
mkdir -p "$cache/clean"
head=$(git rev-parse HEAD)  # what is looked at, if nothing is changed
[ -z "$(git status --porcelain)" ] || head=
mapfile -t files < <(git ls-files '*.cc' '*.h')
compiled_only=('tests/*.cc' 'bench/*.cc' ':!tests/fuzz' ':!tests/library/example')

if [ "${1:-}" = --fix ]; then
  clang-format-19 -i "${files[@]}"
  exit
fi

echo "==> clang-format" >&2
clang-format-19 --dry-run --Werror "${files[@]}"

# includer FILE ENDING: the first file of that ending that includes this header.
includer() { { git grep -lF "#include \"${1#src/}\"" -- "src/*.$2" || true; } | sed -n 1p; }  # to its end: head would break the pipe

# includers HEADER...: what includes one of these and is compiled by the clang build. Where a header loses an include of its
# own, files that lived on it no longer compile by themselves, and nothing else compiles them so.
includers() {
  local header patterns=()
  for header in "$@"; do
    patterns+=(-e "#include [\"<]\(.*/\)\?${header##*/}[\">]")
  done
  [ ${#patterns[@]} = 0 ] || git grep -l "${patterns[@]}" -- 'src/*.cc' "${compiled_only[@]}" || true
}

# source_of FILE: the source in which clang-tidy sees this file: of a header the one of its name, or one that includes it,
# or the one of a header that does.
source_of() {
  local source=${1%.*}.cc header
  [ -f "$source" ] || source=$(includer "$1" cc)
  if [ -n "$source" ]; then echo "$source"; return; fi
  header=$(includer "$1" h)
  [ -z "$header" ] || source_of "$header"
}

# The sources to look at: those of all files that changed, or all of them where what is looked for did.
base=$(cat .ci/linted)
if [ "${1:-}" = --all ] || ! git merge-base --is-ancestor "$base" HEAD 2>/dev/null ||
  ! git diff --quiet "$base" -- .clang-tidy cmake/Compiler.cmake CMakePresets.json; then
  mapfile -t sources < <(git ls-files 'src/*.cc')
  mapfile -t others < <(git ls-files "${compiled_only[@]}")
else
  mapfile -t others < <(git diff --name-only --diff-filter=d "$base" -- "${compiled_only[@]}")
  sources=()
  for file in $(git diff --name-only --diff-filter=d "$base" -- 'src/*.cc' 'src/*.h'); do
    source=$(source_of "$file")
    [ -n "$source" ] || { echo "lint: no source includes $file" >&2; exit 1; }
    sources+=("$source")
  done
  mapfile -t sources < <(printf '%s\n' "${sources[@]}" | sed '/^$/d' | sort -u)
  mapfile -t headers < <(git diff --name-only "$base" -- '*.h')
  mapfile -t others < <({ printf '%s\n' "${others[@]}"; includers "${headers[@]}"; } | sed '/^$/d' | sort -u |
    grep -vxF -f <(printf '%s\n' "${sources[@]}" -))
fi

cmake --preset clang -DBATON_TESTS=ON -DBATON_BENCH=ON >/dev/null  # anew each time: files may have come since

# flags_of FILE: as the clang build compiles this file by itself.
flags_of() {
  python3 -c 'import json, sys
print(*(entry["command"] for entry in json.load(open("build/clang/compile_commands.json")) if entry["file"] == sys.argv[1]))' "$PWD/$1" |
    sed -E 's/^[^ ]*clang\+\+-19 //; s/ -o .*//'
}

# with_flags_of FILE OPTION: what the compiler says of this file with that option.
with_flags_of() { flags_of "$1" | (cd build/clang && xargs clang++-19 "$2" "$OLDPWD/$1"); }

# What clang-tidy sees of a file: each header with its comments, the flags and the checks.
seen_of() {
  cat .clang-tidy
  clang-tidy-19 --version
  flags_of "$1" | sed "s#$PWD/##g"
  with_flags_of "$1" -M | sed -e 's/^[^ ]*: //' -e 's/\\$//' | xargs cat
}

# tidy_file FILE: clang-tidy, unless it found nothing in just this before.
tidy_file() {
  local key
  key=$(seen_of "$1" | sha256sum | cut -d' ' -f1)
  [ ! -f "$cache/clean/$key" ] || return 0
  clang-tidy-19 --quiet -p build/clang "$1" 2> >(grep -v 'warnings generated' >&2) && : >"$cache/clean/$key"
}
export -f flags_of with_flags_of seen_of tidy_file
export cache

echo "==> clang-tidy and clang's warnings: ${#sources[@]} of $(git ls-files 'src/*.cc' | wc -l) sources" >&2
[ ${#sources[@]} = 0 ] || printf '%s\0' "${sources[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c 'tidy_file "$1"' -
# Everything else that is built compiles a folder's files as one.
echo "==> by itself, what changed of tests and benchmarks, and what includes a changed header: ${#others[@]} files" >&2
[ ${#others[@]} = 0 ] || printf '%s\0' "${others[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c 'with_flags_of "$1" -fsyntax-only' -
echo "==> the fuzzers, which nothing else builds" >&2
mapfile -t fuzzers < <(git ls-files 'tests/fuzz/*.cc')
printf '%s\n' "${fuzzers[@]}" | xargs -P "$(nproc)" -n 1 clang++-19 -fsyntax-only -std=c++2b -Isrc -Itests -Wall -Wextra -Werror -Wno-missing-field-initializers
echo "==> shell scripts" >&2
for script in dev .ci/run tools/*.sh examples/demo/show.sh; do bash -n "$script"; done
echo "lint: ${#files[@]} files, no findings" >&2
if [ ${#sources[@]} != 0 ] && [ -n "$head" ] && [ "$head" = "$(git rev-parse HEAD)" ] && [ -z "$(git status --porcelain)" ]; then
  echo "$head" >.ci/linted
fi
