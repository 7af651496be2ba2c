#!/usr/bin/env bash
# Formatting, clang-tidy and clang's own warnings. With --fix the formatting is put right instead of reported.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
mapfile -t files < <(git ls-files '*.cc' '*.h')
if [ "${1:-}" = --fix ]; then
  clang-format-19 -i "${files[@]}"
  exit 0
fi
echo "==> clang-format" >&2
clang-format-19 --dry-run --Werror "${files[@]}"
echo "==> clang-tidy and clang's warnings" >&2
[ -f build/clang/build.ninja ] || cmake --preset clang >/dev/null
mapfile -t sources < <(git ls-files 'src/*.cc')
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy-19 --quiet -p build/clang 2> >(grep -v 'warnings generated' >&2)
echo "==> the fuzzers, which nothing else builds" >&2
mapfile -t fuzzers < <(git ls-files 'tests/fuzz/*.cc')
printf '%s\n' "${fuzzers[@]}" | xargs -P "$(nproc)" -n 1 clang++-19 -fsyntax-only -std=c++2b -Isrc -Wall -Wextra -Werror -Wno-missing-field-initializers
echo "==> shell scripts" >&2
for script in dev .ci/run tools/*.sh examples/demo/show.sh; do bash -n "$script"; done
echo "lint: ${#files[@]} files, no findings" >&2
