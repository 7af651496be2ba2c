#!/usr/bin/env python3
"""Records what the real claude prints, for tests/unit/runtime/streams: tools/record-claude.py [CASE]...

Each case runs the program that tools/get-claude.sh fetches, in a home of its own, against
tests/support/scripted_model.py. CASE.ndjson is what it printed, runs.json how each run ended. Ids, paths and times are
replaced and the long lists of its own commands cut; words, order, members, tokens and costs are as printed.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STREAMS = os.path.join(ROOT, "tests/unit/runtime/streams")
SCHEMA = ('{"type":"object","required":["city","people"],'
          '"properties":{"city":{"type":"string"},"people":{"type":"integer"}}}')
SESSION = "0b5f6a52-5d0e-4a57-9d0c-3d1a9f3c2e11"
LIST_KEPT = 4
HOOK = [{"hooks": [{"type": "command", "command": "cat > /dev/null"}]}]
HOOKS = {"hooks": {name: HOOK for name in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")}}
REVIEWER = {"reviewer": {"description": "Reads a change", "prompt": "You read changes.", "model": "haiku",
                         "tools": ["Read"]}}
SLOW_TOOL = "#!/bin/sh\necho $$ > tool.pid\nsleep 600\n"
MCP_SERVER = '''import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    if "id" not in ask:
        continue
    answer = {"initialize": {"protocolVersion": ask.get("params", {}).get("protocolVersion"),
                             "capabilities": {"tools": {}}, "serverInfo": {"name": "mirror", "version": "1"}},
              "tools/list": {"tools": [{"name": "mirror", "description": "Says it back", "inputSchema":
                                        {"type": "object", "properties": {"word": {"type": "string"}}}}]},
              "tools/call": {"content": [{"type": "text", "text": "mirrored"}]}}.get(ask["method"], {})
    print(json.dumps({"jsonrpc": "2.0", "id": ask["id"], "result": answer}), flush=True)
'''


class Model:
    """The scripted model, and how many requests it had."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-B", os.path.join(ROOT, "tests/support/scripted_model.py")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def ask(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


# --- What is done to a run while it runs ------------------------------------------------------------------------------

def asked(run):
    """The model has begun its answer, and the program had time to read what there is of it."""
    run.model.ask(until={"requests": 1})
    time.sleep(0.7)


def in_tool(run):
    while not os.path.exists(run.path("tool.pid")):
        time.sleep(0.05)
    time.sleep(0.3)


def signalled(ready, number):
    def act(run):
        ready(run)
        run.process.send_signal(number)
    return act


def stopped(seconds):
    def act(run):
        asked(run)
        run.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        run.model.ask(go="rest")
        run.process.send_signal(signal.SIGCONT)
    return act


def said(text):
    return {"type": "user", "message": {"role": "user", "content": text}}


def two_turns(run):
    run.say(said('Name a river. FAKE({"text":"The Loire."})'))
    run.until("result")
    run.say(said('And a lake. FAKE({"text":"Lake Garda."})'))
    run.until("result")


def interrupted(run):
    run.say({"type": "control_request", "request_id": "c1", "request": {"subtype": "initialize"}})
    run.until("control_response")
    run.say(said(f"Name a river. FAKE({ENDLESS})"))
    asked(run)
    run.say({"type": "control_request", "request_id": "c2", "request": {"subtype": "interrupt"}})
    run.until("result")
    run.say(said('And a lake. FAKE({"text":"Lake Garda."})'))
    run.until("result")


def permitted(run):
    run.say(said('Do it. FAKE([{"shell":"echo one > one.txt"},{"text":"It is done."}])'))
    wish = run.until("control_request")
    run.say({"type": "control_response", "response": {
        "subtype": "success", "request_id": wish["request_id"],
        "response": {"behavior": "allow", "updatedInput": wish["request"]["input"]}}})
    run.until("result")


# --- The cases --------------------------------------------------------------------------------------------------------

ENDLESS = json.dumps({"text": "There is much to say of it, and more that could be said.", "end": "silence"})


def case(fake, *options, act=None, **env):
    return {"prompt": f"Do it. FAKE({fake})", "options": options, "act": act, "env": env}


def spoken(act, *options):
    return {"prompt": None, "options": ("--input-format", "stream-json") + options, "act": act, "env": {}}


def steps(*all_steps):
    return json.dumps(all_steps)


FEW = {"CLAUDE_CODE_MAX_RETRIES": "2"}
ONE = {"CLAUDE_CODE_MAX_RETRIES": "1"}
BASH = ("--allowedTools", "Bash")
CACHED = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 2000, "cache_creation_input_tokens": 300}
DEAR = {"input_tokens": 100000, "output_tokens": 5000, "cache_read_input_tokens": 20000,
        "cache_creation_input_tokens": 1000}
