"""Packages from npm, each peer's in a folder of its own beneath the cache, with the script that drives it beside them: so
that imports are found without more."""
import functools
import json
import pathlib
import shutil
import subprocess

from peers import Missing, cache

HERE = pathlib.Path(__file__).resolve().parent


@functools.cache
def installed(peer, *packages):
    """The folder of a peer; `packages` as npm names them, with versions, and options of its own among them."""
    if not shutil.which("node"):
        raise Missing("no node")
    folder = cache() / "npm" / peer
    wanted = json.dumps(sorted(packages))
    mark = folder / "installed.json"
    if not (mark.exists() and mark.read_text() == wanted):
        if not shutil.which("npm"):
            raise Missing("no npm")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *packages]
        try:
            got = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
        except subprocess.TimeoutExpired as error:
            raise Missing("npm did not answer in time") from error
        if got.returncode != 0:
            raise Missing("npm could not get it")
        mark.write_text(wanted)
    return folder


def script(peer, *packages):
    """The peer's script, copied to where its packages are."""
    folder = installed(peer, *packages)
    shutil.copy(HERE / f"{peer}.mjs", folder / "bench.mjs")
    return str(folder / "bench.mjs")
