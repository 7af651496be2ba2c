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
mkdir -p "$cache/clean"
mapfile -t files < <(git ls-files '*.cc' '*.h')

if [ "${1:-}" = --fix ]; then
  clang-format-19 -i "${files[@]}"
  exit
fi

echo "==> clang-format" >&2
clang-format-19 --dry-run --Werror "${files[@]}"

# includer FILE ENDING: the first file of that ending that includes this header.
includer() { { git grep -lF "#include \"${1#src/}\"" -- "src/*.$2" || true; } | sed -n 1p; }  # to its end: head would break the pipe

# source_of FILE: the source in which clang-tidy sees this file: of a header the one of its name, or one that includes it,
# or the one of a header that does.
source_of() {
  local source=${1%.*}.cc header
  [ -f "$source" ] || source=$(includer "$1" cc)
  if [ -n "$source" ]; then echo "$source"; return; fi
  header=$(includer "$1" h)
  [ -z "$header" ] || source_of "$header"
}

# The sources to look at: those of all files that changed.
base=$(cat .ci/linted)
if [ "${1:-}" = --all ] || ! git merge-base --is-ancestor "$base" HEAD 2>/dev/null; then
  mapfile -t sources < <(git ls-files 'src/*.cc')
else
  sources=()
  for file in $(git diff --name-only --diff-filter=d "$base" -- 'src/*.cc' 'src/*.h'); do
    source=$(source_of "$file")
    [ -n "$source" ] || { echo "lint: no source includes $file" >&2; exit 1; }
    sources+=("$source")
  done
  mapfile -t sources < <(printf '%s\n' "${sources[@]}" | sed '/^$/d' | sort -u)
fi

# tidy_file FILE: clang-tidy, unless it found nothing in just this text before.
tidy_file() {
  local key
  key=$({ cat .clang-tidy; clang++-19 -E -std=c++2b -Isrc -Iinclude "$1" 2>/dev/null || echo "$RANDOM"; } | sha256sum | cut -d' ' -f1)
  [ ! -f "$cache/clean/$key" ] || return 0
  clang-tidy-19 --quiet -p build/clang "$1" 2> >(grep -v 'warnings generated' >&2) && : >"$cache/clean/$key"
}
export -f tidy_file
export cache

echo "==> clang-tidy and clang's warnings: ${#sources[@]} of $(git ls-files 'src/*.cc' | wc -l) sources" >&2
[ -f build/clang/build.ninja ] || cmake --preset clang >/dev/null
[ ${#sources[@]} = 0 ] || printf '%s\0' "${sources[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c 'tidy_file "$1"' -
echo "==> the fuzzers, which nothing else builds" >&2
mapfile -t fuzzers < <(git ls-files 'tests/fuzz/*.cc')
printf '%s\n' "${fuzzers[@]}" | xargs -P "$(nproc)" -n 1 clang++-19 -fsyntax-only -std=c++2b -Isrc -Wall -Wextra -Werror -Wno-missing-field-initializers
echo "==> shell scripts" >&2
for script in dev .ci/run tools/*.sh examples/demo/show.sh; do bash -n "$script"; done
echo "lint: ${#files[@]} files, no findings" >&2
if [ ${#sources[@]} != 0 ] && [ -z "$(git status --porcelain)" ]; then git rev-parse HEAD >.ci/linted; fi
