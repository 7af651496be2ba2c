"""Where the instructions of the hot paths go: callgrind's profiles, and of each its dearest functions."""
import pathlib
import re
import shutil
import subprocess
import tempfile

import hot_paths
import report

TOP = 8


def top_functions(annotated, count=TOP):
    """Share and name of the dearest, from what callgrind_annotate prints. Pure."""
    found = []
    for line in annotated.splitlines():
        row = re.match(r"\s*[\d,]+ \(\s*([\d.]+)%\)\s+(\S.*)$", line)
        if row and "PROGRAM TOTALS" not in line:
            name = re.sub(r"\s*\[[^\]]*\]$", "", row.group(2))
            found.append((float(row.group(1)), short(name.split(":", 1)[-1])))
    return found[:count]


def short(name):
    """Without what templates and arguments say: it has to fit a line."""
    before, name = None, name.replace("(anonymous namespace)::", "")
    while before != name:
        before, name = name, re.sub(r"<[^<>]*>|\([^()]*\)", "", name)
    name = re.sub(r"\[abi:\w+\]|'\d+|\bconst\b", "", name).strip()
    return name if len(name) <= 90 else name[:87] + "..."


def make(build, keep):
    """Writes each profile to `keep`/NAME.callgrind and .txt; returns a table in Markdown."""
    if not shutil.which("callgrind_annotate"):
        raise SystemExit("bench: valgrind is not installed; ./dev setup installs it")
    keep.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="baton-profile.") as name:
        folder = pathlib.Path(name)
        for path, (what, argv) in hot_paths.prepared(build, folder).items():
            out = keep / f"{path}.callgrind"
            total = hot_paths.callgrind(argv, folder, out)
            told = subprocess.run(["callgrind_annotate", "--auto=no", str(out)], capture_output=True, text=True, check=True).stdout
            (keep / f"{path}.txt").write_text(told, encoding="utf-8")
            for n, (share, function) in enumerate(top_functions(told)):
                rows.append((f"{what}: {total / 1e6:,.1f} M" if n == 0 else "", f"{share:.1f} %", f"`{function}`"))
    return report.table(("path and its instructions", "share", "function"), rows)
