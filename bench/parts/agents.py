"""What an agent that is at work and says nothing costs in memory: the engine's and the holder's own, at few and at many."""
import json
import os
import signal
import subprocess

from parts import holder_link, workflows
from place import memory_kb

# It reads its prompt and stays. One process of little memory, so that many fit.
AGENT = """#!/bin/sh
cat > /dev/null
exec sleep 3600
"""


def measure(place):
    few, many = place.size((50, 450), (5, 25))

    def grown(build):
        def run():
            (engine_few, holder_few), (engine_many, holder_many) = at_work(place, build, few), at_work(place, build, many)
            return {"KB in the engine": (engine_many - engine_few) / (many - few), "KB in the holder": (holder_many - holder_few) / (many - few)}
        return run

    place.turns("one more agent at work", place.contenders(*place.each_build(grown)), rounds=place.size(place.rounds, 1))


def at_work(place, build, count):
    """KB of engine and holder with so many agents at work."""
    folder = place.folder(f"agents {count}")
    workflows.agents(folder, "agents", count)
    (folder / "bin").mkdir()
    agent = folder / "bin" / "claude"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    run = subprocess.Popen([str(build.bin / "baton"), "run", "agents", "--runtime", "claude", "--jobs", str(count), "--json", "--task", "bench"],
                           cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        started = 0
        for line in run.stdout:
            started += json.loads(line)["type"] == "step.started"
            if started == count:
                break
        if started < count:
            raise RuntimeError(f"only {started} of {count} agents began")
        return memory_kb(run.pid), memory_kb(holder_link.holder_of(folder / ".baton"))
    finally:
        run.send_signal(signal.SIGTERM)
        run.stdout.close()
        run.wait()
        subprocess.run([str(build.bin / "baton"), "cancel", "last"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
