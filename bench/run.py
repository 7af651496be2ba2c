#!/usr/bin/env python3
"""Measures baton beside its peers, in one run, and prints ratios first.

Usage: bench/run.py [--rounds N] [--json FILE] [--write]     (--write: docs/performance.md)
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import dashboard
import http_calls
import sessions
import teams

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build" / "bin"
TOOLS = ROOT / "build" / "bench"


def measure(argv, cwd, setup=None):
    """Seconds that the command takes; it has to succeed."""
    if setup:
        setup()
    start = time.perf_counter()
    subprocess.run(argv, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def workflow(folder, name, count, chain):
    lines = ["---", f"name: {name}", "description: bench", "steps:"]
    for i in range(count):
        needs = f", needs: [s{i - 1}]" if chain and i else ""
        lines.append(f"  - {{id: s{i}, command: [/bin/true]{needs}}}")
    (folder / "workflows").mkdir(exist_ok=True)
    (folder / "workflows" / f"{name}.md").write_text("\n".join(lines + ["---", ""]))


def ninja_file(folder, name, count, chain):
    text = "rule t\n  command = /bin/true\n"
    for i in range(count):
        text += f"build o{i}: t{f' o{i - 1}' if chain and i else ''}\n"
    (folder / f"{name}.ninja").write_text(text)


def phony_file(folder, count):
    with open(folder / "phony.ninja", "w") as out:
        for i in range(count):
            needs = f" o{i - 10} o{i // 2}" if i >= 10 else ""
            out.write(f"build o{i}: phony{needs}\n")


class Bench:
    def __init__(self, rounds):
        self.rounds = rounds
        self.times = {}
        self.facts = {}
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="baton-bench."))

    def side_by_side(self, contenders):
        """Takes turns, so that what else the machine does falls on all alike."""
        for _ in range(self.rounds):
            for name, argv, setup in contenders:
                self.times.setdefault(name, []).append(measure(argv, self.folder, setup))

    def median(self, name):
        return statistics.median(self.times[name])

    def dispatch(self):
        f = self.folder
        for name, chain in (("independent", False), ("chain", True)):
            workflow(f, name, 1000, chain)
            ninja_file(f, name, 1000, chain)

        def forget():
            for junk in f.glob(".ninja*"):
                junk.unlink()

        baton = str(BIN / "baton")
        spawn = str(TOOLS / "bench_spawn")
        self.side_by_side([
            ("bare loop, independent", [spawn, "1000", "2"], None),
            ("ninja, independent", ["ninja", "-f", "independent.ninja", "-j2", "--quiet"], forget),
            ("baton, independent", [baton, "run", "independent", "--jobs", "2", "-q"], None),
            ("bare loop, chain", [spawn, "1000", "1"], None),
            ("ninja, chain", ["ninja", "-f", "chain.ninja", "-j2", "--quiet"], forget),
            ("baton, chain", [baton, "run", "chain", "--jobs", "2", "-q"], None),
        ])

    def plans(self):
        phony_file(self.folder, 1_000_000)
        for count in (1_000, 10_000, 100_000, 1_000_000):
            samples = []
            for _ in range(3):
                out = subprocess.run([str(TOOLS / "bench_plan"), str(count)], check=True, capture_output=True, text=True)
                _, read_ms, run_ms, mb = out.stdout.split()
                samples.append((float(read_ms) + float(run_ms), float(run_ms), int(mb)))
            total, run_ms, mb = sorted(samples)[1]
            self.facts[f"plan of {count:,} steps"] = {"ms": total, "us_per_step": total * 1000 / count, "mb": mb}
        loads = [measure(["ninja", "-f", "phony.ninja", "-n", "o1"], self.folder) for _ in range(3)]
        self.facts["ninja loads 1,000,000 phony edges"] = {"ms": statistics.median(loads) * 1000}

    def start_up(self):
        self.side_by_side([("ninja --version", ["ninja", "--version"], None),
                           ("baton --version", [str(BIN / "baton"), "--version"], None)] * 10)

    def lists(self):
        state = self.folder / "many"
        state.mkdir()
        subprocess.run([str(TOOLS / "bench_runs"), str(state), "10000"], check=True)
        for _ in range(self.rounds * 2):
            self.times.setdefault("baton list, 10,000 runs", []).append(
                measure([str(BIN / "baton"), "list", "--state-dir", str(state)], self.folder))

    def checks(self):
        """A workflow of 5,000 agent steps, each with a mission of its own, an output and rules for it."""
        lines = ["---", "name: large", "description: bench", "steps:"]
        for i in range(5000):
            lines += [f"  - id: s{i}", "    skill: build", f"    mission: Write part {i} of the whole.",
                      f"    input: ${{{{ steps.s{i - 1}.output }}}}" if i else "    input: README.md",
                      f"    output: ${{{{ sandbox }}}}/outputs/s{i}.json",
                      "    validate: {required_fields: [title, body], min_length: {body: 10}}"]
            lines += [f"    needs: [s{i - 1}]"] if i else []
        (self.folder / "workflows" / "large.md").write_text("\n".join(lines + ["---", ""]))
        for _ in range(self.rounds * 2):
            self.times.setdefault("baton check, 5,000 steps", []).append(
                measure([str(BIN / "baton"), "check", "large"], self.folder))

    def streams(self):
        """Megabytes a second through the reader of agents' streams, a bare simdjson loop, and Node, by turns."""
        file = str(self.folder / "stream.ndjson")
        tool = str(TOOLS / "bench_stream")
        subprocess.run([tool, "make", file, "200"], check=True)
        ways = {"ours": [tool, "ours", file], "bare": [tool, "bare", file],
                "node": ["node", str(ROOT / "bench" / "parse_lines.js"), file]}
        rates, mb = {way: [] for way in ways}, 0
        for _ in range(self.rounds):
            for way, argv in ways.items():
                out = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.split()
                rates[way].append(float(out[1]))
                if way == "ours":
                    mb = max(mb, int(out[2]))
        for way, name in (("ours", "stream reader"), ("bare", "bare simdjson loop"), ("node", "node JSON.parse")):
            self.facts[f"{name}, 200 MB of a claude run"] = {"MB/s": statistics.median(rates[way])}
        self.facts["stream reader, 200 MB of a claude run"]["mb"] = mb

    def sessions(self):
        """10,000 tasks of 20 KB each: the first step, from files that nobody has read lately."""
        baton, root = str(BIN / "baton"), self.folder / "session"
        root.mkdir()
        sessions.write_session(root, 10_000, 20_000)
        for _ in range(self.rounds):
            for name, part in (("first step", sessions.first_step), ("all files read", sessions.check)):
                sessions.forget(root)
                self.times.setdefault(f"session of 10,000 tasks, {name}", []).append(part(baton, root))
        rest = self.folder / "rest"
        rest.mkdir()
        sessions.write_session(rest, 10_000, 20_000, done=9_800)
        self.facts["session of 10,000 tasks, 200 of them open"] = {"mb": sessions.peak_mb(baton, rest)}

    def teams(self):
        """Workers that outlast whoever started them, so that each end is a cold start of a wake; then quick ones."""
        for n in range(self.rounds):
            for name, needs, seconds in (("12 tasks", teams.twelve(), 0.2), ("woken", teams.line(4), 1.6)):
                root = self.folder / f"team-{name.split()[0]}-{n}"
                root.mkdir()
                teams.write_team(root, needs)
                back, notes = teams.run_team(str(BIN / "baton"), str(root), seconds)
                if name == "woken":
                    self.times.setdefault("team, a worker's end to its successor's start", []).extend(teams.gaps(needs, notes))
                else:
                    self.times.setdefault("team of 12 tasks, until it is left alone", []).append(back)

    def dashboard(self):
        """`baton top` over the 10,000 runs of `lists`."""
        baton, tool, state = str(BIN / "baton"), str(TOOLS / "bench_events"), str(self.folder / "many")
        for _ in range(self.rounds * 2):
            self.times.setdefault("baton top, first screen, 10,000 runs", []).append(
                dashboard.start(baton, state, self.folder))
        self.times["baton top, from an event to the screen"] = dashboard.delays(baton, tool, state, self.folder, 20)
        idle, silent, busy = dashboard.costs(baton, tool, state, self.folder, 10)
        self.facts["baton top, of a core"] = {"% idle": idle, "% a silent run": silent, "% at 100 events/s": busy}

    def http(self):
        """20,000 calls, 2,000 in flight, each answered after a second: ten seconds are ideal."""
        server, url = http_calls.start_server()
        there = http_calls.clients(str(BIN), str(TOOLS), url, 20_000, 2_000, str(self.folder))
        for name, makes in there.items():
            took, cpu, mb, good = makes()
            if good < 20_000:
                raise SystemExit(f"{name}: only {good} of 20,000 calls went well")
            self.facts[f"{name}, 20,000 calls, 2,000 in flight"] = {"s": took, "s of cpu": cpu, "mb": mb}
        self.facts["courier, once all are in flight"] = {"of the ideal rate": http_calls.courier.steady}
        server.kill()

    def memory(self):
        """Peak resident memory of the engine over a run of 1,000 steps."""
        child = subprocess.Popen([str(BIN / "baton"), "run", "independent", "--jobs", "2", "-q"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(child.pid, 0)
        self.facts["engine at 1,000 steps"] = {"mb": usage.ru_maxrss / 1024}

    def rows(self):
        m = self.median
        ninja_1m = self.facts["ninja loads 1,000,000 phony edges"]["ms"]
        rate = {name: self.facts[f"{name}, 200 MB of a claude run"]["MB/s"]
                for name in ("stream reader", "bare simdjson loop", "node JSON.parse")}
        flat = self.facts["plan of 1,000,000 steps"]["us_per_step"] / self.facts["plan of 1,000 steps"]["us_per_step"]
        start = m("session of 10,000 tasks, first step")
        calls = {name: self.facts.get(f"{name}, 20,000 calls, 2,000 in flight") for name in ("courier", "curl", "node")}
        beside = [(f"the same, against {what}", calls["courier"]["s"] / calls[name]["s"], target)
                  for name, what, target in (("curl", "a bare libcurl-multi loop that keeps nothing", None),
                                             ("node", "Node's fetch (undici)", 1.0)) if calls[name]]
        return [
            ("1,000 independent steps, 2 at once, against ninja", m("baton, independent") / m("ninja, independent"), 0.8),
            ("the same, against a bare posix_spawn + waitid loop", m("baton, independent") / m("bare loop, independent"), 1.6),
            ("a chain of 1,000 steps, against ninja", m("baton, chain") / m("ninja, chain"), 0.7),
            ("1,000,000 steps read and run over fakes, against ninja's load", self.facts["plan of 1,000,000 steps"]["ms"] / ninja_1m, 1.0),
            ("its memory, against 700 MB", self.facts["plan of 1,000,000 steps"]["mb"] / 700, 1.0),
            ("cost per step at 1,000,000 against 1,000 (flat is 1)", flat, None),
            ("baton --version, against ninja's", m("baton --version") / m("ninja --version"), 1.5),
            ("baton list with 10,000 runs, against 50 ms", m("baton list, 10,000 runs") / 0.050, 1.0),
            ("baton top's first screen with 10,000 runs, against 50 ms", m("baton top, first screen, 10,000 runs") / 0.050, 1.0),
            ("the slowest of 20 events on its screen, against 200 ms", max(self.times["baton top, from an event to the screen"]) / 0.2, 1.0),
            ("its share of a core when idle, against 1 %", self.facts["baton top, of a core"]["% a silent run"], 1.0),
            ("its share of a core at 100 events a second, against 5 %", self.facts["baton top, of a core"]["% at 100 events/s"] / 5, 1.0),
            ("baton check of a workflow of 5,000 steps, against 200 ms", m("baton check, 5,000 steps") / 0.2, 1.0),
            ("engine's memory at 1,000 steps, against 30 MB", self.facts["engine at 1,000 steps"]["mb"] / 30, 1.0),
            ("200 MB of a claude run: a bare simdjson loop's rate, against the stream reader's", rate["bare simdjson loop"] / rate["stream reader"], 2.0),
            ("the same: Node's JSON.parse per line, against the stream reader's", rate["node JSON.parse"] / rate["stream reader"], 0.1),
            ("its memory, against 20 MB", self.facts["stream reader, 200 MB of a claude run"]["mb"] / 20, 1.0),
            ("the first step of a session of 10,000 tasks of 20 KB, against 200 ms", m("session of 10,000 tasks, first step") / 0.2, 1.0),
            ("the same, against a start that reads all task files first", start / (start + m("session of 10,000 tasks, all files read")), 0.1),
            ("its memory, against 60 MB", self.facts["session of 10,000 tasks, 200 of them open"]["mb"] / 60, 1.0),
            ("2,000 calls to a model's API in flight, each answered after 1 s: the ideal rate, against the courier's",
             1 / self.facts["courier, once all are in flight"]["of the ideal rate"], 1.11),
            ("20,000 of them with all that begins and ends, against 10 s", calls["courier"]["s"] / 10, None),
            *beside,
            ("memory of courier and holder, against 150 MB", calls["courier"]["mb"] / 150, 1.0),
            ("`baton team` with 4 roles and 12 tasks is back, against 300 ms", m("team of 12 tasks, until it is left alone") / 0.3, 1.0),
            ("a successor starts after its worker's end, with nobody there but the holder, against 50 ms", m("team, a worker's end to its successor's start") / 0.05, 1.0),
        ]


def commit_name():
    out = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return out.stdout.strip() or "unknown"


def report(bench):
    lines = ["| what | ratio | target |", "| --- | --- | --- |"]
    for what, ratio, target in bench.rows():
        verdict = "" if target is None else f"at most {target} {'met' if ratio <= target else '**missed**'}"
        lines.append(f"| {what} | {ratio:.2f} | {verdict} |")
    lines += ["", "| measured | median | lowest | highest |", "| --- | --- | --- | --- |"]
    for name, times in bench.times.items():
        ms = sorted(t * 1000 for t in times)
        lines.append(f"| {name} | {statistics.median(ms):.1f} ms | {ms[0]:.1f} | {ms[-1]:.1f} |")
    for name, fact in bench.facts.items():
        lines.append(f"| {name} | " + ", ".join(f"{v:.2f} {k}" for k, v in fact.items()) + " | | |")
    return "\n".join(lines)


def write_document(text):
    (ROOT / "docs" / "performance.md").write_text(
        "# Performance\n\n"
        "Written by `./dev bench --write`; measured side by side in one run, contenders taking turns. Absolute figures\n"
        "move from machine to machine: read the ratios.\n\n"
        f"Commit {commit_name()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}.\n\n{text}\n\n"
        "## What is measured\n\n"
        "- *Dispatch*: `/bin/true` a thousand times. Baton records every admission, start and end durably (an fsync a\n"
        "  commit) and keeps each step's output and exit record; ninja writes an unsynced log; the bare loop nothing.\n"
        "- *Plan*: read from its journal form, then applied event by event to the end, with a dispatcher and no I/O.\n"
        "- *Streams*: text, tool calls and their results, a third each by lines. The bare loop has the file in memory and asks\n"
        "  each line for its type; ours reads it in pieces of 128 KiB; Node reads it and parses each line.\n"
        "- *Sessions*: 10,000 task files, dropped from the system's memory before each start. The first step of a rehearsal, with\n"
        "  the list read and the run on record; beside it the same after `check`, which reads every task file.\n"
        "- *Teams*: scripted workers that take 1.6 s, so that whoever started one has left before it ends: from the last thing it\n"
        "  does to the first thing its successor does, through the holder and a wake that starts anew.\n"
        "- *top*: 120 columns, 40 rows, the same 10,000 runs. Idle: a run is at work and silent. Events: journal and log written\n"
        "  by another process, a run at a time; a screen counts when its last byte has reached the terminal.\n"
        "- *Calls*: the holder is asked, records each start and each end, and the answers are on disk; the others keep nothing. The\n"
        "  first second, in which the calls are begun, counts too.\n"
        "- *list*: 10,000 finished runs in one journal.\n"
        "- *Calm*: ext4 passes over inodes that were deleted in the last minutes. Right after a test suite has removed its folders,\n"
        "  the independent steps, with two logs each, take about a tenth longer.\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    bench = Bench(options.rounds)
    try:
        for part in (bench.dispatch, bench.plans, bench.start_up, bench.lists, bench.dashboard, bench.checks, bench.streams, bench.memory, bench.sessions,
                     bench.teams, bench.http):
            part()
        text = report(bench)
        print(text)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps({"commit": commit_name(), "times_s": bench.times, "facts": bench.facts}))
        if options.write:
            write_document(text)
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