GREETS = steps({"text": "Good morning from the model.", "usage": CACHED})
BUSY = {"status": 429, "retry_after": 1}
WORKS = steps({"text": "I write two files.", "shell": "echo one > one.txt; cat one.txt"}, {"write": ["two.txt", "two"]},
              {"text": "Both are there."})
SLOW = steps({"shell": "./slow.sh"}, {"text": "It ran."})
TOO_LONG = {"status": 400, "message": "prompt is too long: 230000 tokens > 200000 maximum"}

CASES = {
    "api-400-too-long": case(steps(TOO_LONG)),
    "api-401": case("401", **FEW),
    "api-429-then-ok": case(steps(BUSY, BUSY, {"text": "At last."})),
    "api-500-give-up": case("500", **FEW),
    "api-529-give-up": case("529"),
    "background-two-results": case(steps(
        {"tool": ["Bash", {"command": "sleep 1; echo later", "description": "Waits", "run_in_background": True}]},
        {"text": "It runs behind me."}, {"text": "Now it has ended."}), *BASH),
    "budget": case(steps({"shell": "true", "usage": DEAR}), "--max-budget-usd", "0.5"),
    "connection-refused": {**case("ok", **ONE), "refused": True},
    "dropped-give-up": case("drop", **ONE),
    "dropped-then-ok": case("drop ok"),
    "empty": case("empty"),
    "fallback-model": case("529 529 529 ok", "--fallback-model", "haiku"),
    "hooks": case(steps({"shell": "echo one"}, {"text": "It is done."}), "--settings", json.dumps(HOOKS),
                  "--include-hook-events", *BASH),
    "input-interrupt": spoken(interrupted),
    "input-stream": spoken(two_turns, "--replay-user-messages"),
    "malformed-then-ok": case("malformed ok"),
    "max-turns": case(steps({"shell": "true"}), "--max-turns", "2", *BASH),
    "mcp-tool": case(steps({"tool": ["mcp__mirror__mirror", {"word": "hi"}]}, {"text": "It is done."}), "--mcp-config",
                     "mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__mirror__mirror"),
    "no-api-key": {**case("ok"), "keyless": True},
    "permission-over-stdio": spoken(permitted, "--permission-prompt-tool", "stdio"),
    "refusal": case("refuse"),
    "schema-missing": case("ok", "--json-schema", SCHEMA),
    "schema-ok": case(steps({"tool": ["StructuredOutput", {"city": "Ghent", "people": "many"}]},
                            {"tool": ["StructuredOutput", {"city": "Ghent", "people": 265000}]},
                            {"text": "It is done."}),
                      "--json-schema", SCHEMA),
    "session-missing": case("ok", "--resume", SESSION),
    "session-start": case(steps({"text": "One."}), "--session-id", SESSION),
    "session-resume": {**case(steps({"text": "Two."}), "--resume", SESSION), "after": "session-start"},
    "sigint-api": case(ENDLESS, act=signalled(asked, signal.SIGINT)),
    "sigint-tool": case(SLOW, *BASH, act=signalled(in_tool, signal.SIGINT)),
    "sigkill-tool": case(SLOW, *BASH, act=signalled(in_tool, signal.SIGKILL)),
    "sigterm-api": case(ENDLESS, act=signalled(asked, signal.SIGTERM)),
    "sigterm-tool": case(SLOW, *BASH, act=signalled(in_tool, signal.SIGTERM)),
    "stop-cont-api-timeout": case(steps({"text": "Too late.", "delay": 2000}, {"text": "The second time."}),
                                  act=stopped(7), API_TIMEOUT_MS="3000"),
    "stop-cont": case(steps({"text": "An answer in two halves.", "middle": "rest"}), act=stopped(5)),
    "subagent": case(steps({"tool": ["Agent", {"description": "read it", "prompt": 'Read. FAKE({"text":"I read it."})',
                                               "subagent_type": "reviewer", "run_in_background": False}]},
                           {"text": "It is read."}), "--agents", json.dumps(REVIEWER), "--forward-subagent-text"),
    "success-partial": case(GREETS, "--include-partial-messages"),
    "success": case(GREETS),
    "thinking": case(steps({"thinking": "What is asked of me?", "text": "Nothing."})),
    "tool-denied": case(WORKS),
    "tool-use": case(WORKS, "--permission-mode", "acceptEdits"),
    "truncated-forever": case("truncate"),
    "truncated": case("truncate ok"),
}


# --- One run ----------------------------------------------------------------------------------------------------------

