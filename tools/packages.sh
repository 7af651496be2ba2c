# What each part of ./dev needs from the system's packages: Debian 12 and 13, Ubuntu 24.04. Sourced by ./dev.
# shellcheck shell=bash disable=SC2034

# boost_packages: the oldest version of Boost from 1.81 on that this system has: what we are tested with most.
boost_packages() {
  local version
  for version in $(apt-cache pkgnames libboost-json1. 2>/dev/null | sed -n 's/^libboost-json1\.\([0-9]*\)-dev$/\1/p' | sort -n); do
    [ "$version" -ge 81 ] || continue
    echo "libboost1.$version-dev libboost-json1.$version-dev"
    return
  done
  echo "libboost1.81-dev libboost-json1.81-dev"
}

demo_packages=(g++ cmake ninja-build ccache mold @boost libtomlplusplus-dev libcli11-dev libfmt-dev libre2-dev libyaml-dev
  libsqlite3-dev libsimdjson-dev libncurses-dev libutf8proc-dev)
build_packages=("${demo_packages[@]}" libcurl4-openssl-dev)
# A ? says: where the system has it at all. Ubuntu has its chromium elsewhere; the tests that want one say so.
test_packages=(libgtest-dev libgmock-dev librapidcheck-dev git tmux sqlite3 python3 openssl tzdata strace zsh fish chromium?)
agent_packages=(nodejs npm)
# Node's own packages bring npm along, and Debian's npm cannot be installed beside them.
! command -v npm >/dev/null || agent_packages=()
lint_packages=(clang-19 clang-tidy-19 clang-format-19)
fuzz_packages=(clang-19 libclang-rt-19-dev)
soak_packages=(strace)
bench_packages=(ninja-build make valgrind nodejs python3)

# The oldest of each that will do, and why it is looked at before anything is installed.
oldest=(g++:4:12 cmake:3.25 libfmt-dev:9 libsimdjson-dev:2)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# candidate PACKAGE: the version that apt would install, or has; nothing if it knows none.
candidate() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \(.*\)/\1/p' | grep -vx '(none)' || true; }

# One line if this system's packages are too old for us, or it lacks one; nothing is installed then.
refuse_what_is_too_old() {
  local entry package wanted have lacking=() text
  for entry in "${oldest[@]}"; do
    package=${entry%%:*} wanted=${entry#*:}
    have=$(candidate "$package")
    if [ -z "$have" ] || dpkg --compare-versions "$have" lt "$wanted"; then
      lacking+=("$package ${wanted#*:} or later (here: ${have:-none})")
    fi
  done
  have=$(candidate "$(boost_packages | cut -d' ' -f2)")
  [ -n "$have" ] || lacking+=("Boost 1.81 or later with its JSON library (here: none)")
  for package in "${missing[@]}"; do
    case " ${oldest[*]} " in *" $package:"*) continue ;; esac
    case $package in @boost | *"?") continue ;; esac
    [ -n "$(candidate "$package")" ] || lacking+=("$package (here: none)")
  done
  [ ${#lacking[@]} = 0 ] && return
  text=$(printf '%s; ' "${lacking[@]}")
  echo "./dev: this system is too old for Baton, which needs Debian 12, Ubuntu 24.04 or later: missing ${text%; }" >&2
  exit 1
}

# A fresh system, or a slim image, has no lists of packages; apt knows then only what is installed.
apt_knows_packages() { compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; }

# Of `missing`, those with a ? that the system does not know go, and the tests are told; the others lose their ?.
drop_what_is_not_to_be_had() {
  local package kept=()
  for package in "${missing[@]}"; do
    if [ "$package" = "${package%"?"}" ] || [ -n "$(candidate "${package%"?"}")" ]; then
      kept+=("${package%"?"}")
    else
      export BATON_NOT_TO_BE_HAD="${BATON_NOT_TO_BE_HAD:-} ${package%"?"}"
    fi
  done
  missing=("${kept[@]}")
}

# Installs what is missing, and nothing else; says what.
need() {
  command -v dpkg-query >/dev/null || { echo "./dev: installs from Debian's packages, and this system has none; needed: $*" >&2; exit 1; }
  local wanted missing=() package
  wanted=" $* "
  if [[ $wanted == *" @boost "* ]]; then
    # Any version that is there will do.
    if dpkg-query -W -f='${db:Status-Status} ${Package}\n' 'libboost-json1.*-dev' 2>/dev/null | grep -qE '^installed .*1\.(8[1-9]|9)'; then
      wanted=${wanted/ @boost / }
    fi
  fi
  local installed
  # shellcheck disable=SC2086
  installed=" $({ dpkg-query -W -f='${db:Status-Status} ${Package}\n' $(tr -d '?' <<<"${wanted/ @boost / }") 2>/dev/null || true; } | sed -n 's/^installed //p' | tr '\n' ' ')"
  for package in $wanted; do
    [[ $installed == *" ${package%"?"} "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0  # apt takes a second for each question
  if apt_knows_packages; then drop_what_is_not_to_be_had; fi
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    if apt_knows_packages; then refuse_what_is_too_old; fi
    missing=("${missing[@]%"?"}")
    echo "./dev: missing: ${missing[*]/@boost/$(boost_packages)}; install them as root, or install sudo" >&2
    exit 1
  fi
  say "looking for packages: ${missing[*]/@boost/boost}"
  as_root apt-get update -qq || say "apt could not read all of its sources; going on with what it knows"
  apt_knows_packages || { echo "./dev: apt knows no packages: is there a network, and are its sources right?" >&2; exit 1; }
  refuse_what_is_too_old
  drop_what_is_not_to_be_had
  [ ${#missing[@]} -gt 0 ] || return 0
  # shellcheck disable=SC2206
  missing=(${missing[*]/@boost/$(boost_packages)})
  say "installing ${#missing[@]} packages and what they need: ${missing[*]}"
  # What the user has installed is not ours to remove: another version of Boost, say.
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-remove "${missing[@]}" >/dev/null ||
    { echo "./dev: apt installed nothing of it, and its words above say why; by hand: apt-get install ${missing[*]}" >&2; exit 1; }
}
