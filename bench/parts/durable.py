"""Steps without processes, each on disk before the next begins: one run, and 100 at once.

`baton` is the whole program with the rehearsal runtime; `engine` the engine alone over the same journal (bench/engine.cc),
with its runs in one process; `sqlite` the least that SQLite can do: a commit a step of one row (synchronous = FULL)."""
import subprocess
import time

from parts import workflows
from peers import bullmq, dbos, langgraph, restate
from place import words_of


def measure(place):
    steps = place.size(2_000, 100)
    place.turns("one run", place.contenders(*contenders(place, 1, steps)))
    runs = place.size(100, 10)
    place.turns(f"{runs} runs", place.contenders(*contenders(place, runs, place.size(100, 10))))


def contenders(place, runs, steps):
    def sqlite():
        tool = place.tool(place.build, "commits")
        return lambda: rate(words_of([tool, place.folder("commits"), runs * steps, 1]))

    def engine(build):
        tool = place.tool(build, "engine")
        return lambda: rate(words_of([tool, runs, steps, "chain", place.folder("engine")]))

    return [("sqlite", sqlite), *place.each_build(lambda build: program(place, build, runs, steps)),
            *place.each_build(engine, "'s engine"),
            ("bullmq", lambda: bullmq.durable(place, runs, steps)),
            ("langgraph", lambda: langgraph.durable(place.folder("langgraph"), runs, min(steps, 500))),
            ("dbos", lambda: dbos.durable(place, runs, min(steps, 500))),
            ("restate", lambda: restate.durable(place, runs, min(steps, 500)))]


def rate(words):
    return {"steps/s": float(words[0])}


def program(place, build, runs, steps):
    """As many processes as runs, all on one journal, as users have them. Starts are counted too. A run has been there before:
    in a folder that is being made, the journal shares its block of inodes with folders that change, and on a file system
    without a journal of its own every sync writes those, too."""
    folder = place.folder(f"{build.who} durable")
    workflows.no_ops(folder, "line", steps, True)
    workflows.no_ops(folder, "one", 1, True)
    baton, quickly = str(build.bin / "baton"), workflows.rehearsal(folder)
    argv = [baton, "run", "line", quickly, "-q"]

    def run():
        place.put_aside(folder / ".baton")
        subprocess.run([baton, "run", "one", quickly, "-q"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        start = time.perf_counter()
        there = [subprocess.Popen(argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(runs)]
        ended = [child.wait() for child in there]
        took = time.perf_counter() - start
        if any(ended):
            raise RuntimeError(f"{sum(map(bool, ended))} of {runs} runs did not end well")
        return {"steps/s": runs * steps / took}

    return run
