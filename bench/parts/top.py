"""`baton top` over 10,000 runs: its first screen, how soon an event is on it, and what it costs to leave it open."""
from parts import lists, terminal


def measure(place):
    case = f"{lists.count(place):,} runs"
    last = f"run{lists.count(place) - 1}".encode()
    words = {build.who: (str(build.bin / "baton"), place.tool(build, "events"), str(lists.many_runs(place, build)), place.top)
             for build in place.builds}
    place.turns(f"first screen, {case}", {
        who: lambda baton=baton, state=state, cwd=cwd: terminal.start(baton, state, cwd, last)
        for who, (baton, _, state, cwd) in words.items()}, times=2)
    for who, (baton, tool, state, cwd) in words.items():
        found = terminal.delays(baton, tool, state, cwd, place.size(20, 4))
        place.figures.add(place.part, "event to screen", who, "s", *found)
    seconds = place.size(10, 2)
    for who, (baton, tool, state, cwd) in words.items():
        idle, silent, busy = terminal.costs(baton, tool, state, cwd, seconds)
        for name, share in (("idle", idle), ("a silent run", silent), ("100 events/s", busy)):
            place.figures.add(place.part, f"share of a core, {name}", who, "%", share)
