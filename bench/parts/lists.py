"""`list` and `show` in a project of 10,000 runs."""
import subprocess

from place import seconds


def many_runs(place, build):
    """A state folder with so many finished runs. Made once for a build: `top` looks at the same."""
    kept = place.__dict__.setdefault("many_runs", {})
    if build.who not in kept:
        folder = place.folder(f"{build.who} runs")
        subprocess.run([place.tool(build, "runs"), str(folder), str(count(place))], check=True)
        kept[build.who] = folder
    return kept[build.who]


def count(place):
    return place.size(10_000, 200)


def measure(place):
    def look(build, *words):
        state = many_runs(place, build)
        return seconds([build.bin / "baton", *words, "--state-dir", state], place.top)

    last = f"run{count(place) - 1}"
    for case, words in (("list", ("list",)), ("list --json", ("list", "--json")), ("show", ("show", last))):
        place.turns(f"{case}, {count(place):,} runs", place.contenders(*place.each_build(lambda build: look(build, *words))), times=2)
