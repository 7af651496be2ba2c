#!/usr/bin/env bash
# Every fuzzer for SECONDS each (default 60), from the corpus in .cache/fuzz; a crash leaves its input there.
#   tools/fuzz.sh [SECONDS [NAME]]     with a name: that one alone
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
seconds="${1:-60}"
only="${2:-*}"
[ -f build/fuzz/build.ninja ] || cmake --preset fuzz >/dev/null
if [ "$only" = '*' ]; then ninja -C build/fuzz --quiet; else ninja -C build/fuzz --quiet "fuzz_$only"; fi
# api_seeds CORPUS: each response with the two bytes before it that say how it is read: 8 with its head, 1 as a chat.
api_seeds() {
  local response how
  for response in tests/unit/runtime/streams/api/*.http; do
    how='\010'
    [[ $response != */chat-* ]] || how='\011'
    { printf "@$how"; cat "$response"; } >"$1/${response##*/}"
  done
}
for program in build/fuzz/tests/fuzz/fuzz_$only; do
  [ -x "$program" ] && [ ! -d "$program" ] || continue
  name="$(basename "$program")"
  corpus=".cache/fuzz/$name"
  mkdir -p "$corpus"
  case "$name" in fuzz_markdown) cp -n examples/*/workflows/*.md "$corpus/" ;; fuzz_rehearsal_script) cp -n examples/demo/rehearsal.yaml "$corpus/" ;;
    fuzz_claude_stream) cp -n tests/unit/runtime/streams/*.ndjson "$corpus/" ;;
    fuzz_api_stream) api_seeds "$corpus" ;; esac
  echo "==> $name for ${seconds}s" >&2
  "$program" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 \
    -artifact_prefix="$corpus/crash-" "$corpus"
done
echo "fuzz: no findings" >&2
