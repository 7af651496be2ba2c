#!/usr/bin/env bash
# Looks for tests that fail now and then: runs them again and again, and prints a table of what failed how often.
#   tools/flaky.sh N [--only busy|calm|asan] [-R PATTERN]
# busy: the groups that touch processes, time, terminals, the network or git, N times, each second time with every core loaded
# calm: the others, N/4 times     asan: the busy groups under the sanitizers, N/4 times     -R: just tests that are called so
# Everything has to be built. What failed is kept in .cache/flaky, a log a round. A failure is a bug to mend, never to retry.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
rounds=$1 only=all pattern=
shift
while [ $# -gt 0 ]; do
  case "$1" in
    --only) only=$2; shift 2 ;;
    -R) pattern=$2; shift 2 ;;
    *) echo "flaky: there is no '$1'; there are --only busy|calm|asan and -R PATTERN" >&2; exit 2 ;;
  esac
done
busy='^(unit_git|unit_host|unit_courier|unit_tool|unit_embed|unit_journal|unit_engine|cli|crash|agents|library)(\.|$)'
logs=.cache/flaky
rm -rf "$logs"
mkdir -p "$logs"
cores=$(nproc)
burners=()
trap 'stop_load' EXIT

start_load() { for _ in $(seq "$cores"); do (while :; do :; done) & burners+=($!); done; }
stop_load() { for pid in "${burners[@]}"; do kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; done; burners=(); }

# round NAME BUILD CTEST-ARGUMENT...: once; the log stays if something failed.
round() {
  local name=$1 build=$2 began=$SECONDS log=$logs/$1.log
  shift 2
  if GTEST_BRIEF=1 ctest --test-dir "$build" --output-on-failure -j "$((2 * cores))" ${pattern:+-R "$pattern"} "$@" >"$log" 2>&1; then
    echo "$name: passed in $((SECONDS - began)) s" >&2
    rm -f "$log"
  else
    echo "$name: FAILED after $((SECONDS - began)) s: $(grep -oE '\[  FAILED  \] [A-Za-z/]+\.[A-Za-z0-9_/]+' "$log" | sort -u | cut -d' ' -f5 | tr '\n' ' ')" >&2
  fi
}

quarter=$(((rounds + 3) / 4))
if [ "$only" = all ] || [ "$only" = busy ]; then
  for n in $(seq "$rounds"); do
    if [ $((n % 2)) = 0 ]; then start_load; round "busy-loaded-$n" build ${pattern:+} $([ -n "$pattern" ] || echo "-R $busy"); stop_load
    else round "busy-$n" build $([ -n "$pattern" ] || echo "-R $busy"); fi
  done
fi
if [ "$only" = all ] || [ "$only" = calm ]; then
  for n in $(seq "$quarter"); do round "calm-$n" build -E "$busy"; done
fi
if [ "$only" = all ] || [ "$only" = asan ]; then
  export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
  for n in $(seq "$quarter"); do round "asan-$n" build/asan $([ -n "$pattern" ] || echo "-R $busy"); done
fi

printf '\n%-70s %s\n' 'test that failed' rounds
cat "$logs"/*.log 2>/dev/null | grep -oE '^\[  FAILED  \] [A-Za-z/]+\.[A-Za-z0-9_/]+ \(' | cut -d' ' -f5 | sort | uniq -c |
  awk '{ printf "%-70s %d\n", $2, $1 }' || true
grep -hE '\*\*\*(Timeout|Exception|SEGFAULT)' "$logs"/*.log 2>/dev/null || true
if compgen -G "$logs/*.log" >/dev/null; then echo "the logs are in $logs"; exit 1; fi
echo "none; rounds asked for: $rounds"
