#!/usr/bin/env bash
# The figures of the house: how large it is, and how far from what it is to be. A line each: a name, a number, what it counts.
#   tools/figures.sh           all of them
#   tools/figures.sh NAME...   just these
#   tools/figures.sh --lower   writes into tests/tidy/ratchets.txt what has fallen since
# What stands in that file may only fall: tests/tidy looks.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
ratchets=tests/tidy/ratchets.txt

if [ "${1:-}" = --lower ]; then
  found=$("$0")
  awk 'NR == FNR { now[$1] = $2; next } $1 in now && now[$1] < $2 { $0 = sprintf("%-15s %6d", $1, now[$1]) } { print }' \
    <(printf '%s\n' "$found") $ratchets >$ratchets.new && mv $ratchets.new $ratchets
  exit
fi
wanted=" $* "

figure() { [ "$wanted" = "  " ] || [[ "$wanted" == *" $1 "* ]] || return 0; printf '%-22s %7d  %s\n' "$1" "$(eval "$3")" "$2"; }

sources() { find "${1:-src}" -name '*.cc' -o -name '*.h'; }
lines_each() { sources src | xargs wc -l | grep -v ' total$' | awk '{ print $1 }' | sort -n; }
# count PATTERN [FOLDERS]: how often it stands in src, outside the folders that this pattern fits.
count() { grep -rnoE --include='*.cc' --include='*.h' "$1" src | grep -vE "^src/(${2:-nowhere})/" | wc -l; }
# private_methods HEADER CLASS: those besides one handler an event.
private_methods() {
  awk -v class="$2" '$0 ~ "^class " class " ?(final )?[:{]" { inside = 1 } inside && /^ private:/ { private = 1 } inside && /^ public:/ { private = 0 }
    inside && /^};/ { exit } inside && private { text = text " " $0 } END { print text }' "$1" |
    sed -E 's/struct [A-Za-z]+ \{[^}]*\};//g; s/\{[^{}]*\}/;/g' | grep -oE '[a-z_]+\([^()]*(\([^()]*\)[^()]*)*\)( const)?( *;)' | grep -cvE '^on\('
}
# walk WORDS: how many files the walk in ARCHITECTURE.md names, whose heading holds these words.
walk() { awk -v words="$1" '/^#/ { inside = index($0, words) > 0 } inside' ARCHITECTURE.md | grep -oE '`[a-z_/]+\.(cc|h)`' | sort -u | wc -l; }

system_calls='(^|[^a-zA-Z0-9_.>:])::(open|openat|flock|fork|posix_spawnp?|waitpid|rename|renameat2?|nanosleep)\(|\benviron\b|sleep_for\('
dialects='markdown|chain|session|team|workspace'

figure lines            "lines of src"                                   'sources src | xargs cat | wc -l'
figure files            "files of src"                                   'sources src | wc -l'
figure median_file      "lines of the file in the middle"                'lines_each | awk "{ a[NR] = \$1 } END { print a[int((NR + 1) / 2)] }"'
figure largest_file     "lines of the largest file"                      'lines_each | tail -1'
figure cli_lines        "lines of src/cli"                               'sources src/cli | xargs cat | wc -l'
figure engine_header    "lines of engine/engine.h"                       'wc -l < src/engine/engine.h'
figure engine_methods   "private methods of Engine"                      'private_methods src/engine/engine.h Engine'
figure run_methods      "private methods of Run, handlers of events left out" 'private_methods src/core/run.h Run'
figure engine_seams     "members of Engine::Seams"                       'awk "/struct Seams/ { inside = 1; next } inside && /};/ { exit } inside && /;/" src/engine/engine.h | wc -l'
figure seams_in_cli     "seams of the engine that classes of cli are"    'grep -rnE --include="*.cc" --include="*.h" "public (Turns|Answers|Mirror|Skills|AgentSettings|Runtimes|Files|Clock|AttemptHost|Journal|DialectRun)\b" src/cli | wc -l'
figure system_calls     "system calls on files and processes outside io, holder and courier" 'count "$system_calls" "io|holder|courier"'
figure dialect_names    "dialects that are compared by name outside their rooms" 'count "dialect (==|!=) \"($dialects)\"" "dialect/[a-z]*"'
figure codes_compared   "decisions by the code of an error"              'count "(\.|->)code (==|!=) \""'
figure invariants       "invariants: uses of BATON_ENSURE"               'count "BATON_ENSURE\("'
figure markdown_walk    "files on the way of a Markdown step"            'walk "a Markdown step"'
figure callback_walk    "files on the way of a callback of a team"       'walk "a callback of a team"'
