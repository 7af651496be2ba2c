#!/usr/bin/env python3
"""The harness's own logic: what it makes of numbers. Measures nothing, and needs nothing but Python."""
import contextlib
import io
import pathlib
import subprocess
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import base
import chart
import figures
import guard
import page
import parts
import peers
import place
import profiles
import report
import run
import targets


def figure(*samples, unit="s", who="baton"):
    return figures.Figure("part", "case", who, unit, list(samples))


def all_of(*rows):
    found = figures.Figures()
    for who, unit, samples in rows:
        found.add("part", "case", who, unit, *samples)
    return found


class Numbers(unittest.TestCase):
    def test_a_median_does_not_heed_an_outlier(self):
        self.assertEqual(figure(1, 2, 3, 4, 100).median, 3)

    def test_quartiles_are_the_middle_half(self):
        self.assertEqual(figure(1, 2, 3, 4, 100).quartiles, (2, 4))

    def test_too_few_samples_are_taken_whole(self):
        self.assertEqual(figure(5, 1).quartiles, (1, 5))

    def test_a_ratio_is_of_medians_and_its_spread_of_rounds(self):
        found = figures.ratio(figure(1, 2, 6), figure(2, 4, 3))
        self.assertAlmostEqual(found.value, 2 / 3)
        self.assertEqual((found.low, found.high), (0.5, 2))

    def test_a_ratio_of_unlike_counts_has_the_spread_of_quartiles(self):
        found = figures.ratio(figure(2, 4), figure(1, 2, 2))
        self.assertEqual((found.value, found.low, found.high), (1.5, 1, 4))

    def test_figures_survive_being_written_and_read(self):
        kept = all_of(("baton", "s", (1, 2)), ("ninja", "s", (3,)))
        again = figures.Figures.from_json(kept.to_json())
        self.assertEqual([f.samples for f in again], [[1, 2], [3]])


class Targets(unittest.TestCase):
    def judge(self, ours, **bound):
        target = {"what": "x", "of": "part/case/baton/s", "against": "part/case/ninja/s", "limit": "", **bound}
        return figures.judge(target, all_of(("baton", "s", ours), ("ninja", "s", (2, 2, 2))))

    def test_at_most(self):
        self.assertTrue(self.judge((1, 1, 1), at_most=0.5).met)
        self.assertFalse(self.judge((1.1, 1.1, 1.1), at_most=0.5).met)

    def test_at_least(self):
        self.assertTrue(self.judge((4, 4, 4), at_least=2).met)
        self.assertFalse(self.judge((3, 3, 3), at_least=2).met)

    def test_without_a_bound_it_is_neither(self):
        self.assertIsNone(self.judge((1, 1, 1)).met)

    def test_against_a_plain_number(self):
        target = {"what": "x", "of": "part/case/baton/s", "against": 0.5, "at_most": 1}
        found = figures.judge(target, all_of(("baton", "s", (0.4, 0.4))))
        self.assertAlmostEqual(found.ratio.value, 0.8)

    def test_a_peer_that_is_not_there_is_no_verdict(self):
        target = {"what": "x", "of": "part/case/baton/s", "against": "part/case/none/s", "at_most": 1}
        found = figures.judge(target, all_of(("baton", "s", (1,))))
        self.assertEqual((found.ratio, found.met), (None, None))

    def test_a_missed_one_tells_its_limit(self):
        rows = [{"what": "speed", "of": "part/case/baton/s", "against": 1, "at_most": 1, "limit": "The disk."}]
        self.assertIn("The disk.", report.limits(rows, all_of(("baton", "s", (2,))))[0])
        self.assertEqual(report.limits(rows, all_of(("baton", "s", (0.5,)))), [])

    def test_all_of_them_are_well_formed(self):
        for target in targets.TARGETS:
            self.assertIn(target["of"].split("/")[0], parts.ORDER)
            self.assertFalse("at_most" in target and "at_least" in target, target)
            if isinstance(target["against"], str):
                self.assertEqual(target["against"].split("/", 3)[3], target["of"].split("/", 3)[3], "like is laid beside like")

    def test_one_that_nothing_was_measured_for_is_said(self):
        rows = [{"what": "speed", "of": "part/other/baton/s", "against": 1, "at_most": 1}]
        self.assertEqual(report.unmeasured(rows, all_of(("baton", "s", (1,)))), ["- speed"])


