// What the shells are told. They know nothing of Baton's verbs and options: they ask `baton __complete`.
#include "cli/completion.h"

namespace baton::cli {
namespace {

constexpr const char* bash_script = R"sh(# Completion of baton for bash. Try it:  source <(baton completion bash)
_baton() {
  COMPREPLY=()
  local program=$1 line=${COMP_LINE:0:COMP_POINT} words=() before word i
  # Readline parts words at '=' and ':' as well. What stands together in the line belongs together.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    before=$line
    line=${line#"${line%%[![:space:]]*}"}
    ((i < COMP_CWORD)) || word=$line
    line=${line#"$word"}
    if ((i > 0)) && [[ $before != [[:space:]]* ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  [[ $program != "~/"* ]] || program=$HOME/${program#"~/"}
  local cur=${words[${#words[@]}-1]} kept= head mark lines=()
  mapfile -t lines < <("$program" __complete "${words[@]:1}" 2>/dev/null)
  ((${#lines[@]} > 0)) || return 0
  # Readline keeps what stands before the last of these as it is.
  for mark in = :; do
    [[ $COMP_WORDBREAKS == *"$mark"* && $cur == *"$mark"* ]] || continue
    head=${cur%"${cur##*"$mark"}"}
    ((${#head} <= ${#kept})) || kept=$head
  done
  for line in "${lines[@]:1}"; do
    word=${line%%$'\t'*}
    COMPREPLY+=("${word#"$kept"}")
  done
  local path=${cur##*=} how=
  case ${lines[0]} in
    :files*) how=-f ;;
    :folders*) how=-d ;;
  esac
  if [[ -n $how ]]; then
    head=${cur%"$path"}
    head=${head#"$kept"}
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$head$word"); done < <(compgen "$how" -- "$path")
  fi
  [[ ${lines[0]} != *" open" ]] || compopt -o nospace 2>/dev/null
  return 0
}
complete -F _baton baton
)sh";

constexpr const char* zsh_script = R"sh(#compdef baton
# Completion of baton for zsh. Try it:  source <(baton completion zsh)
_baton() {
  local -a lines values shown how
  local line value
  lines=("${(@f)$(${(Q)words[1]} __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  [[ -n ${lines[1]} ]] || return 1
  for line in "${(@)lines[2,-1]}"; do
    value=${line%%$'\t'*}
    values+=("$value")
    [[ $line == *$'\t'* ]] && shown+=("$value  -- ${line#*$'\t'}") || shown+=("$value")
  done
  [[ ${lines[1]} == *" open" ]] && how=(-S '')
  local -i ret=1
  if (( $#values )); then
    compadd -l -d shown "${how[@]}" -- "${values[@]}" && ret=0
  fi
  case ${lines[1]} in
    :files*) compset -P '*='; _files && ret=0 ;;
    :folders*) compset -P '*='; _files -/ && ret=0 ;;
  esac
  return ret
}
if [[ ${funcstack[1]} == _baton ]]; then
  _baton "$@"
else
  compdef _baton baton
fi
)sh";

constexpr const char* fish_script = R"sh(# Completion of baton for fish. Try it:  baton completion fish | source
function __baton_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    set -q lines[1]; or return
    set -q lines[2]; and printf '%s\n' $lines[2..-1]
    set -l path (string replace -r '^.*=' '' -- "$current")
    set -l head (string sub -l (math (string length -- "$current") - (string length -- "$path")) -- "$current")
    switch $lines[1]
        case ':files*'
            for one in (__fish_complete_path "$path")
                printf '%s%s\n' "$head" "$one"
            end
        case ':folders*'
            for one in (__fish_complete_directories "$path")
                printf '%s%s\n' "$head" "$one"
            end
    end
end
complete -c baton -f -a '(__baton_complete)'
)sh";

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_script;
  if (shell == "zsh") return zsh_script;
  return shell == "fish" ? fish_script : "";
}

}  // namespace baton::cli
