"""A team session with scripted workers: how soon `baton team` is back, and how soon a successor starts when a worker has ended
and no Baton process but the holder is there."""
import json
import os
import subprocess
import time

FOLDER = ".workflow/.team/TC-bench"
ROLES = ("researcher", "writer", "reviewer", "tester")
# It notes when it began and ended. One that is asked to takes its time, so that whoever woke it has left before it ends.
WORKER = """#!/bin/bash
began=$EPOCHREALTIME
cat > /dev/null
sleep "$WORKER_SECONDS"
mkdir -p "${BATON_OUTPUT%/*}"
echo "$BATON_STEP" > "$BATON_OUTPUT"
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"total_cost_usd":0,"session_id":"s"}'
echo "$BATON_STEP $began $EPOCHREALTIME" >> "$WORKER_NOTES"
"""


def role_text(name):
    return f"# Role: {name}\n\nThe {name}.\n\n## Identity\n- **Name**: `{name}`\n\n## Boundaries\n### MUST\n- work\n\n## Execution\nDo it.\n"


def write_team(root, needs):
    """`needs`: what each task waits for, by its name ROLE-N."""
    folder = os.path.join(root, FOLDER)
    os.makedirs(os.path.join(folder, "roles"))
    os.makedirs(os.path.join(root, "bin"))
    for name in ROLES:
        with open(os.path.join(folder, "roles", name + ".md"), "w") as f:
            f.write(role_text(name))
    roles = [{"name": name, "prefix": name.upper(), "role_file": f"roles/{name}.md"} for name in ROLES]
    tasks = [{"id": task, "subject": f"Do {task}", "owner": task.split("-")[0].lower(), "blockedBy": blockers,
              "artifacts": [f"artifacts/{task}.md"]} for task, blockers in needs.items()]
    with open(os.path.join(folder, "team-session.json"), "w") as f:
        json.dump({"session_id": "TC-bench", "task_description": "bench", "status": "active", "team_name": "bench", "roles": roles}, f)
    with open(os.path.join(folder, "task-analysis.json"), "w") as f:
        json.dump({"roles": list(ROLES), "dependency_graph": {}, "tasks": tasks}, f)
    worker = os.path.join(root, "bin", "claude")
    with open(worker, "w") as f:
        f.write(WORKER)
    os.chmod(worker, 0o755)


def run_team(baton, root, seconds):
    """Seconds until `baton team` was back, and the notes of the workers, once all of them have ended."""
    notes = os.path.join(root, "notes")
    env = dict(os.environ, PATH=os.path.join(root, "bin") + ":" + os.environ["PATH"], WORKER_SECONDS=str(seconds), WORKER_NOTES=notes)
    begun = time.perf_counter()
    subprocess.run([baton, "team", "-C", root, "TC-bench"], env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    back = time.perf_counter() - begun
    session = os.path.join(root, FOLDER, "team-session.json")
    while json.load(open(session))["status"] != "completed":
        time.sleep(0.05)
    with open(notes) as f:
        return back, {task: (float(began), float(ended)) for task, began, ended in (line.split() for line in f)}


def twelve():
    """Four roles, twelve tasks, in three lines that cross."""
    needs = {}
    for n in "123":
        needs |= {f"RESEARCHER-{n}": [], f"WRITER-{n}": [f"RESEARCHER-{n}"], f"REVIEWER-{n}": [f"WRITER-{n}"],
                  f"TESTER-{n}": [f"WRITER-{n}", "REVIEWER-1"]}
    return needs


def line(length):
    names = [f"{ROLES[n % len(ROLES)].upper()}-{n}" for n in range(length)]
    return {name: names[n - 1:n] if n else [] for n, name in enumerate(names)}


def gaps(needs, notes):
    """Seconds from the end of the last worker that a task waits for to its own worker's beginning."""
    return [notes[task][0] - max(notes[need][1] for need in before) for task, before in needs.items() if before]
