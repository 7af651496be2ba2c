"""A PostgreSQL of one's own, for as long as it is needed: fsync on, as it is delivered."""
import os
import pathlib
import shutil
import subprocess

from peers import Missing, debian

FOLDER = "/usr/lib/postgresql/15/bin"


def as_nobody_special():
    """PostgreSQL refuses to be started by root. Inside a user namespace root is an ordinary user, and files stay its own."""
    if os.geteuid() != 0:
        return []
    shell = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    if not shutil.which("unshare") or subprocess.run([*shell, "true"], capture_output=True, check=False).returncode != 0:
        raise Missing("root cannot start PostgreSQL, and user namespaces are off")
    return shell


def start(folder):
    """The address of its database, and what stops it."""
    initdb, env = debian.program("initdb", "postgresql-15", FOLDER)
    # What is on PATH may be a link elsewhere; the program finds its parts beside itself.
    programs = pathlib.Path(initdb).resolve().parent
    whole = {**os.environ, **(env or {})}
    data = folder / "postgres"
    before = as_nobody_special()

    def call(*words):
        got = subprocess.run([*before, *map(str, words)], env=whole, capture_output=True, text=True, check=False)
        if got.returncode != 0:
            raise Missing(f"PostgreSQL does not start: {(got.stderr.strip().splitlines() or [''])[-1]}")

    call(programs / "initdb", "-D", data, "-U", "bench", "-A", "trust", "--no-instructions")
    # In a folder's socket only: no port is taken, nobody else can come in. pg_ctl would keep our pipes open without -l.
    call(programs / "pg_ctl", "-D", data, "-w", "-l", data / "log", "-o", f"-k {folder} -c listen_addresses='' -c max_connections=200", "start")
    return (f"postgresql://bench@localhost/postgres?host={folder}",
            lambda: subprocess.run([*before, str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"],
                                   env=whole, capture_output=True, check=False))
