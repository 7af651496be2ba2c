#!/usr/bin/env bash
# Looks for tests that fail now and then: runs them again and again, and prints a table of what failed how often.
#   tools/flaky.sh N [--only busy|calm|asan] [-R PATTERN]
#   tools/flaky.sh N --alone PROGRAM TESTS     just these tests of one program, as GoogleTest takes them
# busy: the groups that touch processes, time, terminals, the network or git, N times, each second time with every core loaded
# calm: the others, N/4 times     asan: the busy groups under the sanitizers, N/4 times
# -R: just the programs that are called so
# Everything has to be built. What failed is kept in .cache/flaky, a log a round. A failure is a bug to mend, never to retry.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
usage() { echo "flaky: $1; there are N [--only busy|calm|asan] [-R PATTERN] and N --alone PROGRAM TESTS" >&2; exit 2; }
[[ "${1:-}" =~ ^[1-9][0-9]*$ ]] || usage "--flaky needs a number"
rounds=$1 only=all alone=()
busy='^(unit_git|unit_host|unit_courier|unit_tool|unit_embed|unit_journal|unit_engine|cli|crash|agents|library)(\.|$)'
chosen=()
shift
while [ $# -gt 0 ]; do
  [ $# -gt 1 ] || usage "$1 needs a value"
  if [ "$1" = --alone ]; then
    [ $# = 3 ] && [ -x "build/tests/$2" ] || usage "--alone needs a program of build/tests and its tests"
    alone=("build/tests/$2" "--gtest_filter=$3")
    "${alone[@]}" --gtest_list_tests | grep -q '^  ' || usage "$2 has no test that is called so: $3"
    break
  fi
  case "$1" in
    --only) [[ "$2" =~ ^(busy|calm|asan)$ ]] || usage "there is no --only $2"; only=$2 ;;
    -R) chosen=(-R "$2") ;;
    *) usage "there is no '$1'" ;;
  esac
  shift 2
done
logs=.cache/flaky
rm -rf "$logs"
mkdir -p "$logs"
cores=$(nproc)
burners=()
trap 'stop_load' EXIT

start_load() { for _ in $(seq "$cores"); do (while :; do :; done) & burners+=($!); done; }
stop_load() { for pid in "${burners[@]}"; do kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; done; burners=(); }

# failed_in LOG...: the tests that failed there, and the programs that ended in another way than by a failed test.
failed_in() {
  sed -nE -e 's/^.*\[  FAILED  \] ([^ ,]+).* \([0-9]+ ms\)$/\1/p' \
    -e 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .*\*\*\*(Timeout|Exception|Not Run)[: ]*([A-Za-z]*).*/\1 (\2 \3)/p' \
    -e 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: (bench_words) .*\*\*\*Failed.*/\1/p' \
    -e 's/^.*SUMMARY: ([A-Za-z]*Sanitizer: [^ ]+).*/\1/p' "$@"
}

# names BUILD busy|calm: which of the chosen tests those are, as a pattern; nothing if there are none.
names() {
  local those=(-E "$busy") found
  [ "$2" = calm ] || those=()
  found=$(ctest --test-dir "$1" -N "${chosen[@]}" "${those[@]}" | sed -nE 's/^ *Test *#[0-9]+: (.*)/\1/p')
  [ "$2" = calm ] || found=$(grep -E "$busy" <<<"$found")
  [ -z "$found" ] || echo "^($(paste -sd '|' <<<"$found"))$"
}

# tests BUILD PATTERN
tests() { GTEST_BRIEF=1 ctest --test-dir "$1" --output-on-failure --no-tests=error -j "$((2 * cores))" -R "$2"; }

# alone: these tests of one program; they have to be run, and pass.
alone() {
  local said how=0
  said=$("${alone[@]}" 2>&1) || how=$?
  printf '%s\n' "$said"
  [ $how = 0 ] && grep -qE '^\[  PASSED  \] [1-9]' <<<"$said"
}

# round NAME COMMAND...: once; the log stays if something failed.
round() {
  local name=$1 began=$SECONDS log=$logs/$1.log
  shift
  if "$@" >"$log" 2>&1; then
    echo "$name: passed in $((SECONDS - began)) s" >&2
    rm -f "$log"
  else
    echo "$name: FAILED after $((SECONDS - began)) s: $(failed_in "$log" | sort -u | tr '\n' ' ')" >&2
  fi
}

# rounds_of NAME COMMAND...: as many as asked for, half of them with every core loaded.
rounds_of() {
  local name=$1 n
  shift
  for n in $(seq "$rounds"); do
    if [ $((n % 2)) = 0 ]; then start_load; round "$name-loaded-$n" "$@"; stop_load; else round "$name-$n" "$@"; fi
  done
}

quarter=$(((rounds + 3) / 4))
if [ ${#alone[@]} != 0 ]; then
  rounds_of alone alone
  only=none
fi
began=0
# looks KIND BUILD: true if these are wanted, and there are any; the global `which` has them.
looks() {
  [ "$only" = all ] || [ "$only" = "$1" ] || return 1
  which=$(names "$2" "${1/asan/busy}")
  [ -n "$which" ] && began=1
}
if looks busy build; then rounds_of busy tests build "$which"; fi
if looks calm build; then
  for n in $(seq "$quarter"); do round "calm-$n" tests build "$which"; done
fi
if looks asan build/asan; then
  export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
  for n in $(seq "$quarter"); do round "asan-$n" tests build/asan "$which"; done
fi
[ "$only" = none ] || [ $began = 1 ] || usage "no test is called so: ${chosen[*]}"

if ! compgen -G "$logs/*.log" >/dev/null; then
  echo "no test failed; rounds asked for: $rounds"
  exit
fi
printf '\n%-70s %s\n' 'what failed' rounds
for log in "$logs"/*.log; do failed_in "$log" | sort -u; done | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\2\t\1/' |
  awk -F'\t' '{ printf "%-70s %d\n", $1, $2 }'
echo "the logs are in $logs"
exit 1
