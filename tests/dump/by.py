# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump report --by: counts by phase and thread, and by properties that sites share.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment."""
import collections
import csv
import glob
import io
import json
import os
import shutil
import subprocess
import unittest

import profiles
from runs import CC, WORK, dump, work

HERE = os.path.dirname(os.path.abspath(__file__))
FULL, MERGED = work("words.profile"), work("merged.profile")
LIVE = "live_blocks", "live_bytes"
LEAKED = "leaked_blocks", "leaked_bytes", "possibly_leaked_blocks", "possibly_leaked_bytes"
ONLY_JSON = "differs", "partial", "holes"  # only for types; see layouts.py
LAYOUT = "size", "padding", "padding_bytes", "live_padding_bytes", *ONLY_JSON
PROFILES, RESET = [], []


def run(folder, *arguments):
    """Runs the program and returns its profile in the folder."""
    process = subprocess.run([work("program"), *arguments], env={
        **os.environ, "ALLOCSITE_OPTIONS": f"profile={work(folder)}/%p.profile:report=none"})
    if process.returncode != 0:
        raise AssertionError(process)


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    for folder in "plain", "reset":
        os.makedirs(work(folder))
    subprocess.run([CC, "-O1", "-g", "-pthread", "-I", os.path.join(HERE, "..", "..", "rt", "lib"),
                    os.path.join(HERE, "by.c"), "-o", work("program")], check=True)
    run("plain")
    run("plain")
    run("reset", "reset")
    PROFILES.extend(sorted(glob.glob(work("plain/*"))))
    RESET.extend(glob.glob(work("reset/*")))
    profiles.write(FULL, profiles.words())
    merged = dump("merge", "-o", MERGED, PROFILES[0], *RESET)
    if merged.returncode or merged.stderr:
        raise AssertionError(merged)


