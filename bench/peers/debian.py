"""Programs of Debian's. Where one is not installed, its package and what that needs are fetched and unpacked into the cache
folder: no root, and the system stays as it is."""
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from peers import Missing, cache

# Unpacked packages are one tree; these let the programs in it find their parts.
PATHS = {"PATH": ("usr/bin", "usr/sbin", "bin"), "LD_LIBRARY_PATH": ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"),
         "PYTHONPATH": ("usr/lib/python3/dist-packages",), "PERL5LIB": ("usr/share/perl5",)}


def tree():
    return cache() / "debian"


def environment():
    """What a program out of the cache needs to be told."""
    found = {}
    for name, folders in PATHS.items():
        words = [str(tree() / folder) for folder in folders] + [word for word in [os.environ.get(name)] if word]
        found[name] = ":".join(words)
    return found


@functools.cache
def program(name, package=None, where=""):
    """The path of a program and the environment it needs. Looked for on PATH, in `where`, and in the cache; then fetched."""
    at_home = shutil.which(name) or shutil.which(name, path=where or None)
    if at_home:
        return at_home, None
    kept = tree() / (where.lstrip("/") or "usr/bin") / name
    if not kept.exists():
        fetch(package or name)
    if not kept.exists():
        raise Missing(f"package {package or name} has no {name}")
    return str(kept), environment()


def fetch(package):
    """apt verifies what it downloads, and needs no root for that."""
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        got = subprocess.run(["apt-get", "download", "-qq", *missing_for(package)], cwd=folder, capture_output=True, check=False)
        files = sorted(pathlib.Path(folder).glob("*.deb"))
        if got.returncode != 0 or not files:
            raise Missing("no network, or apt's lists are old")
        for file in files:
            if subprocess.run(["dpkg-deb", "-x", str(file), str(tree())], capture_output=True, check=False).returncode != 0:
                raise Missing(f"{file.name} cannot be unpacked")


def missing_for(package):
    """The package and all that it needs and the system does not have."""
    if not shutil.which("apt-get"):
        raise Missing("no apt-get")
    asked = subprocess.run(["apt-get", "install", "--simulate", "-qq", "--no-install-recommends", package],
                           capture_output=True, text=True, check=False)
    names = re.findall(r"^Inst (\S+)", asked.stdout, re.M)
    if not names:
        raise Missing(f"apt knows no package {package}")
    return names
