"""A session of many tasks: how soon it starts, beside reading all of its task files first, and how much memory it takes."""
import json
import os
import signal
import subprocess
import time

FOLDER = ".workflow/active/WFS-bench"


def write_session(root, tasks, size, done=0):
    """`done` of them, the first ones, are ticked. Each needs the one a hundred places before it."""
    folder = os.path.join(root, FOLDER)
    os.makedirs(os.path.join(folder, ".task"))
    lines = ["# Tasks: bench", "", "## Task Progress"]
    for n in range(tasks):
        name = f"IMPL-{n:05}"
        is_done = n < done
        lines.append(f"- [{'x' if is_done else ' '}] **{name}**: Task {n} → [📋](./.task/{name}.json)")
        task = {"id": name, "title": f"Task {n}", "description": "x" * size,
                "status": "completed" if is_done else "pending", "parallel_group": 1,
                "depends_on": [f"IMPL-{n - 100:05}"] if n >= 100 else [], "convergence": {"criteria": ["it works"]}}
        with open(os.path.join(folder, ".task", name + ".json"), "w") as f:
            json.dump(task, f)
    with open(os.path.join(folder, "TODO_LIST.md"), "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, "workflow-session.json"), "w") as f:
        json.dump({"session_id": "WFS-bench", "project": "bench", "status": "planning"}, f)
    with open(os.path.join(folder, "IMPL_PLAN.md"), "w") as f:
        f.write("# Plan\n\n**Execution Model**: Parallel\n")


def forget(root):
    """What the system keeps of the session's files in memory is dropped: a start after the files were just written, by
    the same machine, is the rare case."""
    os.sync()
    for folder, _, names in os.walk(os.path.join(root, FOLDER)):
        for name in names:
            fd = os.open(os.path.join(folder, name), os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)


def first_step(baton, root):
    """Seconds from the start of the program to its first step."""
    begun = time.perf_counter()
    run = subprocess.Popen([baton, "run", "-C", root, "WFS-bench", "--rehearse", "--json"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
    took = None
    for line in run.stdout:
        if json.loads(line)["type"] == "step.started":
            took = time.perf_counter() - begun
            break
    run.send_signal(signal.SIGTERM)
    run.stdout.close()
    run.wait()
    subprocess.run([baton, "cancel", "-C", root, "last"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return took


def check(baton, root):
    """Seconds for `check`, which reads every file: what a start would have to do first that does not wait with that."""
    begun = time.perf_counter()
    subprocess.run([baton, "check", "-C", root, "WFS-bench"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def rest(baton, root):
    """The command that does the rest of the session."""
    return [baton, "run", "-C", root, "WFS-bench", "--rehearse", "-q", "--no-archive", "--jobs", "8"]
