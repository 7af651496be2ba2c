#!/usr/bin/env python3
"""How fast a session of many tasks starts, beside reading all of its files first, and how much memory its run takes.

    bench/sessions.py [--baton build/bin/baton] [--tasks 10000] [--bytes 20000]
"""
import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import tempfile
import time


def write_session(root, tasks, size):
    folder = os.path.join(root, ".workflow/active/WFS-bench")
    os.makedirs(os.path.join(folder, ".task"))
    lines = ["# Tasks: bench", "", "## Task Progress"]
    for n in range(tasks):
        name = f"IMPL-{n:05}"
        lines.append(f"- [ ] **{name}**: Task {n} → [📋](./.task/{name}.json)")
        task = {"id": name, "title": f"Task {n}", "description": "x" * size, "status": "pending", "parallel_group": 1,
                "depends_on": [f"IMPL-{n - 100:05}"] if n >= 100 else [], "convergence": {"criteria": ["it works"]}}
        with open(os.path.join(folder, ".task", name + ".json"), "w") as f:
            json.dump(task, f)
    with open(os.path.join(folder, "TODO_LIST.md"), "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, "workflow-session.json"), "w") as f:
        json.dump({"session_id": "WFS-bench", "project": "bench", "status": "planning"}, f)
    with open(os.path.join(folder, "IMPL_PLAN.md"), "w") as f:
        f.write("# Plan\n\n**Execution Model**: Parallel\n")
    return folder


def first_step_ms(baton, root):
    """From the start of the program to its first step."""
    begun = time.monotonic()
    run = subprocess.Popen([baton, "run", "-C", root, "WFS-bench", "--rehearse", "--json"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
    took = None
    for line in run.stdout:
        if json.loads(line)["type"] == "step.started":
            took = (time.monotonic() - begun) * 1000
            break
    run.send_signal(signal.SIGTERM)
    run.stdout.close()
    run.wait()
    subprocess.run([baton, "cancel", "-C", root, "last"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return took


def read_all_ms(folder):
    begun = time.monotonic()
    for name in sorted(os.listdir(os.path.join(folder, ".task"))):
        with open(os.path.join(folder, ".task", name)) as f:
            json.load(f)
    return (time.monotonic() - begun) * 1000


def check_ms(baton, root):
    """`check` reads every file, in the same program: what a start would cost that does so first."""
    begun = time.monotonic()
    subprocess.run([baton, "check", "-C", root, "WFS-bench"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.monotonic() - begun) * 1000


def peak_mb(baton, root):
    run = subprocess.Popen([baton, "run", "-C", root, "WFS-bench", "--rehearse", "-q", "--jobs", "8"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(run.pid, 0)
    return usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--baton", default="build/bin/baton")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--bytes", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    baton = os.path.abspath(options.baton)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as root:
        folder = write_session(root, options.tasks, options.bytes)
        starts = [first_step_ms(baton, root) for _ in range(options.rounds)]
        checks = [check_ms(baton, root) for _ in range(options.rounds)]
        print(f"{options.tasks} tasks of {options.bytes} bytes")
        print(f"  first step after          {statistics.median(starts):9.0f} ms")
        print(f"  all files first (check)   {statistics.median(checks):9.0f} ms")
        print(f"  all files first (python)  {read_all_ms(folder):9.0f} ms")
        memory, code = peak_mb(baton, root)
        print(f"  peak memory of a whole run {memory:8.0f} MB (exit {code})")


if __name__ == "__main__":
    main()