class Compare(unittest.TestCase):
    def verdict(self, now, before, unit="s"):
        return figures.compare(figure(*now, unit=unit), figure(*before, unit=unit)).verdict

    def test_within_the_spread_it_is_the_same(self):
        self.assertEqual(self.verdict((10, 11, 12, 13, 14), (9, 10, 11, 12, 13)), "same")

    def test_beyond_it_it_is_worse(self):
        self.assertEqual(self.verdict((20, 21, 22, 23, 24), (10, 11, 12, 13, 14)), "worse")

    def test_or_better(self):
        self.assertEqual(self.verdict((10, 11, 12, 13, 14), (20, 21, 22, 23, 24)), "better")

    def test_of_a_rate_less_is_worse(self):
        self.assertEqual(self.verdict((10, 11, 12, 13, 14), (20, 21, 22, 23, 24), "steps/s"), "worse")

    def test_what_builds_differ_by_is_no_change(self):
        self.assertEqual(self.verdict((1.02,) * 5, (1.0,) * 5), "same")

    def test_a_peer_that_became_slower_is_not_our_fault(self):
        now, before = all_of(("ninja", "s", (9, 9, 9))), all_of(("ninja", "s", (1, 1, 1)))
        self.assertEqual(figures.compare_all(now, before, page.OURS), [])

    def test_the_base_is_laid_beside_ours(self):
        both = all_of(("baton's engine", "s", (2, 2, 2)), ("base's engine", "s", (1, 1, 1)))
        changes = figures.compare_all(both, base.taken_apart(both), page.OURS)
        self.assertEqual([(c.figure.who, c.verdict) for c in changes], [("baton's engine", "worse")])

    def test_a_regression_is_the_exit_code(self):
        measured = unittest.mock.Mock(figures=all_of(("baton", "s", (2, 2, 2))))
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(run.compared(measured, all_of(("baton", "s", (1, 1, 1)))), 1)
            self.assertEqual(run.compared(measured, all_of(("baton", "s", (2, 2, 2)))), 0)
        self.assertIn("part/case/baton/s: +100.0%", told.getvalue())


class Guard(unittest.TestCase):
    RECORD = {"compiler": "g++ 12", "paths": {"plan": 1000}}

    def test_within_the_band_all_is_well(self):
        for now in (901, 1000, 1099):
            self.assertTrue(guard.judge({"plan": now}, self.RECORD)[1], now)

    def test_dearer_is_named_with_before_now_and_how_much(self):
        lines, good = guard.judge({"plan": 1200}, self.RECORD)
        self.assertFalse(good)
        for word in ("plan", "1,000", "1,200", "+20.0%", "DEARER"):
            self.assertIn(word, lines[0])

    def test_cheaper_asks_to_be_kept(self):
        lines, good = guard.judge({"plan": 800}, self.RECORD)
        self.assertTrue(good)
        self.assertIn("--record", lines[0])

    def test_what_is_not_on_record_is_not_guarded(self):
        self.assertFalse(guard.judge({"other": 1}, self.RECORD)[1])

    def test_another_compiler_is_said(self):
        self.assertIn("g++ 13", guard.advice(self.RECORD, "g++ 13")[-1])
        self.assertNotIn("on record are counts", " ".join(guard.advice(self.RECORD, "g++ 12")))


