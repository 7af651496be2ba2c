#!/usr/bin/env bash
# Runs the demo workflow in a folder of its own and shows what came out of it.
set -euo pipefail
baton=$1
here="$(dirname "$(readlink -f "$0")")"
folder="${BATON_DEMO_FOLDER:-$(mktemp -d "${TMPDIR:-/tmp}/baton-demo.XXXXXX")}"
cp -r "$here/workflows" "$here/.agents" "$here/rehearsal.yaml" "$here/README.md" "$folder/"
cd "$folder"
echo
echo "A workflow of five agents and one command, in rehearsal. One agent's answer will fail its check."
echo "  \$ baton run field-guide --rehearse=rehearsal.yaml"
echo
"$baton" run field-guide --rehearse=rehearsal.yaml >result.json
echo
echo "The artifact:"
echo
sed 's/^/    /' sandbox/*/outputs/guide.md
echo
echo "What to try next, in $folder:"
echo "  export PATH=\"$(dirname "$baton"):\$PATH\"; cd $folder"
echo "  baton show last             the run, its steps and attempts"
echo "  baton why last folklore     how the failed check led to a second attempt"
echo "  baton run field-guide --rehearse & sleep 1; kill -9 %1; baton resume last"
echo "  baton init                  a first workflow of your own"
