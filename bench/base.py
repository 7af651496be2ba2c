"""The other side of a comparison: what a JSON file has, or a build of another commit that is measured side by side."""
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile

from figures import Figures
from peers import cache
from place import ROOT, build_at

WHO = "base"


def is_file(name):
    return pathlib.Path(name).is_file()


def from_file(path):
    """Of a file that --json wrote. Returns the figures and the commit's name."""
    kept = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return Figures.from_json(kept["figures"]), kept.get("commit", "unknown")


def built(commit):
    """The build of a commit, kept in the cache. Its files are taken out of git, so that no working tree is left behind."""
    found = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", commit + "^{commit}"], capture_output=True, text=True, check=False)
    name = found.stdout.strip()
    if not name:
        raise SystemExit(f"bench: {commit} is neither a file nor a commit")
    folder = cache() / "base" / name[:12]
    if not (folder / "CMakeLists.txt").exists():
        folder.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(["git", "-C", str(ROOT), "archive", name], capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder)
    print(f"bench: building {name[:12]} in {folder}", file=sys.stderr)
    # Compiler's cache hits across folders only where paths are said relative to one.
    env = {**os.environ, "CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
    for argv in (["cmake", "--preset", "release", "-DBATON_TESTS=OFF", "-DBATON_BENCH=ON"], ["ninja", "-C", "build", "--quiet"]):
        if subprocess.run(argv, cwd=folder, env=env, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            raise SystemExit(f"bench: {commit} cannot be built")
    return build_at(folder, WHO)


def taken_apart(figures):
    """What was measured of the base, named as ours is, so that the two can be laid side by side."""
    found = Figures()
    for figure in figures:
        if figure.who.split("'")[0] == WHO:
            found.add(figure.part, figure.case, "baton" + figure.who[len(WHO):], figure.unit, *figure.samples)
    return found
