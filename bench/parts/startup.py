"""How soon a program is there: `--version`, and a run of no steps to speak of."""
import shutil

from parts import workflows
from peers import Missing, dbos, debian, langgraph
from place import seconds


def node():
    path = shutil.which("node")
    if not path:
        raise Missing("no node")
    return seconds([path, "-e", "0"], None)


def syncs(place):
    return seconds([place.tool(place.build, "syncs"), place.folder("syncs")], None)


def empty_run(place, build):
    folder = place.folder(f"{build.who} startup")
    workflows.no_ops(folder, "one", 1, False)
    return seconds([build.bin / "baton", "run", "one", workflows.rehearsal(folder), "-q"], folder)


def measure(place):
    folder = place.folder("startup")
    (folder / "build.ninja").write_text("rule t\n  command = /bin/true\nbuild o: t\n")

    def ninja(*words):
        def forget():
            for junk in folder.glob(".ninja*"):
                junk.unlink()
        path, env = debian.program("ninja", "ninja-build")
        return lambda: seconds([path, *words], folder, forget, env)

    place.turns("--version", place.contenders(
        *place.each_build(lambda build: seconds([build.bin / "baton", "--version"], folder)),
        ("ninja", lambda: ninja("--version")()), ("node", node)), times=10)
    # Rehearsed, so that the engine is all there is: no holder, no process. Beside it a program that syncs as ours does, and
    # does nothing else. Those that take long have turns of their own: after one of them nothing of the others is in the
    # processor's caches.
    place.turns("empty run", place.contenders(
        *place.each_build(lambda build: empty_run(place, build)),
        ("its syncs alone", lambda: syncs(place)),
        ("ninja", lambda: ninja("--quiet")()), ("node", node)), times=10)
    place.turns("empty run", place.contenders(("langgraph", langgraph.hello), ("dbos", lambda: dbos.hello(place))), times=3)
