#!/usr/bin/env bash
# Fetches the claude program that tests/agents run, once, and prints where it is. If it cannot, says why and exits 1.
# It goes to ${BATON_CACHE:-${XDG_CACHE_HOME:-~/.cache}}/baton/agents/claude-VERSION, which CI may keep.
set -euo pipefail

version=2.1.325  # the one place that says which
seconds_max=300

why_not() { echo "no claude $version: $*" >&2; exit 1; }

cache=${BATON_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}}
folder=$cache/baton/agents/claude-$version
if [ -x "$folder/claude" ]; then echo "$folder/claude"; exit; fi

[ "$(uname -s)" = Linux ] || why_not "there is a package for Linux only"
case $(uname -m) in
  x86_64) package=@anthropic-ai/claude-code-linux-x64 ;;
  aarch64) package=@anthropic-ai/claude-code-linux-arm64 ;;
  *) why_not "there is no package for $(uname -m)" ;;
esac
command -v npm >/dev/null || why_not "npm is not on PATH"
mkdir -p "$folder" 2>/dev/null || why_not "$folder cannot be made"

# Two test runs at once fetch it once; a half of it is never taken for the whole.
exec 9>"$folder/lock"
flock -w "$seconds_max" 9 || why_not "somebody else has been fetching it for $seconds_max s"
if [ -x "$folder/claude" ]; then echo "$folder/claude"; exit; fi
fresh=$(mktemp -d "$folder/fetch-XXXXXX")
trap 'rm -rf "$fresh"' EXIT
echo "fetching $package@$version from npm (350 MB on disk) into $folder" >&2
if ! timeout "$seconds_max" npm install --prefix "$fresh" --no-save --no-audit --no-fund --ignore-scripts \
    --loglevel=error "$package@$version" >"$fresh/npm.log" 2>&1; then
  why_not "npm could not fetch $package@$version: $(grep -v '^npm warn' "$fresh/npm.log" | head -n 3 | tr '\n' ' ')"
fi
[ -x "$fresh/node_modules/$package/claude" ] || why_not "the package has no program 'claude'"
mv "$fresh/node_modules/$package/claude" "$folder/claude"
echo "$folder/claude"
