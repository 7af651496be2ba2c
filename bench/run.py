#!/usr/bin/env python3
"""Measures baton beside its peers, side by side in one run, and prints ratios first.

    ./dev bench                    everything; peers are fetched into a cache folder (~/.cache/baton-bench, $BATON_BENCH_CACHE)
    ./dev bench --only dispatch    one part or several: --only dispatch,plans
    ./dev bench --compare HEAD~1   against another commit's build, or a file that --json wrote; 1 if something became worse
    ./dev bench --guard            instructions of five hot paths against those on record; 1 if one became dearer
"""
import argparse
import importlib
import json
import pathlib
import signal
import sys

import base
import figures
import guard
import page
import parts
import profiles
import report
from place import ROOT, Place, build_at
from targets import TARGETS


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, help="how often each contender has its turn (default 5, with --quick 2)")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds: to try it, not to measure")
    parser.add_argument("--only", metavar="NAME,...", help="of " + ", ".join(parts.ORDER))
    parser.add_argument("--no-peers", action="store_true", help="only ours")
    parser.add_argument("--json", metavar="FILE", help="all samples, for --compare")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and its pictures")
    parser.add_argument("--compare", metavar="BASE", help="a commit, or a file of --json")
    parser.add_argument("--profile", action="store_true", help="profiles of the hot paths, into build/bench/profiles")
    parser.add_argument("--guard", action="store_true", help="count instructions of the hot paths")
    parser.add_argument("--record", action="store_true", help="with --guard: these counts are what is compared with from now on")
    options = parser.parse_args()
    options.rounds = options.rounds or (2 if options.quick else 5)
    options.names = options.only.split(",") if options.only else list(parts.ORDER)
    for name in options.names:
        if name not in parts.ORDER:
            parser.error(f"there is no '{name}'; there are {', '.join(parts.ORDER)}")
    if options.record and not options.guard:
        parser.error("--record goes with --guard")
    if options.write and (options.quick or options.only or options.compare or options.no_peers):
        parser.error("--write needs all parts at their real size, and the peers")
    if options.write and options.rounds < 5:
        parser.error("--write needs at least 5 rounds")
    return options


def measure(place, names):
    for name in parts.ORDER:
        if name in names:
            place.part = name
            place.say(f"==> {name}")
            importlib.import_module(f"parts.{name}").measure(place)


def keep_json(path, place):
    kept = {"commit": page.commit_name(), "rounds": place.rounds, "quick": place.quick, "skipped": place.skipped,
            "targets": [{"what": judged.target["what"], "ratio": judged.ratio.value, "met": judged.met}
                        for judged in report.judged_rows(TARGETS, place.figures)],
            "figures": place.figures.to_json()}
    pathlib.Path(path).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def compared(place, before):
    """Prints the comparison; the exit code."""
    changes = figures.compare_all(place.figures, before, page.OURS)
    print(report.comparison(changes))
    worse = [change for change in changes if change.verdict == "worse"]
    for change in worse:
        print(f"bench: worse: {change.figure.key}: {change.change:+.1%}", file=sys.stderr)
    return 1 if worse else 0


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers and folders are cleaned up
    ours = build_at(ROOT)
    if options.guard:
        return guard.run(ours, options.record)
    builds, before = [ours], None
    if options.compare and base.is_file(options.compare):
        before, _ = base.from_file(options.compare)
    elif options.compare:
        builds.append(base.built(options.compare))
    profile = profiles.make(ours, ROOT / "build" / "bench" / "profiles") if options.profile or options.write else ""
    if options.profile and not options.write:
        print(profile)
        return 0
    place = Place(builds, options.rounds, options.quick)
    place.ours_only = bool(options.compare) or options.no_peers
    try:
        measure(place, options.names)
    finally:
        place.end()
    if options.json:
        keep_json(options.json, place)
    if options.compare:
        return compared(place, before if before is not None else base.taken_apart(place.figures))
    print(report.whole(TARGETS, place.figures, place.skipped, place.quick))
    if options.write:
        page.write(TARGETS, place.figures, place.skipped, profile)
    return 0


if __name__ == "__main__":
    sys.exit(main())