class Run:
    def __init__(self, program, what, folder, model):
        self.model, self.folder, self.lines = model, folder, []
        os.makedirs(self.path("."), exist_ok=True)
        for name, text in (("slow.sh", SLOW_TOOL), ("server.py", MCP_SERVER), ("mcp.json", json.dumps(
                {"mcpServers": {"mirror": {"command": sys.executable, "args": [self.path("server.py")]}}}))):
            with open(self.path(name), "w", encoding="utf-8") as out:
                out.write(text)
            os.chmod(self.path(name), 0o755)
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": os.path.join(folder, "user"),
               "ANTHROPIC_API_KEY": "sk-fake",
               "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{1 if what.get('refused') else model.port}",
               "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "TMPDIR": os.path.join(folder, "user/tmp"),
               **what["env"]}
        os.makedirs(env["TMPDIR"], exist_ok=True)
        if what.get("keyless"):
            del env["ANTHROPIC_API_KEY"]
        prompt = [what["prompt"]] if what["prompt"] else []
        words = [program, "-p", *prompt, "--output-format", "stream-json", "--verbose", *what["options"]]
        self.process = subprocess.Popen(words, cwd=self.path("."), env=env, text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL if prompt else subprocess.PIPE,
                                        start_new_session=True)

    def path(self, name):
        return os.path.join(self.folder, "project", name)

    def say(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def until(self, kind):
        """The next line of that type; keeps all that it reads."""
        for line in self.process.stdout:
            self.lines.append(line)
            if json.loads(line).get("type") == kind:
                return json.loads(line)
        raise SystemExit(f"no {kind} came: {self.process.stderr.read()}")

    def end(self, act):
        if act:
            act(self)
        out, err = self.process.communicate(timeout=300)
        if os.path.exists(self.path("tool.pid")):  # a killed program leaves its tool behind, in a session of its own
            with open(self.path("tool.pid"), encoding="utf-8") as pid:
                subprocess.run(["kill", "-9", "--", "-" + os.popen(f"ps -o pgid= {pid.read().strip()}").read().strip()],
                               capture_output=True, check=False)
        return "".join(self.lines) + out, err


def shortened(value, in_lists):
    if isinstance(value, dict):
        return {key: shortened(inner, in_lists) for key, inner in value.items()}
    if isinstance(value, list):
        return [shortened(inner, in_lists) for inner in value[:LIST_KEPT if in_lists else None]]
    return value


def cleaned(text, folder):
    """The same words for every machine and every run."""
    text = text.replace(os.path.join(folder, "project"), "/home/me/project")
    text = text.replace(os.path.join(folder, "user"), "/home/user")
    text = text.replace(re.sub(r"\W|_", "-", folder), "-home-me")
    text = re.sub(r"/cc-socks/\d+", "/cc-socks/1", text)
    known = {}
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
                  lambda m: known.setdefault(m[0], f"00000000-0000-4000-8000-{len(known) + 1:012d}"), text)
    text = re.sub(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", "2026-01-01T00:00:00.000Z", text)
    text = re.sub(r'("(?!retry)\w*_ms"):\d+(\.\d+)?', r"\1:100", text)
    lines = []
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):  # the program was killed
            lines.append(line)
            continue
        event = json.loads(line)
        lists = event.get("subtype") == "init" or event["type"] == "control_response"
        lines.append(json.dumps(shortened(event, lists), ensure_ascii=False, separators=(",", ":")) + "\n")
    return "".join(lines)


def record(program, name, folder):
    what = CASES[name]
    model = Model()
    if "after" in what:
        Run(program, CASES[what["after"]], folder, model).end(None)
    run = Run(program, what, folder, model)
    out, err = run.end(what["act"])
    model.end()
    with open(os.path.join(STREAMS, name + ".ndjson"), "w", encoding="utf-8") as file:
        file.write(cleaned(out, folder))
    about = {"exit": run.process.returncode}
    if err.strip():
        about["stderr"] = err.strip().splitlines()[-1].replace(SESSION, "00000000-0000-4000-8000-000000000001")
    if "--json-schema" in what["options"]:
        about["schema"] = True
    return about


def main():
    program = subprocess.run(["bash", os.path.join(ROOT, "tools/get-claude.sh")], check=True, capture_output=True,
                             text=True).stdout.split("\n")[-2]
    os.makedirs(STREAMS, exist_ok=True)
    index = os.path.join(STREAMS, "runs.json")
    runs = {}
    if os.path.exists(index):
        with open(index, encoding="utf-8") as file:
            runs = json.load(file)
    for name in sys.argv[1:] or CASES:
        with tempfile.TemporaryDirectory(prefix="record-claude-") as folder:
            runs[name] = record(program, name, os.path.realpath(folder))
        print(name, runs[name], flush=True)
        with open(index, "w", encoding="utf-8") as file:
            names = sorted(runs, key=lambda name: name + ".")  # as the files are
            lines = [f" {json.dumps(name)}: {json.dumps(runs[name])}" for name in names]
            file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
