# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""report --format=html in Chromium: every number equals --format=json, controls work, hostile names are text, and the
page makes no network requests."""
import base64
import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import unittest
import urllib.parse

import browser
from runs import dump, read, report, work, written

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTERS = ("allocs alloc_bytes reallocs realloc_bytes realloc_old_bytes frees freed_bytes moved moved_bytes live_blocks "
            "live_bytes failed peak_bytes peak_blocks inherited_blocks inherited_bytes").split()
METRICS = {"bytes": ("alloc_bytes", "realloc_bytes"), "calls": ("allocs", "reallocs"), "live": ("live_bytes",),
           "peak": ("peak_bytes",), "churn": ("freed_bytes", "moved_bytes"), "leaked": ("leaked_bytes",),
           "possibly": ("possibly_leaked_bytes",)}
# Scrolls down and returns the cells of all rows of the table.
ROWS = """(async () => {
    const scroller = document.querySelector(".scroller"), rows = new Map();
    for (let top = 0; top <= scroller.scrollHeight; top += 300) {
        scroller.scrollTop = top;
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))));
        for (const row of document.querySelectorAll(".body .row"))
            rows.set(Number(row.dataset.at), {
                name: row.querySelector(".name b").textContent,
                all: row.querySelector(".name").textContent,
                ...Object.fromEntries([...row.querySelectorAll(".number")].map((cell) => [cell.dataset.key, Number(cell.firstChild.value)])),
            });
    }
    scroller.scrollTop = 0;
    return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
})()"""

PROGRAM = r"""#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
struct item { int a[5]; struct item *next; };
static void *volatile kept[100];
__attribute__((noinline)) static void left(int i) { kept[i] = malloc(100 + i); }
__attribute__((noinline)) static void right(int i) { kept[i] = calloc(i, 8); kept[i] = realloc(kept[i], 4000); }
int main(void) {
    for (int i = 1; i < 40; i++)
        left(i);
    for (int i = 40; i < 60; i++)
        right(i);
    struct item *item = malloc(sizeof *item);
    kept[99] = item;
    kept[98] = strdup("hello");
    for (int i = 1; i < 50; i++)
        free(kept[i]);
    kept[98] = kept[50] = NULL;
    void **mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mapped[3] = kept[51];
    kept[51] = NULL;
    return 0;
}
"""

# The functions are called through one path or both.
WAYS = r"""#include <stdlib.h>
static void *volatile kept;
__attribute__((noinline)) static void make(int size) { kept = malloc(size); }
__attribute__((noinline)) static void through_left(int size) { make(size); free(kept); }
__attribute__((noinline)) static void through_right(int size) { make(size); free(kept); }
int main(void) {
    through_left(LEFT);
    if (RIGHT)
        through_right(RIGHT);
    return 0;
}
"""

# Recursion, a pass-through function, and a function that calls another through two paths.
CALLS = r"""#include <stdlib.h>
static void *volatile kept[9];
static void *make(int size) { return malloc(size); }
static void keep(int i) { kept[i] = make(10); if (i) free(kept[i]); kept[i] = malloc(1 + i); }
static void walk(int depth) { keep(depth); if (depth) walk(depth - 1); else kept[8] = malloc(70); }
int main(void) {
    walk(3);
    keep(7);
    return 0;
}
"""

# Two phases with a common function, in a thread of their own, and allocations outside of phases.
PHASES = r"""#include <allocsite.h>
#include <pthread.h>
#include <stdlib.h>
static void *volatile kept;
__attribute__((noinline)) static void make(int size) { kept = malloc(size); }
__attribute__((noinline)) static void parse(void) { make(100); make(200); }
static void *work(void *unused) {
    allocsite_phase_push("parsing");
    parse();
    allocsite_phase_pop();
    allocsite_phase_push("cleaning");
    make(4000);
    allocsite_phase_pop();
    make(30);
    return unused;
}
int main(void) {
    pthread_t thread;
    make(1);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
"""

HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>\"'&amp;\u2028"


def site(number, **given):
    zeros = dict.fromkeys(COUNTERS + ["max_live_blocks", "max_live_blocks_within"], 0)
    ones = dict.fromkeys(("allocs", "live_blocks", "peak_blocks", "max_live_blocks"), 1)
    sizes = dict.fromkeys(("alloc_bytes", "live_bytes", "peak_bytes"), number + 1)
    return {"id": f"{number:016x}", "module": "/bin/app", "sited": True, "function": f"function_{number}",
            "file": f"src/dir_{number % 40}/file_{number % 1000}.c", "line": number + 1, "column": 3, "callee": "malloc",
            "type": None, "inlined": [], **zeros, **ones, **sizes, **given}


def made_report(sites):
    totals = {name: sum(each[name] for each in sites) for name in COUNTERS}
    return {"program": "/bin/app", "pid": 1, "processes": 1, "exact": True,
            "inexact_reasons": [], "finished": True, "totals": totals, "peak_within": 0, "sites": sites, "faults": []}


def metric_of(each, name):
    return sum(each[counter] for counter in METRICS[name])


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def page(self, source, *options):
        path = work("page.html")
        done = dump("report", "--format=html", *options, "-o", path, source)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return path

    def opened(self, source, *options, fragment=""):
        """The page requests only the file itself and prints no console messages."""
        path = self.page(source, *options)
        self.browser.requests.clear()
        self.browser.complaints.clear()
        self.addCleanup(self.check_quiet, path + fragment)
        self.browser.open(path, fragment)

    def check_quiet(self, path):
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual(set(self.browser.requests) - {"about:blank"}, {"file://" + path.split("#")[0]})

    def value(self, expression):
        return self.browser.value(expression)

    def each(self, selector, expression):
        """Returns the expression for each matching element."""
        return self.value(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => {expression})")

    def go(self, fragment):
        self.value(f"location.hash = '{fragment}'")
        self.browser.drawn()

    def reloaded_by(self, expression):
        """Returns when the page that the expression reloads is drawn. The timer lets Chromium answer first."""
        self.browser.events.clear()
        self.value(f"setTimeout(() => {{ {expression} }}, 0)")
        while "Page.loadEventFired" not in self.browser.events:
            self.browser.listen()
        self.browser.drawn()

    def rows(self):
        return self.value(ROWS)

    def program(self):
        return report(PROGRAM, "program", "stack=8:pairs=1:sizes=1:reach=1:lifetime=1")

    def check_sites(self, sites):
        for metric in METRICS:
            rows = sorted((row["name"], row[metric]) for row in self.rows())
            self.assertEqual(rows, sorted((each["function"], metric_of(each, metric)) for each in sites), metric)

    def test_every_number_is_that_of_json(self):
        path = self.program()
        told = read(path)
        self.opened(path)
        cards = dict(self.each("#totals > div", "[one.dataset.metric, Number(one.querySelector('data').value)]"))
        self.assertEqual(cards, {name: metric_of(told["totals"], name) for name in METRICS})
        counted = [each for each in told["sites"] if each["allocs"] + each["reallocs"] + each["failed"]]
        self.check_sites(counted)
        for each in counted:
            self.go(f"site={each['id']}")
            shown = dict(self.each("#detail [data-counter]", "[one.dataset.counter, Number(one.value)]"))
            more = ("max_live_blocks", "max_live_blocks_within", "leaked_blocks", "leaked_bytes", "possibly_leaked_blocks",
                    "possibly_leaked_bytes")
            self.assertEqual(shown, {name: each[name] for name in (*COUNTERS, *more) if each[name]})
            place = f"{os.path.basename(each['file'])}:{each['line']}:{each['column']}" if each["file"] else ""
            self.assertIn(place, self.value("document.querySelector('#detail .place').textContent"))
            sizes = self.each("#detail .histogram data", "Number(one.value)")
            lives = [each["lifetimes"][by] for by in ("by_allocations", "by_time")]
            self.assertEqual(sizes, [count for counts in (each["sizes"], *lives) for _, count in counts])
        self.go("view=sizes")
        pairs = self.each(".pairs tbody tr", "[...one.querySelectorAll('data')].map((number) => Number(number.value))")
        self.assertEqual(sorted(pairs), sorted([pair["bytes"], pair["count"]] for pair in told["pairs"] + told["faults"]))

    def test_groups_are_sums(self):
        path = self.program()
        told = read(path)
        for field in "function", "file", "type", "module":
            self.opened(path, fragment=f"#group={field}")
            sums = {}
            for each in told["sites"]:
                if each["allocs"] + each["reallocs"]:
                    sums[each[field]] = sums.get(each[field], 0) + metric_of(each, "bytes")
            shown = sorted(row["bytes"] for row in self.rows() if row["calls"] or not row.get("inclusive"))
            self.assertEqual(shown, sorted(sums.values()), field)

    def test_functions(self):
        """Inclusive and self counts, callers and callees equal the report's."""
        def cost(row, metric):
            return metric_of(row, metric)

        path = report(CALLS, "functions", "reach=0", ("-O1", "-fno-inline"), contexts=1)
        told = json.loads(dump("report", "--by=function", "--format=json", path).stdout)["rows"]
        for metric in "bytes", "calls", "live":
            self.opened(path, fragment=f"#group=function&metric={metric}&sort=inclusive")
            rows = self.rows()
            self.assertEqual({row["name"]: (row[metric], row["inclusive"]) for row in rows},
                             {row["function"]: (cost(row, metric), cost(row["inclusive"], metric)) for row in told}, metric)
            self.assertEqual([row["inclusive"] for row in rows], sorted((row["inclusive"] for row in rows), reverse=True))
            for name in "main", "walk", "make", "keep":
                focus = json.loads(dump("report", "--focus=" + name, "--format=json", path).stdout)["rows"]
                wanted = sorted([cost(row, metric), {"caller": "Callers", "callee": "Callees"}.get(row["role"], row["role"])] for row in focus if cost(row, metric))
                self.go(f"group=function&metric={metric}&focus={name}")
                shown = self.each("#detail .sums tr", "[Number(one.querySelector('data').value), one.querySelector('b').textContent]")
                shown += self.each("#detail .neighbours tr", "[Number(one.querySelector('data').value), one.closest('section').querySelector('h3').textContent]")
                self.assertEqual(sorted(row for row in shown if row[0]), wanted, (name, metric))
        self.browser.click("#detail .its-sites")
        self.assertEqual({row["name"] for row in self.rows()}, {"keep"})
        self.browser.click(".body .row")
        self.browser.click("#detail .focus")
        self.assertIn("focus=keep", self.value("location.hash"))

    def chosen(self, path, skip, stop, *options):
        """Returns the rows of the page for these choices."""
        self.opened(path, *options, fragment="#" + urllib.parse.urlencode({"skip": skip, "stop": stop, "sort": "name", "startup": 1}))
        row = """[one.querySelector('.name b').title, one.querySelector('.at').textContent.replace(/.*\\//, ''), (one.querySelector('.what')?.textContent ?? '').replace(/^→ | ?\\[.*/g, ''),
                  ...[...one.querySelectorAll('.number')].map((cell) => Number(cell.firstChild.value))]"""
        return sorted(self.each(".body .row", row))

    def reported(self, path, skip, stop):
        """Returns the same from the report."""
        options = [f"--{name}={value}" for name, value in (("skip", skip), ("stop", stop)) if value]
        rows = []
        for row in csv.DictReader(io.StringIO(dump("report", "--format=csv", *options, path).stdout)):
            row = {name: int(value) if name in COUNTERS else value for name, value in row.items()}
            if row["allocs"] + row["reallocs"] + row["failed"]:
                place = f"{row['file']}:{row['line']}:{row['column']}" if row["file"] else row["module"]
                rows.append([row["function"], os.path.basename(place), row["callee"],
                             *(metric_of(row, name) for name in ("bytes", "calls", "live", "peak", "churn"))])
        return sorted(rows)

    def test_lines_are_chosen_as_in_the_report(self):
        """The page chooses the same lines as the report, with and without the user's choices."""
        with open(os.path.join(HERE, "names.cpp")) as file:
            paths = [report(CALLS, "lines_c", "reach=0", ("-O1", "-fno-inline"), contexts=1), report(CALLS, "lines_inlined", "reach=0", contexts=1),
                     report(file.read(), "lines_cpp", "reach=0", ("-x", "c++", "-std=c++17", "-lstdc++"), contexts=1)]
        for path in paths:
            names = {frame["function"] for stack in read(path)["stacks"] for frame in stack["frames"] if frame["file"] and "," not in frame["function"]}
            self.assertEqual(self.chosen(path, "nobody", ""), self.reported(path, "", ""), path)
            for name in sorted(names)[:12]:
                self.assertEqual(self.chosen(path, name, ""), self.reported(path, name, ""), name)
                self.assertEqual(self.chosen(path, "", name), self.reported(path, "", name), name)
        self.assertEqual(self.chosen(paths[0], "keep\nmake", "walk"), self.reported(paths[0], "keep,make", "walk"))

    def test_lines_of_two_reports_are_chosen_as_in_diff(self):
        """Lines move down, one size changes, and a function gets another statement before its allocation."""
        edited = CALLS.replace("static void *volatile", "\n\nstatic void *volatile").replace("malloc(70)", "malloc(80)").replace("{ keep(depth);", "{ (void)0;\n    keep(depth);")
        old, new = (report(source, f"choose/{name}", "reach=0", ("-O1", "-fno-inline"), contexts=1) for name, source in (("old", CALLS), ("new", edited)))
        path = work("choose.html")
        self.assertEqual(dump("diff", "--format=html", "-o", path, old, new).returncode, 0)
        for skip, stop in ("nobody", ""), ("keep", ""), ("walk", ""), ("", "make"), ("keep\nmake", "walk"):
            options = [f"--{name}={value}".replace("\n", ",") for name, value in (("skip", skip), ("stop", stop)) if value]
            told = json.loads(dump("diff", "--all", "--format=json", *options, old, new).stdout)["rows"]
            wanted = sorted((*((row["new"] or row["old"])[name] for name in ("function", "line")), *(row["change"][name] for name in ("bytes", "allocs", "live")))
                            for row in told)
            self.browser.complaints.clear()
            self.browser.open(path, "#" + urllib.parse.urlencode({"skip": skip, "stop": stop}))
            row = """[one.querySelector('.name b').title, Number(one.querySelector('.line').textContent.split(':')[1]),
                      ...['bytes', 'calls', 'live'].map((key) => Number(one.querySelector(`[data-key=${key}]`).firstChild.value))]"""
            self.assertEqual(sorted(tuple(each) for each in self.each(".body .row", row)), wanted, (skip, stop))
            self.assertEqual(self.browser.complaints, [])

    def test_a_frame_offers_to_choose(self):
        path = report(CALLS, "lines_c", "reach=0", ("-O1", "-fno-inline"), contexts=1)
        self.opened(path, fragment="#sort=bytes")
        self.browser.click(".body .row")
        for what, selector in ("stop", "#detail li:first-child [data-line=stop]"), ("skip", "#detail li [data-line=skip]"):
            self.reloaded_by(f"document.querySelector({json.dumps(selector)}).click()")
            chosen = urllib.parse.parse_qs(self.value("location.hash.slice(1)"))
            self.assertIn(what, chosen)
            self.assertFalse(self.value("document.querySelector('.chosen-lines').hidden"))
            self.assertEqual(sum(row["calls"] for row in self.rows()), 11)
            self.browser.click(".body .row")
        self.reloaded_by("location.hash = 'view=flame'")

    def test_threads_and_phases(self):
        parts = [site(number, pid=1, thread=number % 2, phase=["parsing", "cleaning", None][number]) for number in range(3)]
        profile = written("phases.profile", {**made_report([site(number) for number in range(3)]), "threads": parts})
        for group in "thread", "phase":
            told = dump("report", "--no-symbols", f"--by={group}", "--format=json", profile).stdout
            rows = json.loads(told)["rows"]
            self.opened(profile, "--no-symbols", fragment=f"#group={group}")
            shown = self.rows()
            for metric in METRICS.keys() - {"peak", "leaked", "possibly"}:
                wanted = sorted(metric_of(row, metric) for row in rows)
                self.assertEqual(sorted(row[metric] for row in shown), wanted, (group, metric))

    def test_a_phase_or_thread_is_chosen_for_all_views(self):
        path = report(PHASES, "phases", contexts=1, flags=("-O1", "-pthread", "-fno-optimize-sibling-calls"))
        parts = {}
        for kind in "phase", "thread":
            for row in json.loads(dump("report", f"--by={kind}", "--format=json", path).stdout)["rows"]:
                if row[kind] is not None:
                    parts[f"{kind} {row[kind]}" + (f" of process {row['pid']}" if kind == "thread" else "")] = row
        self.opened(path)
        self.assertEqual(self.each("#phase option", "one.value"), ["", *sorted(parts)])
        self.assertEqual(len(parts), 4)
        for part, row in parts.items():
            self.go(f"phase={part}")
            told = metric_of(row, "bytes"), metric_of(row, "calls")
            self.assertEqual(tuple(map(sum, zip(*((each["bytes"], each["calls"]) for each in self.rows())))), told, part)
            self.assertRegex(self.value("document.querySelector('#status').textContent"),
                             f"· live at exit, peak, churn.* are not known by {part.split()[0]}")
            self.assertEqual(set(self.each(".body [data-key=live]", "one.textContent")), {"–"})
            self.assertEqual(self.each("#totals [aria-disabled=true]", "one.dataset.metric")[:3], ["live", "peak", "churn"])
            self.go(f"phase={part}&view=flame&metric=live&library=1")
            frames = dict(self.each(".frame:not(.leaf)", "[one.dataset.name, Number(one.dataset.value)]"))
            self.assertEqual(int(self.value("document.querySelector('.frame').dataset.value")), told[0])
            self.assertEqual("parse" in frames, part in ("phase parsing", next(name for name in parts if "thread 1" in name)))

    def test_a_column_sorts_both_ways(self):
        told = read(self.program())
        self.opened(self.program())
        wanted = sorted(metric_of(each, "calls") for each in told["sites"] if each["allocs"] + each["reallocs"])
        self.browser.click(".head [data-key=calls] button")
        self.assertEqual([row["calls"] for row in self.rows()], wanted[::-1])
        self.assertIn("sort=calls", self.value("location.hash"))
        self.browser.click(".head [data-key=calls] button")
        self.assertEqual([row["calls"] for row in self.rows()], wanted)
        self.browser.click(".head [data-key=name] button")
        names = [row["all"] for row in self.rows()]
        self.assertEqual(names, sorted(names, key=str.lower))
        self.browser.click("[data-metric=live]")
        lives = [row["live"] for row in self.rows()]
        self.assertEqual(lives, sorted(lives, reverse=True))
        self.value("new Promise((done) => { addEventListener('popstate', () => setTimeout(done)); history.back(); })")
        self.assertEqual([row["all"] for row in self.rows()], names)

    def test_paths_are_relative_to_their_common_folder(self):
        path = written("elsewhere.profile", made_report([site(number, file=f"/far/away/dir_{number}/file.c") for number in range(3)]))
        self.opened(path, "--no-symbols")
        self.assertIn("Files: below /far/away", self.value("document.querySelector('header').textContent"))
        self.assertEqual({re.search(r"^dir_\d/file.c", row["all"])[0] for row in self.value(ROWS)}, {f"dir_{number}/file.c" for number in range(3)})
        with open(work("page.html")) as file:
            self.assertNotIn("away/dir_", file.read().partition('<script type="application/json"')[0])

    def test_words_filter(self):
        self.opened(self.program())
        for words, names in {"function:left": {"left"}, "callee:calloc": {"right"},
                             "-function:left -function:right -function:main": None, "file:program.c:13": {"main"},
                             'type:"struct item"': {"main"}, "no such site": set()}.items():
            self.value("document.querySelector('#filter').value = ''")
            self.browser.type("#filter", words)
            shown = {row["name"] for row in self.rows()}
            if names is None:
                self.assertTrue(shown.isdisjoint({"left", "right", "main"}), shown)
            else:
                self.assertEqual(shown, names, words)

    def test_keys(self):
        self.opened(self.program())
        self.value("document.querySelector('.scroller').focus()")
        self.browser.press("ArrowDown")
        self.browser.press("Enter")
        self.assertFalse(self.value("document.querySelector('#detail').hidden"))
        self.browser.press("Escape")
        self.assertTrue(self.value("document.querySelector('#detail').hidden"))
        self.browser.press("2")
        self.assertEqual(self.value("document.querySelector('[aria-selected=true][role=tab]').dataset.view"), "flame")
        self.browser.press("/")
        self.assertEqual(self.value("document.activeElement.id"), "filter")

    def check_flame(self, total):
        frames = self.each(".frame", "[Number(one.ariaLevel), Number(one.dataset.value), one.textContent, one.dataset.path]")
        self.assertEqual(frames[0][:2], [1, total])
        inside = {}
        for level, amount, _, path in frames[1:]:
            if not path:  # narrow boxes are combined
                continue
            inside.setdefault((path or "").rpartition(".")[0], []).append(amount)
        amounts = {path: amount for _, amount, _, path in frames}
        for parent, parts in inside.items():
            self.assertLessEqual(sum(parts), amounts[parent])
        self.assertGreater(sum(inside[""]), 0.99 * total, "all but what is narrower than a pixel")
        return frames

    def test_flame_graph(self):
        path = self.program()
        told = read(path)
        for metric in METRICS:
            self.opened(path, fragment=f"#view=flame&metric={metric}")
            down = self.check_flame(metric_of(told["totals"], metric)) if metric_of(told["totals"], metric) else []
            self.opened(path, fragment=f"#view=flame&callers=1&metric={metric}")
            if down:
                self.check_flame(metric_of(told["totals"], metric))
        self.opened(path, fragment="#view=flame")
        left = sum(metric_of(each, "bytes") for each in told["sites"] if each["function"] == "left")
        frames = self.check_flame(metric_of(told["totals"], "bytes"))
        self.assertIn(left, [amount for _, amount, name, _ in frames if name == "left"])
        self.value("[...document.querySelectorAll('.frame')].find((one) => one.textContent === 'left').click()")
        self.assertEqual(self.each(".frame:not(.above)", "one.textContent")[0], "left")
        self.browser.type("#filter", "left")
        self.assertIn("left", self.each(".frame.hit", "one.textContent"))

    def test_treemap(self):
        path = self.program()
        told = read(path)
        self.opened(path, fragment="#view=treemap")
        rooms = self.each(".treemap > .room", "Number(one.dataset.value)")
        self.assertEqual(sum(rooms), metric_of(told["totals"], "bytes"))
        for name in "program.c", "left":
            named = f"one.querySelector('b')?.textContent.endsWith('{name}')"
            self.value(f"[...document.querySelectorAll('.room')].find((one) => {named}).click()")
        self.assertEqual({row["name"] for row in self.rows()}, {"left"})

    def test_source(self):
        path = self.program()
        folder = os.getcwd()
        os.chdir(os.path.dirname(path))
        self.addCleanup(os.chdir, folder)
        left = next(each for each in read(path)["sites"] if each["function"] == "left")
        self.opened(path, "--source", fragment=f"#site={left['id']}")
        self.assertIn("malloc(100 + i)", self.value("document.querySelector('.source .here code').textContent"))
        self.assertEqual(self.value("Number(document.querySelector('.source .here data').value)"), metric_of(left, "bytes"))

    def test_two_reports(self):
        one = made_report([site(1), site(2), site(3)])
        other = made_report([site(2, alloc_bytes=6, live_bytes=6, peak_bytes=6), site(3), site(4)])
        old, new, path = written("old.profile", one), written("new.profile", other), work("diff.html")
        self.assertEqual(dump("diff", "--format=html", "-o", path, old, new).returncode, 0)
        self.browser.complaints.clear()
        self.browser.open(path)
        self.assertEqual([(row["name"], row["bytes"], row["calls"]) for row in self.rows()],
                         [("function_4", 5, 1), ("function_2", 3, 0), ("function_1", -2, -1), ("function_3", 0, 0)])
        self.assertEqual(self.each(".body .share", "one.textContent"),
                         ["0 B → 5 B", "3 B → 6 B", "2 B → 0 B", "4 B → 4 B"])
        self.assertEqual(self.value("document.querySelector('[data-metric=bytes]').textContent"), "Allocated15 Bwas 9 B")
        both = "[one.querySelector('b, span').textContent.split(' ')[0], Number(one.dataset.before), Number(one.dataset.value)]"
        for view, chosen in ("flame", ".frame:not(.leaf)"), ("treemap", ".room:not(.inner)"):
            self.go("view=" + view)
            self.assertEqual(sorted(self.each(chosen, both)),
                             sorted([["function_1", 2, 0], ["function_2", 3, 6], ["function_3", 4, 4], ["function_4", 0, 5]] +
                                    ([["all", 9, 15]] if view == "flame" else [])))
            changes = dict(self.each(chosen, "[one.title.split('\\n')[0].split(' ').pop(), one.className.match(/is-\\w+/)[0] + one.title.match(/\\(.*\\)/)[0]]"))
            self.assertEqual((changes["function_1"], changes["function_2"], changes["function_3"]),
                             ("is-less(−2 B)", "is-more(+3 B)", "is-same(=)"))
        self.assertEqual(self.browser.complaints, [])

    def test_two_reports_with_stacks(self):
        """Each frame has both numbers; below and above, the stacks differ."""
        old, new = (report(WAYS, f"ways/{name}", "stack=8:sizes=1:pairs=1", ("-O1", "-fno-optimize-sibling-calls", *defines)) for name, defines in
                    (("old", ("-DLEFT=100", "-DRIGHT=0")), ("new", ("-DLEFT=50", "-DRIGHT=70"))))
        path = work("ways.html")
        self.assertEqual(dump("diff", "--format=html", "-o", path, old, new).returncode, 0)
        self.browser.complaints.clear()
        self.browser.open(path)
        frame = ("[one.textContent, one.ariaLevel, one.dataset.before, one.dataset.value, one.style.width]"
                 ".map((each) => isNaN(parseFloat(each)) ? each : Math.round(parseFloat(each)))")
        for callers in "", "1":
            self.go(f"view=flame&callers={callers}")
            frames = {each[0]: each[1:] for each in self.each(".frame:not(.leaf)", frame)}
            ways = frames["make" if callers else "main"][0] + 1
            self.assertEqual([frames[name][:3] for name in ("all", "through_left", "through_right")],
                             [[1, 100, 120], [ways, 100, 50], [ways, 0, 70]], callers)
            self.assertEqual([frames[name][3] for name in ("through_left", "through_right")], [59, 41], callers)
        self.assertIn("Calling frames", self.value("document.querySelector('#flame .note').textContent"))
        self.go("group=function&sort=inclusive")
        self.assertEqual([(row["name"], row["inclusive"], row["bytes"]) for row in self.rows()],
                         [("through_right", 70, 0), ("through_left", -50, 0), ("make", 20, 20), ("main", 20, 0)])
        self.go("view=sizes")
        cells = "[...one.children].map((cell) => cell.textContent).filter(Boolean)"
        self.assertEqual([row[0] + ": " + row[-1] for row in self.each("#sizes .histogram tbody tr", cells)],
                         ["32 B to 63 B: 0 → 1", "64 B to 127 B: 1 → 1"])
        self.assertEqual(sorted(row[:2] for row in self.each("#sizes .pairs tbody tr", cells)),
                         [["0 B → 70 B", "0 → 1"], ["100 B → 50 B", "1 → 1"]])
        self.assertEqual(self.browser.complaints, [])

    def test_functions_are_without_parameters(self):
        names = {"leveldb::ReadBlock(leveldb::Slice const&, int (*)(char))": "leveldb::ReadBlock", "S::operator()(int) const": "S::operator()",
                 "(anonymous namespace)::f()": "(anonymous namespace)::f", "operator()": "operator()", "main": "main"}
        self.opened(written("names.profile", made_report([site(i, function=name) for i, name in enumerate(names)])))
        self.assertEqual(sorted(row["name"] for row in self.rows()), sorted(names.values()))

    def test_by_stack(self):
        """One row per stack, and one for the part of a site without stacks; together they are the total."""
        path = report(WAYS, "one_by_stack", "stack=8", ("-O1", "-fno-optimize-sibling-calls", "-DLEFT=100", "-DRIGHT=70"))
        told = read(path)
        told["stacks"] = [stack for stack in told["stacks"] if stack["alloc_bytes"] != 70]
        self.opened(written("part.profile", told), fragment="#group=stack")
        rows = self.rows()
        self.assertEqual([(row["bytes"], row["calls"]) for row in rows], [(100, 1), (70, 1)])
        self.assertRegex(rows[0]["all"], "make→ malloc.*from through_left < main$")
        self.assertNotIn("from", rows[1]["all"])
        self.browser.click(".body .row")
        self.assertEqual(self.value("document.querySelector('#detail h2').textContent"), "make")

    def test_two_reports_by_stack(self):
        """Rows equal JSON and text. Each row leads to its details, and each frame to its rows."""
        old, new = (report(WAYS, f"by_stack/{name}", "", ("-O1", *defines), contexts=1) for name, defines in
                    (("old", ("-DLEFT=100", "-DRIGHT=0")), ("new", ("-DLEFT=50", "-DRIGHT=70"))))
        path = work("by_stack.html")
        self.assertEqual(dump("diff", "--by=stack", "--format=html", "-o", path, old, new).returncode, 0)
        self.browser.complaints.clear()
        self.browser.open(path)
        told = json.loads(dump("diff", "--by=stack", "--all", "--format=json", old, new).stdout)["rows"]
        ways = [" < ".join(frame["function"] for frame in (row["new"] or row["old"])["frames"]) for row in told]
        rows = self.rows()
        for row, of_json, way in zip(rows, told, ways, strict=True):
            self.assertEqual([row[name] for name in ("bytes", "calls", "live", "peak")],
                             [of_json["change"][name] for name in ("bytes", "allocs", "live", "peak")])
            self.assertIn("from " + way.removeprefix("make < ")[:way.index("main") - 3], row["all"])
        self.go("filter=through:through_left")
        self.assertEqual([row["bytes"] for row in self.rows()], [-50])
        self.browser.click(".body .row")
        self.assertEqual(self.each("#detail .chain b", "one.textContent")[:2], ["through_left", "main"])
        self.assertEqual(self.each("#detail [data-counter=alloc_bytes]", "one.parentNode.textContent"), ["50was 100"])
        self.go("view=flame")
        frames = dict(self.each(".frame:not(.leaf)", "[one.textContent, [Number(one.dataset.before), Number(one.dataset.value)]]"))
        self.assertEqual([frames[name] for name in ("all", "main", "through_left", "through_right")],
                         [[100, 120], [100, 120], [100, 50], [0, 70]])
        self.browser.click("#flame [data-key=width][value='1']")
        self.assertEqual(dict(self.each(".frame:not(.leaf)", "[one.textContent, one.style.width]"))["through_right"], "58.3333%")
        self.assertEqual(self.browser.complaints, [])

    def test_recording(self):
        """Each moment equals the report of that moment; a click on the chart leads there."""
        path = os.path.join(HERE, "steps.rec")
        times = json.loads(dump("report", "--history", "--format=json", "--no-symbols", path).stdout)["times_ms"]
        self.opened(path, "--no-symbols")
        last = len(times) - 1
        for point in last, 10, 0, last - 1:
            at = (times[point] - times[0] + 0.1) / 1000
            told = json.loads(dump("report", "--format=json", "--no-symbols", f"{path}@{at}").stdout)
            self.go(f"at={point}")
            self.check_moment(told, point)
        self.go("")
        box = self.value("(({left, top, width, height}) => [left, top, width, height])(document.querySelector('.plot').getBoundingClientRect())")
        self.value(f"document.querySelector('.plot').dispatchEvent(new MouseEvent('click', {{bubbles: true, clientX: {box[0] + 1}}}))")
        self.assertEqual(self.value("location.hash"), "#at=0")
        for key, expected in ("ArrowRight", "#at=1"), ("PageDown", "#at=11"), ("End", "#"):
            self.value(f"document.querySelector('.plot').dispatchEvent(new KeyboardEvent('keydown', {{bubbles: true, key: '{key}'}}))")
            self.assertEqual(self.value("location.hash") or "#", expected)
        lines = self.each(".plot polyline:not(.resident)", "one.getAttribute('points').split(' ').length")
        self.assertEqual(lines, [len(times)] * 3)

    def check_moment(self, told, point):
        there = [each for each in told["sites"] if each["allocs"]]
        names = ("bytes", "calls", "live", "peak", "churn")
        self.assertEqual(sorted([row[name] for name in names] for row in self.rows()),
                         sorted([metric_of(each, name) for name in names] for each in there))
        cards = dict(self.each("#totals > div", "[one.dataset.metric, Number(one.querySelector('data').value)]"))
        self.assertEqual(cards, {name: metric_of(told["totals"], name) for name in names})
        self.go(f"view=flame&metric=live&at={point}")
        self.assertEqual(self.each(".frame", "Number(one.dataset.value)")[:1], [told["totals"]["live_bytes"]])
        self.go(f"view=treemap&metric=live&at={point}")
        self.assertEqual(sum(self.each(".treemap > .room", "Number(one.dataset.value)")), told["totals"]["live_bytes"])

    def test_print_and_without_script(self):
        shown = "['#plain', '#app'].map((part) => getComputedStyle(document.querySelector(part)).display !== 'none')"
        self.opened(self.program())
        self.assertEqual(self.value(shown), [False, True])
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.assertEqual(self.value(shown), [True, False])
        self.browser.call("Emulation.setEmulatedMedia", media="")
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.browser.call, "Emulation.setScriptExecutionDisabled", value=False)
        self.browser.navigate("file://" + work("page.html"))
        nodes = self.browser.call("DOM.getDocument")["root"]["nodeId"]
        for part, is_shown in ("#plain tbody td", True), ("#app", False):
            node = self.browser.call("DOM.querySelector", nodeId=nodes, selector=part)["nodeId"]
            try:
                self.browser.call("DOM.getBoxModel", nodeId=node)
            except AssertionError:
                self.assertFalse(is_shown, part)
            else:
                self.assertTrue(is_shown, part)

    def test_hostile_names_are_text(self):
        names = dict(function=HOSTILE, file="/src/" + HOSTILE, type=HOSTILE, module=HOSTILE, callee=HOSTILE,
                     inlined=[{"function": HOSTILE, "file": HOSTILE, "line": 1, "column": 1}])
        told = {**made_report([site(1, **names), site(2)]), "program": HOSTILE, "exact": False, "inexact_reasons": [HOSTILE]}
        path = written("hostile.profile", told)
        for view in "sites&site=0000000000000001", "flame", "treemap":
            self.opened(path, "--no-symbols", fragment="#view=" + view)
            self.assertEqual(self.value("document.querySelectorAll('img').length"), 0)
        self.opened(path, "--no-symbols", fragment="#site=0000000000000001")
        self.assertEqual(self.value("document.querySelector('#detail h2').textContent"), HOSTILE)
        self.assertIn("onerror", self.value("document.querySelector('.doubt').textContent"))
        self.opened(path, "--no-symbols", fragment="#group=function&sort=name")
        self.browser.click(".body .row:has([title*=onerror])")
        self.browser.click("#detail .its-sites")
        self.assertEqual([row["name"] for row in self.rows()], [HOSTILE])

    def test_policy_allows_what_is_there_and_nothing_else(self):
        with open(self.page(self.program())) as file:
            text = file.read()
        parts = r"<style>(.*?)</style>", r'<script type="module">(.*?)</script>'
        digests = [hashlib.sha256(re.search(part, text, re.S)[1].encode()).digest() for part in parts]
        style, script = ("'sha256-" + base64.b64encode(digest).decode() + "'" for digest in digests)
        self.assertIn(f"\"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'\"", text)
        empty = len(text) - len(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
        self.assertLess(empty, 110_000)

    def test_without_script_there_are_the_totals_and_a_table(self):
        path = self.program()
        told = read(path)
        with open(self.page(path)) as file:
            text = re.sub(r"<script.*?</script>", "", file.read(), flags=re.S)
        table = re.search(r"<tbody>(.*?)</tbody>", text, re.S)[1]
        rows = [[int(number) for number in re.findall(r'value="(\d+)"', row)][:4] for row in table.split("</tr>")[:-1]]
        counted = [each for each in told["sites"] if metric_of(each, "calls")][:50]
        self.assertEqual(rows, [[metric_of(each, name) for name in ("bytes", "calls", "live", "peak")] for each in counted])
        self.assertIn(f'value="{metric_of(told["totals"], "bytes")}"', text)
        self.assertEqual(re.findall(r'<th scope="col">(\w+)', text)[:4], ["bytes", "calls", "live", "peak"])

    def test_a_hundred_thousand_sites(self):
        path = written("many.profile", made_report([site(number) for number in range(100_000)]))
        self.opened(path, "--no-symbols")
        self.assertEqual(self.value("document.querySelector('.scroller').getAttribute('aria-rowcount')"), "100001")
        # At any scroll position only the visible rows and a few around them exist, which keeps the page fast.
        for step in range(0, 30, 3):
            made, first, last, top, height = self.value(f"""(async () => {{
                const scroller = document.querySelector(".scroller");
                scroller.scrollTop = {step} * 90000;
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                const rows = [...document.querySelectorAll(".body .row")];
                return [rows.length, rows[0].ariaRowIndex - 2, rows.at(-1).ariaRowIndex - 2, scroller.scrollTop, rows[0].offsetHeight];
            }})()""")
            self.assertLess(made, 100)
            self.assertLessEqual(int(first), top // height)
            self.assertGreater(int(last), top // height)
        self.browser.press("2")
        widths = self.each(".frame", "[Number(one.ariaLevel), parseFloat(one.style.width), one.textContent]")
        self.assertAlmostEqual(sum(width for level, width, _ in widths if level == 2), 100, delta=0.2)
        self.assertRegex(widths[-1][2], r"^[\d,]+ more, too narrow to be shown$")


class Assets(unittest.TestCase):
    def test_comments_of_any_length_are_left_out(self):
        style = written("assets.css", "/* One line. */\n.a {\n    color: red;\n}\n\n/* Two lines, with * and /\n   in them. **/\n.b {\n    color: blue;\n}\n")
        script = written("assets.js", "/* One line. */\n// Another.\nlet one = 1; // kept\n    // indented\n")
        embed = os.path.join(HERE, "../../rt/dump/html/embed.cmake")
        output = work("assets.c")
        subprocess.run(["cmake", f"-DOUTPUT={output}", f"-DSTYLE={style}", f"-DSCRIPT={script}", "-P", embed], check=True)
        for end, wanted in ("css", ".a {\ncolor: red;\n}\n.b {\ncolor: blue;\n}\n"), ("js", "let one = 1; // kept\n"):
            with open(f"{output}.{end}") as file:
                self.assertEqual(file.read().strip("\n") + "\n", wanted)


class Usage(unittest.TestCase):
    def test_incompatible_options(self):
        path = written("few.profile", made_report([site(1)]))
        for options, what in ((["--format=html", "--tree"], "--tree is text or json"),
                              (["--format=html", "--by=file"], "--format=html and --by exclude each other"),
                              (["--source"], "--source is of --format=html")):
            done = dump("report", *options, path)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(what, done.stderr)

    def test_a_file_that_cannot_be_written(self):
        path = written("few.profile", made_report([site(1)]))
        for format in "html", "text":
            done = dump("report", f"--format={format}", "-o", work("none") + "/there/page.html", path)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^allocsite-dump: .*/page\.html: No such file or directory\n$")

    def test_output_is_the_same_as_of_standard_output(self):
        path = written("few.profile", made_report([site(1)]))
        for options in (["report", "--format=html", path], ["report", "--format=csv", path],
                        ["diff", "--format=html", path, path]):
            self.assertEqual(dump(*options, "-o", work("output")).returncode, 0)
            with open(work("output")) as file:
                self.assertEqual(file.read(), dump(*options).stdout)


if __name__ == "__main__":
    if not browser.CHROMIUM:
        print("chromium is not installed: nothing is known of the page")
        sys.exit(77)
    unittest.main()