class Texts(unittest.TestCase):
    def test_a_table_is_even(self):
        lines = report.table(("a", "bb"), [("long word", "1"), ("x", "22")]).splitlines()
        self.assertEqual(len({len(line) for line in lines}), 1)
        self.assertEqual(lines[2], "| long word | 1   |")

    def test_seconds_are_shown_as_reads_best(self):
        self.assertEqual([report.value(n, "s") for n in (2.5, 0.0123, 0.000045, 1234)], ["2.5 s", "12.3 ms", "45 us", "1,234 s"])

    def test_the_report_has_ratios_before_figures(self):
        rows = [{"what": "speed against ninja", "of": "part/case/baton/s", "against": "part/case/ninja/s", "at_most": 0.6, "limit": ""}]
        text = report.whole(rows, all_of(("baton", "s", (1, 1)), ("ninja", "s", (2, 2))), {"make": "no network"})
        self.assertLess(text.index("speed against ninja"), text.index("median"))
        for word in ("0.50", "at most 0.6", "met", "make: no network"):
            self.assertIn(word, text)

    def test_nothing_measured_is_no_table(self):
        self.assertEqual(report.whole([], figures.Figures(), {}), "")

    def test_the_page_names_commit_and_pictures(self):
        found = figures.Figures()
        for who, took in (("baton", 1), ("ninja", 2)):
            found.add("dispatch", "1,000 independent", who, "s", took, took)
        images = page.pictures(found)
        self.assertEqual(list(images), ["bench-dispatch.svg"])
        text = page.text(targets.TARGETS, found, {}, images, "abc1234", "2030-01-01")
        for word in ("Commit abc1234", "](images/bench-dispatch.svg)", "## What is measured"):
            self.assertIn(word, text)

    def test_the_dearest_functions_are_found(self):
        told = ("1,000 (100.0%)  PROGRAM TOTALS\n\n  600 (60.00%)  ???:baton::Run::apply(baton::Event const&) [/b/baton]\n"
                "   90 ( 9.00%)  file.cc:void std::sort<int, long>(int) [/b/baton]\n")
        self.assertEqual(profiles.top_functions(told), [(60.0, "baton::Run::apply"), (9.0, "void std::sort")])


class Pictures(unittest.TestCase):
    ROWS = [("baton", 1.0, 0.9, 1.1, "1 s", True), ("a <b> & c", 2.0, 1.5, 3.0, "2 s", False)]

    def setUp(self):
        self.tree = xml.etree.ElementTree.fromstring(chart.bars("T & <t>", "note", self.ROWS))

    def all(self, kind):
        return self.tree.findall(f"{{http://www.w3.org/2000/svg}}{kind}")

    def test_it_is_well_formed_and_has_a_bar_each(self):
        self.assertEqual([bar.get("class") for bar in self.all("rect")], ["ours", "bar"])

    def test_bars_are_in_proportion(self):
        ours, other = (float(bar.get("width")) for bar in self.all("rect"))
        self.assertAlmostEqual(other / ours, 2, delta=0.01)

    def test_nothing_lies_outside(self):
        for line in self.all("line"):
            self.assertLessEqual(float(line.get("x2")), chart.WIDTH - 40)

    def test_it_has_colours_for_dark_ground(self):
        self.assertIn("prefers-color-scheme: dark", self.all("style")[0].text)


class Turns(unittest.TestCase):
    def setUp(self):
        self.place = place.Place([place.Build("baton", None, None)], 2, True, say=lambda text: None)
        self.place.part = "part"
        self.addCleanup(self.place.end)

    def test_contenders_take_turns(self):
        order = []

        def of(who):
            return lambda: order.append(who) or 1.0

        self.place.turns("case", {"a": of("a"), "b": of("b"), "c": of("c")})
        self.assertEqual("".join(order), "abcabc")

    def test_values_by_unit_become_figures(self):
        self.place.turns("case", {"baton": lambda: {"s": 1.0, "MB": 7.0}})
        self.assertEqual(self.place.figures.get("part/case/baton/MB").samples, [7.0, 7.0])

    def test_a_peer_that_cannot_be_had_is_left_out_with_a_word(self):
        def gone():
            raise peers.Missing("no network")

        self.assertEqual(list(self.place.contenders(("a", gone), ("b", lambda: 1))), ["b"])
        self.assertEqual(self.place.skipped, {"a": "no network"})

    def test_a_peer_that_fails_is_left_out_from_then_on(self):
        calls = []

        def fails():
            calls.append(1)
            raise subprocess.CalledProcessError(1, "x", stderr=b"first\nlast words\n")

        self.place.turns("case", {"peer": fails, "baton": lambda: 1.0})
        self.assertEqual((len(calls), self.place.figures.get("part/case/baton/s").samples), (1, [1.0, 1.0]))
        self.assertIn("last words", self.place.skipped["peer (case)"])

    def test_our_own_failure_is_one(self):
        def fails():
            raise RuntimeError("broken")

        with self.assertRaises(RuntimeError):
            self.place.turns("case", {"baton's engine": fails})

    def test_a_comparison_leaves_peers_out(self):
        self.place.ours_only = True
        self.assertEqual(list(self.place.contenders(("ninja", lambda: 1), ("baton's engine", lambda: 2))), ["baton's engine"])


if __name__ == "__main__":
    unittest.main()