def check(*arguments):
    result = dump("report", *arguments)
    if result.returncode != 0 or result.stderr:
        raise AssertionError(f"{arguments}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def document(by, *paths):
    return json.loads(check(f"--by={by}", "--format=json", *paths))


def rows(by, *paths):
    return {row[by]: row for row in document(by, *paths)["rows"]}


def numbers(row, *names):
    return [row[name] for name in names]


class Phases(unittest.TestCase):
    def test_allocations_and_frees(self):
        have = rows("phase", PROFILES[0])
        self.assertEqual(set(have), {"parsing", "cleaning", "idle", None})
        self.assertEqual(numbers(have["parsing"], "allocs", "alloc_bytes", "reallocs", "frees", "moved", *LIVE),
                         [50, 5000, 1, 100, 1, -50, 4900])
        self.assertEqual(numbers(have["cleaning"], "allocs", "alloc_bytes", "frees", "freed_bytes", *LIVE),
                         [3, 21, 50, 5900, -47, -5879])
        self.assertEqual(numbers(have["idle"], "allocs", "frees", *LIVE), [0, 0, 0, 0])
        self.assertGreaterEqual(have[None]["allocs"], 100)

    def test_bytes_that_each_keeps(self):
        """The table has the bytes that a phase allocated and did not free."""
        table = check("--by=phase", "--sort=live", "--format=markdown", PROFILES[0])
        self.assertRegex(table, r"(?s)\| \+4\.8 KiB \|[^\n]*`parsing` \|.*\| -5\.7 KiB \|[^\n]*`cleaning` \|")

    def test_processes_join_by_name(self):
        both = rows("phase", *PROFILES)
        self.assertEqual(numbers(both["parsing"], "allocs", "live_bytes"), [100, 9800])
        self.assertEqual(document("phase", *PROFILES)["processes"], 2)

    def test_sums_are_the_totals(self):
        for paths in PROFILES[:1], PROFILES:
            for by in "phase", "thread":
                found = document(by, *paths)
                self.assertEqual(found["totals"], json.loads(check("--format=json", *paths))["totals"])
                for name in found["rows"][0]:
                    if name in found["totals"] and name != "peak_bytes":
                        self.assertEqual(sum(row[name] for row in found["rows"]), found["totals"][name], name)

    def test_text(self):
        text = check("--by=phase", "--sort=live", PROFILES[0]).splitlines()
        table = text[[line.endswith("  phase") for line in text].index(True):]
        self.assertEqual(table[0].split()[-5:], ["live", "peak", "peak", "at", "phase"])
        self.assertRegex(table[1], r" \+4\.8 KiB +5\.8 KiB .*  parsing$")
        self.assertRegex(table[-1], r" -5\.7 KiB .*  cleaning$")
        self.assertRegex("\n".join(table), r"(?m)  \(no phase\)$")
        self.assertEqual(len({line.rindex("  ") for line in table}), 1, text)

    def test_counts_before_a_reset(self):
        found = document("phase", *RESET)
        self.assertEqual(found["totals"]["allocs"], 3)
        self.assertEqual(rows("phase", *RESET)["parsing"]["allocs"], 50)
        for name, before in found["before_reset"].items():
            inherited = found["totals"][name.replace("live", "inherited")] if name in LIVE else 0
            self.assertEqual(sum(row[name] for row in found["rows"]), found["totals"][name] + before - inherited, name)
        self.assertRegex(check("--by=phase", *RESET), r"(?m)^reset: \S+ \S+ in 1\d\d allocations .* before the last reset")
        self.assertNotIn("before_reset", document("phase", *PROFILES))


class Threads(unittest.TestCase):
    def test_threads(self):
        have = rows("thread", PROFILES[0])
        self.assertEqual(set(have), {0, 1})
        self.assertEqual(numbers(have[1], "allocs", "reallocs", "frees", *LIVE), [150, 1, 100, 50, 5900])
        self.assertEqual(have[0]["frees"], 50)

    def test_threads_are_of_their_process(self):
        found = {(row["pid"], row["thread"]) for row in document("thread", *PROFILES)["rows"]}
        pids = [int(os.path.basename(path).split(".")[0]) for path in PROFILES]
        self.assertEqual(found, {(pid, thread) for pid in pids for thread in (0, 1)})
        self.assertRegex(check("--by=thread", *PROFILES), rf"(?m)  thread 1 of pid {pids[1]}$")
        self.assertRegex(check("--by=thread", PROFILES[0]), r"(?m)  thread 1$")


class Running(unittest.TestCase):
    def test_sums_are_the_totals_while_it_counts(self):
        path, seen = work("busy.profile"), []
        with subprocess.Popen([work("program"), "busy"], stdin=subprocess.PIPE, env={
                **os.environ, "ALLOCSITE_OPTIONS": f"profile={path}:report=none"}) as process:
            while not os.path.exists(path) or "growing" not in rows("phase", path):
                self.assertIsNone(process.poll())
            for _ in range(50):
                found = document("phase", path)
                self.assertFalse(found["finished"])
                for name in found["rows"][0]:
                    if name != "phase" and not name.startswith("peak"):
                        self.assertEqual(sum(row[name] for row in found["rows"]), found["totals"][name], name)
                seen.append(found["totals"]["allocs"])
            process.stdin.close()
        self.assertEqual((process.returncode, seen), (0, sorted(seen)))
        self.assertGreater(len(set(seen)), 1)
        have = rows("phase", path)
        self.assertEqual(have["giving back"]["frees"], have["growing"]["reallocs"])
        self.assertEqual(have["giving back"]["allocs"], 0)


class Sites(unittest.TestCase):
    KEYS = {"function": lambda site: site["function"], "file": lambda site: site["file"],
            "type": lambda site: site["type"], "line": lambda site: (site["file"], site["line"])}

    def key(self, by, site):
        if by == "module":
            return site["module"], True
        nameless = site["function"] is None if by == "function" else site["file"] is None
        if site["sited"] or (by != "type" and not nameless):
            return self.KEYS[by](site), site["sited"]
        return (site["module"], 0) if by == "line" else site["module"], False

    def summed(self, by, *paths):
        """Returns the sums of the report's stacks, each at its line. Stacks of sites that only freed other sites'
        blocks have no counts."""
        found = json.loads(check("--format=json", *paths))
        sums = collections.defaultdict(lambda: dict.fromkeys(found["totals"], 0))
        sites = {site["id"]: site for site in found["sites"]}
        for stack in found["stacks"]:
            site = {**sites[stack["site"]], **stack["frames"][stack["line"]]}
            site["sited"] |= site["module"] == work("program")
            stack = {**{name: site.get(name, 0) for name in LEAKED}, **stack}  # in the profile with leaked blocks each site has one stack
            for name in found["totals"] if any(numbers(stack, *found["totals"])) else ():
                sums[self.key(by, site)][name] += stack[name]
        return sums

    def found(self, by, *paths):
        have = {}
        for row in document(by, *paths)["rows"]:
            key = (row.pop("file"), row.pop("line")) if by == "line" else row.pop(by)
            self.assertNotIn((key, row.get("sited", True)), have)
            is_sited = row.pop("sited", True)
            row.pop("inclusive", None)  # see paths.py
            counts = {name: row[name] for name in row if name not in LAYOUT}
            if any(counts.values()):
                have[key, is_sited] = counts
        return have

    def test_rows_are_sums_of_sites(self):
        for paths in (FULL,), (PROFILES[0],), PROFILES, (MERGED,), (MERGED, FULL):
            for by in "line", "function", "file", "type", "module":
                self.assertEqual(self.found(by, *paths), self.summed(by, *paths), (by, paths))

    def test_by_site_is_the_report(self):
        self.assertEqual(check("--by=site", FULL), check(FULL))

    def test_text(self):
        text = check("--by=function", PROFILES[0])
        self.assertRegex(text, r"(?m)^ *self +self% +inclusive +inclusive% .* frees .* peak  function$")
        self.assertRegex(text, r"(?m)  work$")
        self.assertRegex(check("--by=line", PROFILES[0]), r"(?m)by\.c:\d+$")
        self.assertRegex(check("--by=type", PROFILES[0]), r"(?m)  bytes$")
        self.assertRegex(check("--by=function", "--format=markdown", PROFILES[0]), r"(?m) `work` \|$")


class Stacks(unittest.TestCase):
    """grow is called from two lines, one of which goes through another function."""
    SOURCE = """#include <stdlib.h>
struct node { struct node *next; char text[40]; };
struct node *kept[99];
char *last;
static int count;
__attribute__((noinline)) void grow(void) { kept[count++] = malloc(sizeof(struct node)); }
__attribute__((noinline)) void parse(void) { grow(); __asm__ volatile(""); }
int main(void) {
    for (int i = 0; i < 30; i++)
        grow();
    for (int i = 0; i < 20; i++)
        parse();
    for (int i = 0; i < 10; i++)
        free(kept[i]);
    last = realloc(kept[10], 100);
    return 0;
}
"""

    @classmethod
    def setUpClass(cls):
        cls.profile = work("stacks.profile")
        with open(work("stacks.c"), "w") as file:
            file.write(cls.SOURCE)
        subprocess.run([CC, "-O1", "-g", "stacks.c", "-o", "stacks"], check=True, cwd=WORK)
        subprocess.run(["./stacks"], check=True, cwd=WORK,
                       env={**os.environ, "ALLOCSITE_OPTIONS": "report=none:stack=8:pairs=1:profile=stacks.profile"})

    def table(self, *arguments):
        """Returns the rows of --format=tsv; the first line has their number."""
        first, *lines = check("--format=tsv", *arguments, self.profile).splitlines()
        self.assertEqual(int(first), len(lines))
        return [line.split("\t") for line in lines]

    def test_live_objects_by_type(self):
        self.assertEqual(self.table("--by=type", "--leaks"), [["39", str(39 * 48), "50", str(50 * 48), "struct node"],
                                                              ["1", "100", "1", "100", "char"]])
        self.assertEqual(len(self.table("--by=type", "--leaks", "--min-bytes=101")), 1)
        self.assertEqual(len(self.table("--leaks", "--min-allocs=2")), 1)
        self.assertIn("| 1.8 KiB | 94.9% | 39 | 50 | `struct node` |\n",
                      check("--by=type", "--leaks", "--format=markdown", self.profile))

    def test_by_stack(self):
        node = [f"{work('stacks.c')}:6", "grow", "malloc", "struct node"]
        self.assertEqual(self.table("--by=stack", "--depth=3", "--filter=struct node"),
                         [["19", str(19 * 48), "30", str(30 * 48), *node, "main"],
                          ["20", str(20 * 48), "20", str(20 * 48), *node, "parse", "main"]])
        self.assertEqual(len(self.table("--by=stack", "--depth=1", "--filter=type=struct node")), 1)
        self.assertRegex(check("--by=stack", self.profile), r"grow -> malloc \[struct node\]\n +20 calls by parse <- main\n")

    def test_filters(self):
        for glob_of, want in (("stacks.c:6", 1), ("file=stacks.c", 2), ("grow", 1), ("function=*a*", 1), ("type=char", 1),
                              ("module=stacks", 2), ("callee=*alloc", 2)):
            self.assertEqual(len(self.table(f"--filter={glob_of}")), want, glob_of)
            self.assertEqual(len(self.table(f"--filter={glob_of}", "--by=line")), want, glob_of)
        self.assertRegex(check("--filter=grow", "--by=line", self.profile), r"(?m)  what the filter leaves out$")
        none = dump("report", "--filter=zzz*", "--format=tsv", self.profile)
        self.assertEqual((none.stdout.split("\n")[0], none.stderr.split(".profile: ")[-1]), ("0", "filter: no allocating site matches zzz*\n"))

    def test_functions_that_allocate_a_type(self):
        tree = check("--tree", "--filter=struct node", "--depth=2", "--min-allocs=25", self.profile)
        self.assertNotIn("parse", tree)
        self.assertRegex(tree, r" 60\.0% +1\.4 KiB +30 +├─ main .*stacks\.c:\d+\n")
        self.assertNotIn("stacks.c:15", tree)

    def test_largest_branches(self):
        def tree(*options):
            return json.loads(check("--tree", "--prune=0", "--format=json", *options, self.profile))
        whole, first = tree(), tree("--top=1")
        self.assertGreater(len(whole["children"]), 1)
        self.assertEqual(first["children"], whole["children"][:1])
        self.assertEqual(first["left_out"], whole["left_out"] + len(whole["children"]) - 1)

    def test_frames_have_lines(self):
        stacks = json.loads(check("--format=json", self.profile))["stacks"]
        lines = {frame.get("line") for stack in stacks for frame in stack["frames"] if frame["function"] == "main"}
        self.assertEqual(lines, {10, 12, 14, 15})

    def test_events(self):
        text = check("--events", self.profile).replace(os.path.relpath(work("stacks.c")), "stacks.c")
        sections = text[text.index("ALLOCATIONS\n"):]
        self.assertEqual(sections.splitlines(), """ALLOCATIONS
  50 blocks of 2.3 KiB at stacks.c:6 grow
REALLOCATIONS
  1 block of 100 B at stacks.c:15 main
      Overrides 1 block of 48 B of stacks.c:6 grow
DEALLOCATIONS
  10 blocks of 480 B at stacks.c:14 main
      Overrides 10 blocks of 480 B of stacks.c:6 grow
HEAP SUMMARY (alloc, free, realloc)
  (50, 10, 0), live 39 blocks of 1.8 KiB of stacks.c:6 grow
  (0, 0, 1), live 1 block of 100 B of stacks.c:15 main
  (50, 10, 1), live 40 blocks of 1.9 KiB in total""".splitlines())
        events = json.loads(check("--events", "--format=json", self.profile))
        lines = {kind: [(event["line"], event["function"], event["blocks"], event["bytes"],
                         [(owner["line"], owner["blocks"], owner["bytes"]) for owner in event["overrides"]]) for event in events[kind]]
                 for kind in ("allocations", "reallocations", "deallocations")}
        self.assertEqual(lines, {"allocations": [(6, "grow", 50, 2400, [])], "reallocations": [(15, "main", 1, 100, [(6, 1, 48)])],
                                 "deallocations": [(14, "main", 10, 480, [(6, 10, 480)])]})
        self.assertEqual([(line["line"], line["live_bytes"]) for line in events["summary"]], [(6, 39 * 48), (15, 100)])
        self.assertEqual((events["format"], events["total"]["live_blocks"]), ("allocsite-events", 40))
        leaks = check("--events", "--leaks", "--filter=function=grow", self.profile)
        self.assertNotIn("DEALLOCATIONS", leaks)
        self.assertRegex(leaks, r"(?m)^  \(50, 10, 0\), live 39 blocks of 1.8 KiB in total$")

    def test_by_the_line_that_frees(self):
        self.assertEqual(self.table("--by=freed"), [["10", "480", f"{work('stacks.c')}:14"],
                                                    ["1", "48", f"{work('stacks.c')}:15"]])

    def test_missing_counts(self):
        for by, what, path in ("freed", "pairs", PROFILES[0]), ("stack", "calling frames", FULL):
            result = dump("report", f"--by={by}", path)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(f"has no {what}", result.stderr)
        self.assertIn("has no pairs", dump("report", "--events", PROFILES[0]).stderr)


def as_text(value):
    return "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)


class Options(unittest.TestCase):
    def test_forms_agree(self):
        for by in "line", "function", "file", "type", "module", "phase", "thread":
            table = list(csv.DictReader(io.StringIO(check(f"--by={by}", "--format=csv", *PROFILES), newline="")))
            want = document(by, *PROFILES)["rows"]
            for row in want:
                row.update({f"inclusive_{name}": value for name, value in row.pop("inclusive", {}).items()})
            self.assertEqual(table, [{name: as_text(value) for name, value in row.items() if name not in ONLY_JSON}
                                     for row in want], by)

    def test_top_and_minima(self):
        self.assertRegex(check("--by=phase", "--top=1", PROFILES[0]), r"(?m)  3 more phases$")
        self.assertRegex(check("--by=phase", "--top=3", PROFILES[0]), r"(?m)  1 more phase$")
        found = json.loads(check("--by=phase", "--format=json", "--min-allocs=50", "--min-bytes=5000", PROFILES[0]))
        self.assertEqual([row["phase"] for row in found["rows"]], ["parsing"])
        self.assertEqual(found["rows_left_out"], 3)

    def test_sort(self):
        keys = {"bytes": ("alloc_bytes", "realloc_bytes"), "allocs": ("allocs", "reallocs"), "live": ("live_bytes",),
                "peak": ("peak_bytes",)}
        for by, sorts in ("function", keys), ("phase", ("bytes", "allocs", "live")):
            for sort in sorts:
                found = json.loads(check(f"--by={by}", f"--sort={sort}", "--format=json", *PROFILES))["rows"]
                order = [sum(numbers(row, *keys[sort])) for row in found]
                self.assertEqual(order, sorted(order, reverse=True), (by, sort))

    def test_leaks(self):
        found = json.loads(check("--by=function", "--leaks", "--format=json", FULL))["rows"]
        self.assertTrue(found)
        self.assertTrue(all(row["live_blocks"] for row in found))
        self.assertIn("leaked_bytes", found[0])
        self.assertRegex(check("--by=function", "--leaks", FULL), r"(?m)^ *self +self% +inclusive +inclusive% +leaked +possibly +blocks")
        self.assertRegex(check("--by=file", "--leaks", FULL), r"(?m)^ *leaked +possibly +live +live% +blocks")

    def test_usage(self):
        for arguments in (["--by=threads", FULL], ["--by=", FULL], ["--by"], ["--by=function", "--pairs", FULL],
                          ["--by=file", "--sizes", FULL], ["--by=phase", "--leaks", PROFILES[0]],
                          ["--by=thread", "--leaks", PROFILES[0]], ["--events", "--top=1", PROFILES[0]],
                          ["--events", "--format=csv", PROFILES[0]], ["--events", "--format=tsv", PROFILES[0]]):
            result = dump("report", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertEqual(result.stderr.count("\n"), 1, arguments)


class Messages(unittest.TestCase):
    def test_a_broken_law(self):
        wrong = profiles.words()
        wrong["sites"][0]["leaked_blocks"] += 99
        result = dump("report", "--by=file", profiles.write(work("wrong.profile"), wrong))
        self.assertEqual(result.returncode, 1)
        self.assertIn("is inconsistent: totals: leaked_blocks <= live_blocks", result.stderr)


if __name__ == "__main__":
    unittest.main()
