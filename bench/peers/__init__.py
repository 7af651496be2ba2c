"""The others. Each can be had or is missing, and then says so with a word; nothing ever fails because one is."""
import os
import pathlib


class Missing(Exception):
    """It cannot be had here; the text is the word why."""


def cache():
    """Where what is fetched is kept. Never in the system: nothing here needs to be root."""
    named = os.environ.get("BATON_BENCH_CACHE")
    beside = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = pathlib.Path(named) if named else pathlib.Path(beside) / "baton-bench"
    path.mkdir(parents=True, exist_ok=True)
    return path
