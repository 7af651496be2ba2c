"""What is made of measured values: medians, spreads, ratios, verdicts. Pure: no clock, no files.

A figure is known by its key, `part/case/who/unit`: `dispatch/1,000 independent/baton/s`.
"""
import dataclasses
import statistics

# Of these units more is better; of all others less is.
MORE_IS_BETTER = ("steps/s", "MB/s", "of ideal")
# What a change has to exceed at least before it is called one: below it lies what two builds of one source differ by.
LEAST_CHANGE = 0.03


def key(part, case, who, unit):
    return f"{part}/{case}/{who}/{unit}"


@dataclasses.dataclass
class Figure:
    part: str
    case: str
    who: str
    unit: str
    samples: list

    @property
    def key(self):
        return key(self.part, self.case, self.who, self.unit)

    @property
    def median(self):
        return statistics.median(self.samples)

    @property
    def quartiles(self):
        """The middle half of what was measured; all of it where that is too little to halve."""
        if len(self.samples) < 4:
            return min(self.samples), max(self.samples)
        low, _, high = statistics.quantiles(self.samples, n=4, method="inclusive")
        return low, high

    @property
    def more_is_better(self):
        return self.unit in MORE_IS_BETTER


@dataclasses.dataclass
class Ratio:
    value: float
    low: float
    high: float


def ratio(of, against):
    """The ratio of the medians. Its spread is that of the rounds, since in each round both had the same machine; where they
    were not measured in rounds together it is that of the quartiles."""
    value = of.median / against.median
    if len(of.samples) == len(against.samples) and all(against.samples):
        rounds = [a / b for a, b in zip(of.samples, against.samples)]
        return Ratio(value, min(rounds), max(rounds))
    (of_low, of_high), (low, high) = of.quartiles, against.quartiles
    return Ratio(value, of_low / high, of_high / low)


class Figures:
    """All figures of a measurement, in the order in which they were made."""

    def __init__(self):
        self.by_key = {}

    def add(self, part, case, who, unit, *values):
        figure = self.by_key.setdefault(key(part, case, who, unit), Figure(part, case, who, unit, []))
        figure.samples.extend(values)

    def get(self, name):
        return self.by_key.get(name)

    def __iter__(self):
        return iter(self.by_key.values())

    def __len__(self):
        return len(self.by_key)

    def to_json(self):
        return [dataclasses.asdict(figure) | {"median": figure.median} for figure in self]

    @classmethod
    def from_json(cls, rows):
        figures = cls()
        for row in rows:
            figures.add(row["part"], row["case"], row["who"], row["unit"], *row["samples"])
        return figures


@dataclasses.dataclass
class Judged:
    """A target beside what was measured."""
    target: dict
    ratio: Ratio = None  # None: not measured
    met: bool = None     # None: nothing was asked for, or not measured


def judge(target, figures):
    """`of` and `against` are keys; `against` may be a plain number in the unit of `of`."""
    of = figures.get(target["of"])
    against = target["against"]
    if isinstance(against, (int, float)):
        if of is None:
            return Judged(target)
        low, high = of.quartiles
        found = Ratio(of.median / against, low / against, high / against)
    else:
        other = figures.get(against)
        if of is None or other is None:
            return Judged(target)
        found = ratio(of, other)
    if "at_most" in target:
        return Judged(target, found, found.value <= target["at_most"])
    if "at_least" in target:
        return Judged(target, found, found.value >= target["at_least"])
    return Judged(target, found)


@dataclasses.dataclass
class Change:
    figure: Figure
    base: Figure
    change: float  # 0.1: a tenth more than before
    verdict: str   # "same", "better", "worse"


def compare(now, base):
    """Worse is what lies beyond the spread: the middle halves do not meet, and the medians differ by more than builds do."""
    change = now.median / base.median - 1 if base.median else 0.0
    (now_low, now_high), (base_low, base_high) = now.quartiles, base.quartiles
    verdict = "same"
    if abs(change) > LEAST_CHANGE and (now_low > base_high or now_high < base_low):
        verdict = "better" if (change > 0) == now.more_is_better else "worse"
    return Change(now, base, change, verdict)


def compare_all(now, base, names):
    """Only what is measured of `names`, our own: what became of a peer is no regression of ours."""
    found = []
    for figure in now:
        other = base.get(figure.key)
        if figure.who in names and other is not None:
            found.append(compare(figure, other))
    return found
