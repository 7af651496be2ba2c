#!/usr/bin/env bash
# Draws docs/images/top.svg anew: real runs in a project of its own, looked at through a real terminal (tmux). The agents
# are a stand-in for `claude` that speaks its stream, so it costs nothing and looks alike each time.
# Usage: tools/top-picture.sh PATH/TO/baton [COLUMNSxROWS]     prints the screen as text, too
set -euo pipefail
baton=$(readlink -f "$1")
size=${2:-120x33}
here="$(dirname "$(readlink -f "$0")")"
work=$(mktemp -d "${TMPDIR:-/tmp}/baton-picture.XXXXXX")
project=$work/webshop
tmux=(tmux -u -S "$work/tmux")
finish() {
  "${tmux[@]}" kill-server 2>/dev/null || true
  for run in "$project"/.baton/runs/*; do "$baton" -C "$project" cancel "${run##*/}" >/dev/null 2>&1 || true; done
  rm -rf "$work"
}
trap finish EXIT
mkdir -p "$project/workflows" "$project/.claude/skills/auditor" "$work/bin" "$work/home"
export HOME=$work/home PATH="$work/bin:$PATH" ANTHROPIC_API_KEY=none
cd "$project"

cat >.claude/skills/auditor/SKILL.md <<'TEXT'
---
name: auditor
description: Reads code with a suspicious mind.
inputless: true
---

Read the code. Say what an attacker could do with it, and where.
TEXT
step() {
  printf '  - id: %s\n    skill: auditor\n    mission: "%s"\n    output: out/%s.md\n' "$1" "$2" "$1"
  [ -z "${3-}" ] || printf '    needs: [%s]\n' "$3"
}
{
  printf -- '---\nname: security-audit\ndescription: Four readers, one verdict.\nsteps:\n'
  step survey "Where does input come in?"
  for part in login uploads payments sessions; do step $part "What could go wrong in the $part?" survey; done
  step verdict "One page: what to mend first." "login, uploads, payments, sessions"
  printf -- '---\n'
} >workflows/security-audit.md
printf -- '---\nname: nightly\ndescription: What has to hold every night.\nsteps:\n  - {id: links, command: "true"}\n  - {id: types, command: "echo 3 errors >&2; exit 1", needs: [links]}\n---\n' >workflows/nightly.md
printf -- '---\nname: deploy\ndescription: Out with it.\nsteps:\n  - {id: build, command: "true"}\n  - {id: ship, command: "sleep 600", needs: [build]}\n---\n' >workflows/deploy.md

cat >"$work/bin/claude" <<'TEXT'
#!/usr/bin/env python3
import json, os, sys, time
if "--version" in sys.argv:
    sys.exit(print("2.1.0 (Claude Code)"))
sys.stdin.read()
step, model = os.environ.get("BATON_STEP", ""), "claude-opus-5-5"
total = [0, 0]
def put(**event):
    print(json.dumps({**event, "session_id": "s1"}), flush=True)
def message(n, used, *content):
    total[0] += used; total[1] += used // 12
    put(type="assistant", parent_tool_use_id=None, message={"id": f"m{n}", "model": model, "content": list(content),
        "usage": {"input_tokens": used, "output_tokens": used // 12}})
def tool(name, answer=None, bad=False, **asked):
    return {"type": "tool_use", "id": "t1", "name": name, "input": asked}
def answer(text, bad=False):
    put(type="user", parent_tool_use_id=None, message={"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": text, "is_error": bad}]})
def text(words): return {"type": "text", "text": words}
put(type="system", subtype="init", model=model, tools=[])
if step == "login":
    message(1, 9200, {"type": "thinking", "thinking": "Where do passwords come in?\nThe form, the API, the reset link.\nI begin with the form."},
            text("I follow a password from the form to the database."), tool("Grep", pattern="password"))
    answer("src/login.ts\nsrc/reset.ts\nsrc/api/session.ts\n")
    message(2, 14100, tool("Read", file_path="src/login.ts"))
    answer("export async function login(form) {\n  …\n}\n")
    message(3, 15800, text("The comparison in **login.ts:41** is not constant in time, and nothing counts failed attempts."),
            tool("Bash", command="npm test -- login\nnpm run lint"))
    answer("Exit code 1: no test covers five failed logins", bad=True)
    message(4, 18900, {"type": "thinking", "thinking": "No test. I write one that fails.\nThen it is on record."},
            text("There is no test for it. I write one that shows the hole."), tool("Write", file_path="test/login_limit.test.ts"))
    answer("File created")
    message(5, 21400, tool("Bash", command="npm test -- login_limit"))
    answer("✗ 1000 wrong passwords in 4.1 s, none refused")
    message(6, 22800, text("As feared: **1000 wrong passwords in 4.1 s**, none refused. Now the reset link …"))
    time.sleep(600)
elif step == "payments":
    message(1, 12400, text("Amounts come from the form. I look at who checks them."), tool("Grep", pattern="amount"))
    time.sleep(600)
else:
    message(1, {"survey": 4100, "uploads": 17300}.get(step, 7600), text("Read."), tool("Bash", command="git ls-files"))
    answer("12 files")
    time.sleep({"survey": 1.1, "uploads": 2.2}.get(step, 1.4))
    if step == "sessions" and os.environ.get("BATON_ATTEMPT") == "1":
        sys.exit(put(type="result", subtype="success", is_error=True, api_error_status=529, result="Overloaded", num_turns=1) or 1)
os.makedirs(os.path.dirname(os.environ["BATON_OUTPUT"]), exist_ok=True)
open(os.environ["BATON_OUTPUT"], "w").write("# Found\n\nNothing.\n")
use = {model: {"inputTokens": total[0], "outputTokens": total[1], "costUSD": total[0] * 4e-6 + total[1] * 2e-5}}
put(type="result", subtype="success", is_error=False, result="Done.", stop_reason="end_turn", num_turns=2,
    total_cost_usd=use[model]["costUSD"], modelUsage=use)
TEXT
chmod +x "$work/bin/claude"
git init -q . && git config user.email a@b.c && git config user.name A && git config commit.gpgsign false
printf 'sandbox/\nout/\n.baton/\n' >.gitignore
git add -A && git commit -qm "A shop"

quietly() { "$@" >/dev/null 2>&1 || true; }
quietly "$baton" run nightly
quietly "$baton" run plan-build --rehearse --task "Limit failed logins to five a minute"
quietly "$baton" run plan-build --rehearse --task "Show prices with tax where the customer lives" --set review.auto_accept=true
quietly "$baton" accept last
quietly "$baton" run deploy --detach
sleep 0.5
quietly "$baton" pause last
quietly "$baton" run security-audit --runtime claude --budget 2 --token-budget 200000 --detach \
  --task "Before the release: what could an attacker do?"

printf 'set -g default-terminal screen-256color\nset -g status off\n' >"$work/tmux.conf"
"${tmux[@]}" -f "$work/tmux.conf" new-session -d -s top -x "${size%x*}" -y "${size#*x}" "$baton top"
"${tmux[@]}" resize-window -t top -x "${size%x*}" -y "${size#*x}"
for _ in $(seq 200); do
  screen=$("${tmux[@]}" capture-pane -p -t top)
  [[ $screen == *"reset link"* && $screen == *"✓ uploads"* && $screen == *"✓ sessions"* ]] && break
  sleep 0.1
done
sleep 1
"${tmux[@]}" capture-pane -p -t top
mkdir -p "$here/../docs/images"
"${tmux[@]}" capture-pane -e -p -t top | "$here/terminal-picture.py" >"${PICTURE:-$here/../docs/images/top.svg}"
