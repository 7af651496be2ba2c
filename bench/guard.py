"""Keeps the hot paths from getting dearer unseen: their instructions against those on record. Instructions and not time,
since they are the same on a busy machine."""
import json
import pathlib
import sys
import tempfile

import hot_paths
from place import BENCH

RECORD = BENCH / "instructions.json"
BAND = 0.10


def judge(counts, record):
    """Lines to print, and whether all is well. Pure. `counts`: instructions by path."""
    lines, good = [], True
    for name, now in counts.items():
        before = record.get("paths", {}).get(name)
        if before is None:
            good = False
            lines.append(f"guard: {name}: {now:,} instructions, and none on record: ./dev bench --guard --record")
            continue
        change = now / before - 1
        told = f"{name}: {before:,} instructions before, {now:,} now, {change:+.1%}"
        if change > BAND:
            good = False
            lines.append(f"guard: {told}: DEARER by more than {BAND:.0%}")
        elif change < -BAND:
            lines.append(f"guard: {told}: cheaper; ./dev bench --guard --record keeps the gain")
        else:
            lines.append(f"guard: {told}")
    return lines, good


def advice(record, compiler):
    """What to do about a path that became dearer."""
    lines = ["guard: ./dev bench --profile shows where a path's instructions go. If the cost is wanted, record it anew with",
             "guard: ./dev bench --guard --record, and say in the commit what it buys."]
    if record.get("compiler") not in (None, compiler):
        lines.append(f"guard: on record are counts of {record['compiler']}; this is {compiler}, which alone can make a difference.")
    return lines


def count(build):
    with tempfile.TemporaryDirectory(prefix="baton-guard.") as name:
        folder = pathlib.Path(name)
        paths = hot_paths.prepared(build, folder)
        return {path: hot_paths.callgrind(argv, folder, "/dev/null") for path, (_, argv) in paths.items()}


def run(build, record_anew):
    """The exit code: 0 all is well, 1 something is dearer, 2 it cannot be told."""
    if not hot_paths.is_release(build):
        print("guard: only a release build tells: ./dev bench --guard", file=sys.stderr)
        return 2
    counts, compiler = count(build), hot_paths.compiler(build)
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    lines, good = judge(counts, record)
    if record_anew:
        lines = [f"guard: {name}: {now:,} instructions" for name, now in counts.items()]
        RECORD.write_text(json.dumps({"compiler": compiler, "paths": counts}, indent=2) + "\n", encoding="utf-8")
        lines.append(f"guard: recorded in bench/{RECORD.name}")
        good = True
    elif not good:
        lines += advice(record, compiler)
    print("\n".join(lines))
    return 0 if good else 1
