"""A run whose engine was killed (kill -9) with half of it done: how long until it is taken up again, by the
run's size. That is: its events are read, the step in the middle is at work again, and both are told."""
import json
import subprocess
import time

from parts import workflows


def measure(place):
    for count in place.size((100, 1_000, 10_000), (100,)):
        place.turns(f"{count:,} steps", place.contenders(*place.each_build(lambda build: taken_up(place, build, count))))


def taken_up(place, build, count):
    def run():
        folder = place.folder(f"resume {count}")
        workflows.no_ops(folder, "line", count, True)
        baton = str(build.bin / "baton")
        # The step in the middle never ends: so it is always there that the engine dies.
        half = workflows.rehearsal(folder, hangs=f"s{count // 2}")
        until(folder, [baton, "run", "line", half, "--json"], "step.finished", count // 2)
        return until(folder, [baton, "resume", "last", "--json"], "run.resumed", 1)
    return run


def until(folder, argv, what, times):
    """Seconds until that was told so many times; then the process is killed."""
    begun = time.perf_counter()
    child = subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for line in child.stdout:
            times -= json.loads(line)["type"] == what
            if times == 0:
                return time.perf_counter() - begun
        raise RuntimeError(f"{argv[1]}: it ended before")
    finally:
        child.kill()
        child.stdout.close()
        child.wait()
