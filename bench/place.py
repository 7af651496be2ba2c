"""Where and how is measured: the builds, the folder, the rounds. Parts get one of these and fill its figures."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from figures import Figures
from peers import Missing

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"

# A build of ours: `who` is how its figures are called.
Build = collections.namedtuple("Build", "who bin tools")


def build_at(root, who="baton"):
    return Build(who, root / "build" / "bin", root / "build" / "bench")


class Place:
    def __init__(self, builds, rounds, quick, say=lambda text: print(text, file=sys.stderr, flush=True)):
        self.builds = builds
        self.rounds = rounds
        self.quick = quick
        self.ours_only = False  # peers tell nothing where two builds of ours are compared
        self.say = say
        self.figures = Figures()
        self.skipped = {}  # by name, the one word why
        self.part = ""
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="baton-bench."))
        spread_folders_of(self.top)
        self.cleanup = []

    @property
    def build(self):
        return self.builds[0]

    def folder(self, name):
        """A fresh one, for what a part needs on disk."""
        return pathlib.Path(tempfile.mkdtemp(prefix=re.sub(r"[^a-z0-9]+", "-", name) + ".", dir=self.top))

    def put_aside(self, path):
        """What a turn has left stays on the disk to the end, out of the next one's way. ext4 passes over inodes that were
        deleted in the last minutes, one by one: whoever makes files next would pay for the tidying."""
        if path.exists():
            path.rename(self.folder("aside") / path.name)

    def size(self, whole, quick):
        return quick if self.quick else whole

    def skip(self, who, why):
        if who not in self.skipped:
            self.skipped[who] = why
            self.say(f"    {who}: skipped, {why}")

    def tool(self, build, name):
        """A program of bench/*.cc. An older commit that is compared with may not have it."""
        path = build.tools / f"bench_{name}"
        if not path.exists():
            raise Missing(f"{build.who} has no bench_{name}")
        return str(path)

    def seconds_and_peak(self, argv, cwd):
        """Seconds and the peak of resident memory in MB. Asked from Python, the system would count Python's own."""
        peak = self.tool(self.build, "peak")

        def run():
            done = subprocess.run([peak, *map(str, argv)], cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            took, mb = done.stderr.split()[-2:]
            return {"s": float(took), "MB": float(mb)}

        return run

    def is_ours(self, who):
        return who.split("'")[0] in [build.who for build in self.builds]

    def contenders(self, *makers):
        """From (who, maker) pairs those that can be had; a maker that raises Missing is skipped with its word."""
        found = {}
        for who, make in makers:
            if self.ours_only and not self.is_ours(who):
                continue
            try:
                found[who] = make()
            except Missing as why:
                self.skip(who, str(why))
        return found

    def each_build(self, make, suffix=""):
        """The pairs for `contenders` of all builds of ours."""
        return [(build.who + suffix, lambda build=build: make(build)) for build in self.builds]

    def turns(self, case, contenders, rounds=None, times=1):
        """Contenders take turns, so that what else the machine does falls on all alike. Each is a function that answers
        seconds, or values by unit. One that fails is left out from there on, and that is said. `times` in each round."""
        for _ in range(rounds or self.rounds):
            for who in [who for who in contenders for _ in range(times)]:
                if who not in contenders:
                    continue
                os.sync()  # what others have written is not to be written while this one is measured
                try:
                    values = contenders[who]()
                except (subprocess.SubprocessError, OSError, RuntimeError, ValueError) as error:
                    if who.split("'")[0] == self.build.who:
                        raise
                    self.skip(f"{who} ({case})", f"it failed: {last_line(error)}")
                    contenders = {name: run for name, run in contenders.items() if name != who}
                    continue
                for unit, value in (values if isinstance(values, dict) else {"s": values}).items():
                    self.figures.add(self.part, case, who, unit, value)

    def end(self):
        for undo in reversed(self.cleanup):
            undo()
        shutil.rmtree(self.top, ignore_errors=True)


def spread_folders_of(top):
    """An ext4 without a journal of its own passes over inodes that were deleted in the last minutes, one by one, so that a new
    file takes 100 us where much was deleted and 13 elsewhere. It looks for them beside the folder's own inode. With the mark
    of a top folder, folders in it lie far apart; other file systems have no such mark, and need none."""
    if shutil.which("chattr"):
        subprocess.run(["chattr", "+T", str(top)], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def last_line(error):
    text = getattr(error, "stderr", None) or str(error)
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1][:160] if lines else type(error).__name__


def seconds(argv, cwd, setup=None, env=None, limit=900):
    """A function that answers how long the command takes; it has to succeed."""
    argv = [str(word) for word in argv]
    whole = {**os.environ, **env} if env else None

    def run():
        if setup:
            setup()
        start = time.perf_counter()
        subprocess.run(argv, cwd=cwd, env=whole, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=limit)
        return time.perf_counter() - start

    return run


def memory_kb(pid, field="RssAnon"):
    """A line of /proc/PID/status; 0 if the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1])
    except OSError:
        pass
    return 0


def words_of(argv, cwd=None, env=None, limit=900):
    """What a program prints, as words."""
    whole = {**os.environ, **env} if env else None
    out = subprocess.run([str(word) for word in argv], cwd=cwd, env=whole, check=True, capture_output=True, text=True, timeout=limit)
    return out.stdout.split()
