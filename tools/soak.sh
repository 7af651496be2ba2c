#!/usr/bin/env bash
# The long tests, as far as one has time for them. ./dev soak builds first; this only runs what is built.
#   tools/soak.sh [--seeds N] [--kills N] [--syscalls] [--fuzz SECONDS]     without options: all, with large numbers
#   tools/soak.sh --flaky N …     tools/flaky.sh says what
# BUILD=folder takes the programs from another build (default: build).
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
build=${BUILD:-build}
seeds=0 kills=0 syscalls=no fuzz=0

need_number() { [[ "${2:-}" =~ ^[0-9]+$ ]] || { echo "soak: $1 needs a number" >&2; exit 2; }; }

while [ $# -gt 0 ]; do
  case "$1" in
    --flaky) shift; exec tools/flaky.sh "$@" ;;
    --seeds) need_number "$1" "${2:-}"; seeds=$2; shift 2 ;;
    --seeds=*) need_number --seeds "${1#*=}"; seeds=${1#*=}; shift ;;
    --kills) if [[ "${2:-}" =~ ^[0-9]+$ ]]; then kills=$2; shift 2; else kills=5000; shift; fi ;;
    --kills=*) need_number --kills "${1#*=}"; kills=${1#*=}; shift ;;
    --syscalls) syscalls=yes; shift ;;
    --fuzz) if [[ "${2:-}" =~ ^[0-9]+$ ]]; then fuzz=$2; shift 2; else fuzz=600; shift; fi ;;
    --fuzz=*) need_number --fuzz "${1#*=}"; fuzz=${1#*=}; shift ;;
    *) echo "soak: there is no '$1'; there are --seeds N, --kills N, --syscalls, --fuzz SECONDS and --flaky N" >&2; exit 2 ;;
  esac
done
if [ "$seeds" = 0 ] && [ "$kills" = 0 ] && [ "$syscalls" = no ] && [ "$fuzz" = 0 ]; then
  seeds=200000 kills=5000 syscalls=yes fuzz=600
fi

failed=0
reached=()

# part NAME PROGRAM FILTER: runs it with the environment given before it; remembers how far it came.
part() {
  local name=$1 program=$2 filter=$3 began=$SECONDS log
  log=$(mktemp)
  printf '\033[1m==> %s\033[0m\n' "$name" >&2
  if [ ! -x "$build/tests/$program" ]; then
    reached+=("$name: not built ($build/tests/$program)"); failed=1
    return
  fi
  if "$build/tests/$program" --gtest_filter="$filter" 2>&1 | tee "$log"; [ "${PIPESTATUS[0]}" = 0 ] && ! grep -q SKIPPED "$log"; then
    reached+=("$name: passed in $((SECONDS - began)) s; $(grep -vE '^\[|^Running|^Note|^$' "$log" | tail -1)")
  else
    reached+=("$name: FAILED after $((SECONDS - began)) s; $(grep -oE 'BATON_[A-Z_]+=[0-9]+( BATON_[A-Z_]+=[0-9]+)*|killed at .*' "$log" | head -1)")
    failed=1
  fi
  rm -f "$log"
}

[ "$seeds" = 0 ] || BATON_SIM_SEEDS=$seeds part "$seeds seeds of the simulator" sim '*'
if [ "$kills" != 0 ]; then
  seed=${BATON_KILL_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
  BATON_KILLS=$kills BATON_KILL_SEED=$seed part "$kills kills of the engine (seed $seed)" crash 'RandomKills.*'
  BATON_CHAIN_KILLS=$((kills / 5)) BATON_LANDING_KILLS=$((kills / 20)) BATON_KILL_SEED=$seed \
    part "$((kills / 5)) kills of chains, $((kills / 20)) of a landing (seed $seed)" crash 'RandomChainKills.*:LandingKilled.*'
  BATON_API_ROUNDS=$((kills / 10)) BATON_KILL_SEED=$seed \
    part "$((kills / 10)) rounds of a task over a model's API (seed $seed)" crash 'ApiRounds.*'
fi
[ "$syscalls" = no ] || BATON_SYSCALL_SWEEP=1 part "a kill at every system call" crash 'SyscallSweep.*:WakeSweep.*'
[ "$syscalls" = no ] || BATON_GIT_CUTS=all part "a kill before every change that git makes" unit_git '*Cut.*'
if [ "$fuzz" != 0 ]; then  # the readers that strangers' programs and servers write to all the time
  for reader in claude_stream api_stream; do
    if tools/fuzz.sh "$fuzz" "$reader"; then
      reached+=("the reader $reader: $fuzz s of fuzzing without a finding")
    else
      reached+=("the reader $reader: FAILED; its input is in .cache/fuzz"); failed=1
    fi
  done
fi

printf '\nreached:\n'
printf '  %s\n' "${reached[@]}"
exit $failed
