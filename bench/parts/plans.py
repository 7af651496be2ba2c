"""Plans of 1,000 to 1,000,000 steps: read from their journal form and run to the end over fakes, beside ninja's load of as
many phony edges with the same needs."""
from peers import debian
from place import words_of


def measure(place):
    for count in place.size((1_000, 10_000, 100_000, 1_000_000), (1_000, 10_000)):
        folder = place.folder(f"plan {count}")
        place.turns(f"{count:,} steps", place.contenders(
            *place.each_build(lambda build: ours(place.tool(build, "plan"), folder, count)), ("ninja", lambda: ninja(place, folder, count))))


def ours(tool, folder, count):
    words_of([tool, "make", folder / "plan.json", count])

    def run():
        _, read_ms, run_ms, mb = words_of([tool, "run", folder / "plan.json"])
        took = (float(read_ms) + float(run_ms)) / 1000
        return {"s": took, "us/step": took * 1e6 / count, "MB": float(mb)}
    return run


def ninja(place, folder, count):
    with open(folder / "build.ninja", "w", encoding="utf-8") as out:
        for i in range(count):
            out.write(f"build o{i}: phony{f' o{i - 10} o{i // 2}' if i >= 10 else ''}\n")
    path, _ = debian.program("ninja", "ninja-build")

    load = place.seconds_and_peak([path, "-n", "o1"], folder)

    def run():
        found = load()
        return found | {"us/step": found["s"] * 1e6 / count}
    return run
