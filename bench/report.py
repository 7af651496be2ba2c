"""Results as text: ratios first, then what was measured. Pure."""
from figures import judge

# Seconds are shown in what reads best.
SCALES = ((1, "s", 1), (1e-3, "ms", 1e3), (0, "us", 1e6))


def value(number, unit):
    if unit == "s":
        for least, name, times in SCALES:
            if abs(number) >= least:
                return f"{number * times:.3g} {name}" if number * times < 1000 else f"{number * times:,.0f} {name}"
    shown = f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"
    return f"{shown} {unit}"


def number(ratio):
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def bound(target):
    if "at_most" in target:
        return f"at most {target['at_most']}"
    if "at_least" in target:
        return f"at least {target['at_least']}"
    return ""


def verdict(judged, bold=str):
    if judged.ratio is None:
        return "not measured"
    return "" if judged.met is None else "met" if judged.met else bold("missed")


def table(head, rows):
    """Columns of a Markdown table, padded, so that it reads as well on a terminal."""
    widths = [max(3, *(len(row[i]) for row in [head, *rows])) for i in range(len(head))]

    def line(row):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"

    return "\n".join([line(head), "| " + " | ".join("-" * width for width in widths) + " |", *map(line, rows)])


def judged_rows(targets, figures):
    """Those that were measured."""
    return [found for found in (judge(target, figures) for target in targets) if found.ratio is not None]


def ratios(targets, figures, bold=str):
    rows = [(judged.target["what"], number(judged.ratio.value), f"{number(judged.ratio.low)} .. {number(judged.ratio.high)}",
             bound(judged.target), verdict(judged, bold)) for judged in judged_rows(targets, figures)]
    return table(("what", "ratio", "spread", "target", ""), rows) if rows else ""


def limits(targets, figures):
    """Why what is missed is missed."""
    missed = [judged for judged in judged_rows(targets, figures) if judged.met is False]
    return [f"- {judged.target['what']}: {number(judged.ratio.value)} ({bound(judged.target)}). "
            f"{judged.target['limit'] or 'No limit is known that would explain it: to be looked into.'}" for judged in missed]


def unmeasured(targets, figures):
    """Those of parts that were measured: a peer was missing, or the names do not fit any more."""
    there = {figure.part for figure in figures}
    return [f"- {target['what']}" for target in targets
            if target["of"].split("/")[0] in there and judge(target, figures).ratio is None]


def measured(figures):
    rows = []
    for figure in figures:
        low, high = min(figure.samples), max(figure.samples)
        rows.append((figure.part, figure.case, figure.who, value(figure.median, figure.unit),
                     f"{value(low, figure.unit)} .. {value(high, figure.unit)}", str(len(figure.samples))))
    return table(("part", "case", "who", "median", "lowest .. highest", "n"), rows) if rows else ""


def left_out(skipped):
    return [f"- {who}: {why}" for who, why in skipped.items()]


def whole(targets, figures, skipped, quick=False):
    """What is printed on the terminal."""
    parts = [ratios(targets, figures), "\n".join(limits(targets, figures)), measured(figures)]
    if skipped:
        parts.append("left out:\n" + "\n".join(left_out(skipped)))
    if not quick and unmeasured(targets, figures):
        parts.append("no figure for:\n" + "\n".join(unmeasured(targets, figures)))
    return "\n\n".join(part for part in parts if part)


def comparison(changes):
    rows = [(change.figure.part, change.figure.case, change.figure.who, value(change.base.median, change.base.unit),
             value(change.figure.median, change.figure.unit), f"{change.change:+.1%}", change.verdict) for change in changes]
    return table(("part", "case", "who", "base", "now", "change", "verdict"), rows) if rows else "nothing in common to compare"
