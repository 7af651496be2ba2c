"""/bin/true many times, two at once: independent, and one after the other. Baton records each admission, start and end
durably and keeps each step's output; ninja writes an unsynced log; make, xargs and the bare loop keep nothing."""
from parts import workflows
from peers import langgraph, runners
from place import seconds

# A round for three of the others, and left out at 10,000: minutes a round, and the smaller size tells as much.
SLOW = ("parallel", "snakemake", "langgraph")


def measure(place):
    for count in place.size((1_000, 10_000), (100,)):
        for chain in (False, True):
            case = f"chain of {count:,}" if chain else f"{count:,} independent"
            all_of_them = place.contenders(*contenders(place, case, count, chain))
            slow = {who: run for who, run in all_of_them.items() if who in SLOW}
            place.turns(case, {who: run for who, run in all_of_them.items() if who not in slow},
                        rounds=place.rounds * (3 if count <= 1_000 else 1))
            place.turns(case, slow)
    memory(place, place.size(1_000, 100))


def memory(place, count):
    """Peak resident memory of the engine over a run."""
    def engine(build):
        folder = place.folder("memory")
        workflows.no_ops(folder, "many", count, False)
        run = place.seconds_and_peak([build.bin / "baton", "run", "many", "--jobs", "2", "-q"], folder)
        return lambda: {"MB": run()["MB"]}

    place.turns(f"memory at {count:,} steps", place.contenders(*place.each_build(engine)), rounds=1)


def contenders(place, case, count, chain):
    def ours(build):
        folder = place.folder(f"{build.who} {case}")
        workflows.no_ops(folder, "many", count, chain)

        # A journal that grows from round to round would make the later ones dearer.
        return seconds([build.bin / "baton", "run", "many", "--jobs", "2", "-q"], folder,
                       lambda: place.put_aside(folder / ".baton"))

    def with_logs():
        folder = place.folder(f"logs {case}")
        logs = folder / "logs"

        def begin():
            place.put_aside(logs)
            logs.mkdir()
        return seconds([*bare, logs], folder, begin)

    bare = [place.tool(place.build, "spawn"), count, 1 if chain else 2]
    found = [("bare loop", lambda: seconds(bare, place.top)), ("bare loop with logs", with_logs), *place.each_build(ours)]
    for name, make in runners.RUNNERS.items():
        if (not chain or name in runners.CHAINS) and (count <= 1_000 or name not in SLOW):
            if name == "snakemake" and chain:
                continue  # a chain of 1,000 takes it minutes, and its target is the independent ones
            found.append((name, lambda name=name, make=make: make(place.folder(f"{name} {case}"), count, chain)))
    if count <= 1_000:
        found.append(("langgraph", lambda: langgraph.spawning(count, chain)))
    return found
