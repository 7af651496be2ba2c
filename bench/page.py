"""docs/performance.md and its pictures, from what was measured. The words about it stand in bench/notes.md."""
import os
import subprocess
import time

import chart
import report
from place import BENCH, ROOT

# Name of the picture, part, case, unit, title, note.
CHARTS = (
    ("dispatch", "dispatch", "1,000 independent", "s", "1,000 independent no-ops, two at once", "time for all; shorter is better"),
    ("chain", "dispatch", "chain of 1,000", "s", "A chain of 1,000 no-ops", "time for all; shorter is better"),
    ("durable", "durable", "one run", "steps/s", "Durable steps without processes, one run", "steps a second; longer is better"),
    ("durable-100", "durable", "100 runs", "steps/s", "Durable steps without processes, 100 runs at once", "steps a second; longer is better"),
    ("startup", "startup", "--version", "s", "Start", "--version (Node: -e 0); shorter is better"),
    ("stream", "stream", "200 MB", "MB/s", "Reading an agent's stream", "MB a second; longer is better"),
    ("plans", "plans", "1,000,000 steps", "s", "1,000,000 steps", "baton: read and run over fakes; ninja: load; shorter is better"),
    ("http", "http", "2,000 in flight", "s", "20,000 calls, 2,000 in flight, each answered after 1 s", "10 s are ideal; shorter is better"),
)
OURS = ("baton", "baton's courier", "baton's engine")


def commit_name():
    out = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude", "*"], capture_output=True, text=True, check=False)
    return out.stdout.strip() or "unknown"


def pictures(figures):
    """By file name, those for which something was measured."""
    found = {}
    for name, part, case, unit, title, note in CHARTS:
        those = [figure for figure in figures if (figure.part, figure.case, figure.unit) == (part, case, unit)]
        those.sort(key=lambda figure: figure.median, reverse=unit != "s")
        rows = [(figure.who, figure.median, min(figure.samples), max(figure.samples), report.value(figure.median, unit), figure.who in OURS)
                for figure in those]
        if len(rows) > 1:
            found[f"bench-{name}.svg"] = chart.bars(title, note, rows)
    return found


def text(targets, figures, skipped, images, commit, day, profile=""):
    """The whole page."""
    parts = ["# Performance",
             "Written by `./dev bench --write`; contenders take turns in one run. Absolute figures move from machine to machine:\nread "
             "the ratios. `spread` is that of the rounds, lowest to highest.",
             f"Commit {commit}, {os.cpu_count()} cores, {day}.", report.ratios(targets, figures, bold=lambda word: f"**{word}**")]
    missed = report.limits(targets, figures)
    if missed:
        parts += ["## What is missed, and why", "\n".join(missed)]
    if images:
        parts += ["## In pictures", "\n\n".join(f"![{title_of(name)}](images/{name})" for name in images)]
    parts += ["## All that was measured", report.measured(figures)]
    if skipped:
        parts += ["Left out here:", "\n".join(report.left_out(skipped))]
    if report.unmeasured(targets, figures):
        parts += ["Not measured here:", "\n".join(report.unmeasured(targets, figures))]
    if profile:
        parts += ["## Where the instructions go", profile]
    parts.append((BENCH / "notes.md").read_text(encoding="utf-8").strip())
    return "\n\n".join(part for part in parts if part) + "\n"


def title_of(image):
    return next(row[4] for row in CHARTS if image == f"bench-{row[0]}.svg")


def write(targets, figures, skipped, profile=""):
    commit = commit_name()  # before this very page makes the tree another one
    images = pictures(figures)
    folder = ROOT / "docs" / "images"
    for old in folder.glob("bench-*.svg"):
        old.unlink()
    for name, picture in images.items():
        (folder / name).write_text(picture, encoding="utf-8")
    page = text(targets, figures, skipped, images, commit, time.strftime("%Y-%m-%d"), profile)
    (ROOT / "docs" / "performance.md").write_text(page, encoding="utf-8")
