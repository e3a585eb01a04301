# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump diff: edited programs, options, messages and exit status."""
import json
import shutil
import subprocess
import unittest

from runs import DUMP, dump, read, report, work, written

# Each function keeps its blocks, so that the optimizer does not remove calls. Marks name locations.
SOURCE = """\
#include <stdlib.h>
void *volatile kept;
static inline void *helper(size_t size) {
    return malloc(size); // HELPER
}
__attribute__((noinline)) void three(void) {
    kept = malloc(10); // FIRST
    void *second = malloc(20); // SECOND
    kept = second;
    kept = malloc(40); // THIRD
}
__attribute__((noinline)) void named(void) {
    kept = malloc(77); // NAMED
}
__attribute__((noinline)) void leaving(void) {
    kept = malloc(555); // LEAVING
}
int main(void) {
    for (int i = 0; i < 100; i++) // COUNT
        three();
    named();
    leaving();
    kept = helper(3000); // CALLER
}
"""


def line_of(source, mark):
    lines = source.splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith("// " + mark))


def document(old, new, *options):
    result = dump("diff", "--format=json", *options, old, new)
    if result.returncode:
        raise AssertionError(result.stderr)
    return json.loads(result.stdout)


# "fill" is called through two paths, one of which contains a function that optimizers may inline.
WAYS = """\
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) static void fill(int size) { kept = malloc(size); }
__attribute__((HOW)) static void load(int size) { fill(size); __asm__ volatile(""); }
__attribute__((noinline)) static void save(int size) { fill(size); __asm__ volatile(""); }
int main(void) {
    for (volatile int i = 0; i < LOADS; i++)
        load(10);
    for (volatile int i = 0; i < 5; i++)
        save(100);
}
"""


def by_ways(folder, loads, how="noinline"):
    return report(WAYS, folder, "", ("-O1", f"-DLOADS={loads}", f"-DHOW={how}"), contexts=1)


class Stacks(unittest.TestCase):
    def rows(self, *files):
        """Returns for each row its functions from fill on, its state and its change in calls."""
        rows = document(*files, "--by=stack", "--all")["rows"]
        return sorted(([frame["function"] for frame in (row["new"] or row["old"])["frames"]][:3], row["state"],
                       row["change"]["allocs"]) for row in rows)

    def test_one_way_grows(self):
        more, less = by_ways("more", 7), by_ways("less", 3)
        self.assertEqual(self.rows(less, more), [(["fill", "load", "main"], "grown", 4), (["fill", "save", "main"], "same", 0)])
        self.assertEqual(self.rows(more, more), [(["fill", "load", "main"], "same", 0), (["fill", "save", "main"], "same", 0)])
        self.assertRegex(dump("diff", "--by=stack", less, more).stdout, r"(?s)\ngrown +\+40 B.*fill -> malloc\n +called by load <- main\n")

    def test_a_way_is_one_inlined_or_not(self):
        inlined = dump("diff", "--by=stack", "--exit-code", by_ways("less", 3), by_ways("inlined", 3, "always_inline"))
        self.assertEqual((inlined.returncode, inlined.stderr), (0, ""))
        self.assertIn("rows: 2 same", inlined.stdout)

    def test_wrappers_are_of_the_row_itself(self):
        source = WAYS.replace("static void fill(int size) { kept = malloc(size); }",
                              "static void *take(int size) { return malloc(size); }\n"
                              "__attribute__((noinline)) static void fill(int size) { kept = take(size); }\n"
                              "void *fill_twice(int size) { return kept = take(size + 1); }")
        less, more = (report(source, f"wrapped/{loads}", "", ("-O1", f"-DLOADS={loads}", "-DHOW=noinline"), contexts=1)
                      for loads in (3, 7))
        self.assertRegex(dump("diff", "--by=stack", less, more).stdout, r"fill -> take\n +called by load <- main\n")
        self.assertIn(" 3 calls by load <- main\n", dump("report", "--by=stack", less).stdout)

    def test_lines_tell_apart_what_functions_do_not(self):
        twice = WAYS.replace("load(10);", "load(10);\n    load(20);").replace("load(int size) { fill(size);", "load(int size) {\n    fill(size);")
        path = report(twice, "twice", "", ("-O1", "-DLOADS=3", "-DHOW=noinline"), contexts=1)
        lines = [line.strip() for line in dump("diff", "--by=stack", "--all", path, path).stdout.splitlines() if "called by" in line]
        self.assertEqual(sorted(lines), ["called by load:5 <- main:10", "called by load:5 <- main:9", "called by save <- main"])

    def test_other_rows(self):
        path = by_ways("less", 3)
        none = report(WAYS, "none", "", ("-O1", "-DLOADS=3", "-DHOW=noinline"))
        self.assertEqual(dump("diff", "--by=line", path, path).returncode, 2)
        self.assertIn(f"{none}: has no calling frames", dump("diff", "--by=stack", none, path).stderr)

    def test_budgets(self):
        path = by_ways("less", 3)
        budget = written("ways.budget", "stack main;load;* allocs <= 2\nstack *;save;* allocs <= 5\nstack * allocs <= 7\n")
        result = dump("check", "--format=json", "--budget=" + budget, path)
        limits = json.loads(result.stdout)["limits"]
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        self.assertEqual([(limit["actual"], limit["kept"], limit["sites"]) for limit in limits],
                         [(3, False, 1), (5, True, 1), (8, False, 2)])
        self.assertIn("\n       called by load <- main\n", dump("check", "--budget=" + budget, path).stdout)
        none = report(WAYS, "none", "", ("-O1", "-DLOADS=3", "-DHOW=noinline"))
        result = dump("check", "--budget=" + budget, none)
        self.assertEqual(result.returncode, 1)
        self.assertIn("has no calling frames", result.stderr)

    def test_top(self):
        table = dump("top", "--once", "--by=stack", by_ways("less", 3)).stdout.splitlines()[4:]
        self.assertEqual([(line.split()[2], line[line.index(" called "):]) for line in table],
                         [("5", " called by save <- main"), ("3", " called by load <- main")])


class Edits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.old = report(SOURCE, "edits", contexts=1)

    def edited(self, source, folder):
        """Returns the rows of a diff by the marks of their lines, new ones first."""
        found = document(self.old, report(source, folder, contexts=1), "--all")
        rows = {}
        for row in found["rows"]:
            text, site = (source, row["new"]) if row["new"] else (SOURCE, row["old"])
            mark = text.splitlines()[site["line"] - 1].partition("// ")[2]
            self.assertNotIn(mark, rows)
            rows[mark] = row
        self.assertEqual(sum(found["counts"][state] for state in ("new", "gone", "grown", "shrunk", "changed", "same")),
                         len(rows))
        return rows

    def assert_joined(self, row, mark, state, source):
        self.assertEqual((row["old"]["line"], row["new"]["line"]), (line_of(SOURCE, mark), line_of(source, mark)))
        self.assertEqual(row["state"], state, mark)
        lines = [[place["line"] for place in (row[side], *row[side]["inlined"])] for side in ("old", "new")]
        self.assertEqual(row["moved"], lines[0] != lines[1])

    def test_lines_inserted_above(self):
        source = SOURCE.replace("void *volatile kept", "\n\n\nvoid *volatile kept")
        rows = self.edited(source, "above")
        self.assertEqual(len(rows), 6)
        for mark, row in rows.items():
            self.assert_joined(row, mark, "same", source)
            self.assertTrue(row["moved"])
            self.assertEqual(row["old"]["id"], row["new"]["id"])

    def test_a_call_added_in_a_function(self):
        added = "    void *added = malloc(5); // ADDED\n    kept = added;\n"
        source = SOURCE.replace("    void *second", added + "    void *second")
        rows = self.edited(source, "added")
        added = rows.pop("ADDED")
        self.assertEqual((added["state"], added["old"], added["new"]["allocs"]), ("new", None, 100))
        self.assertEqual(added["change"], {"bytes": 500, "allocs": 100, "live": 500, "peak": 500})
        for mark, row in rows.items():
            self.assert_joined(row, mark, "same", source)
        self.assertNotEqual(rows["THIRD"]["old"]["id"], rows["THIRD"]["new"]["id"])

    def test_a_call_removed_from_a_function(self):
        source = SOURCE.replace("    void *second = malloc(20); // SECOND\n    kept = second;\n", "")
        rows = self.edited(source, "removed")
        gone = rows.pop("SECOND")
        self.assertEqual((gone["state"], gone["new"], gone["old"]["alloc_bytes"]), ("gone", None, 2000))
        self.assertEqual(gone["change"], {"bytes": -2000, "allocs": -100, "live": -2000, "peak": -2000})
        for mark, row in rows.items():
            self.assert_joined(row, mark, "same", source)

    def test_the_caller_of_an_inlined_function_edited(self):
        source = SOURCE.replace("    named();\n", "    named();\n\n\n")
        rows = self.edited(source, "caller")
        self.assert_joined(rows["CALLER"], "CALLER", "same", source)
        self.assertNotEqual(rows["CALLER"]["old"]["id"], rows["CALLER"]["new"]["id"])
        self.assertTrue(rows["CALLER"]["moved"])

    def test_a_function_renamed(self):
        rows = self.edited(SOURCE.replace("named(void)", "renamed(void)").replace("named();", "renamed();")
                           .replace("// NAMED", "// RENAMED"), "renamed")
        self.assertEqual((rows["NAMED"]["state"], rows["RENAMED"]["state"]), ("gone", "new"))

    def test_a_site_gone(self):
        rows = self.edited(SOURCE.replace("    leaving();\n", ""), "gone")
        self.assertEqual(rows["LEAVING"]["state"], "gone")

    def test_more_and_fewer_calls(self):
        source = SOURCE.replace("i < 100", "i < 130").replace("malloc(77)", "malloc(7)")
        rows = self.edited(source, "more")
        self.assert_joined(rows["FIRST"], "FIRST", "grown", source)
        self.assertEqual(rows["FIRST"]["change"], {"bytes": 300, "allocs": 30, "live": 300, "peak": 300})
        self.assert_joined(rows["NAMED"], "NAMED", "shrunk", source)
        self.assertEqual(rows["NAMED"]["change"], {"bytes": -70, "allocs": 0, "live": -70, "peak": -70})

    def test_inlined_or_not(self):
        found = document(self.old, report(SOURCE, "unoptimized", flags=("-O0",), contexts=1), "--all")
        self.assertEqual(found["counts"], {"new": 0, "gone": 0, "grown": 0, "shrunk": 0, "changed": 0, "same": 6,
                                           "moved": 0})

    def test_text(self):
        source = SOURCE.replace("i < 100", "i < 130").replace("#include", "\n#include")
        new = report(source, "text", contexts=1)
        lines = dump("diff", "--sort=allocs", self.old, new, cwd=work("text")).stdout.splitlines()
        self.assertEqual(lines[2], "rows: 3 grown, 3 same; 6 moved")
        self.assertRegex(lines[3], r"^state +bytes +allocs +live +peak  site$")
        self.assertRegex(lines[4], r"^grown +\+1\.2 KiB +\+30 +\+1\.2 KiB +\+1\.2 KiB  program\.c:11:12: three -> malloc$")
        self.assertRegex(lines[5], r"^ +was .*/edits/program\.c:10:12$")
        self.assertRegex(lines[6], r"^ +bytes 3\.9 KiB -> 5\.1 KiB, allocs 100 -> 130, live 3\.9 KiB -> 5\.1 KiB, "
                                   r"peak 3\.9 KiB -> 5\.1 KiB$")
        self.assertEqual(lines[4].index("program"), lines[5].index("was") - 2)
        self.assertEqual(len(lines), 4 + 3 * 3)


class Nothing(unittest.TestCase):
    def test_the_same_report(self):
        path = report(SOURCE, "old")
        result = dump("diff", "--exit-code", path, path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines()[2:], ["rows: 6 same", "nothing changed"])
        self.assertEqual(document(path, path)["rows"], [])
        self.assertIs(document(path, path)["differs"], False)

    def test_another_run_of_the_same_program(self):
        first = report(SOURCE, "old")
        second = shutil.copy(first, work("old/second.profile"))
        report(SOURCE, "old")
        self.assertEqual(dump("diff", "--exit-code", first, second).returncode, 0)


class ExitCode(unittest.TestCase):
    def setUp(self):
        self.path = report(SOURCE, "old")

    def status(self, change):
        changed = read(self.path)
        change(changed)
        return dump("diff", "--exit-code", self.path, written("changed.profile", changed)).returncode

    def test_reports_that_differ(self):
        def counted(report):
            report["sites"][0]["failed"] += 1

        def lost(report):
            self.assertGreater(report["sites"][0]["leaked_blocks"], 0)
            report["sites"][0]["leaked_blocks"] -= 1

        def possibly_leaked(report):
            for each in report["sites"][0], report["totals"]:
                each.update(possibly_leaked_blocks=1, possibly_leaked_bytes=30, leaked_blocks=each["leaked_blocks"] - 1)
        self.assertEqual(self.status(possibly_leaked), 1)
        self.assertIn("possibly leaked 0 B -> 30 B", dump("diff", self.path, work("changed.profile")).stdout)
        self.assertEqual(self.status(counted), 1)
        self.assertEqual(self.status(lost), 1)
        self.assertEqual(self.status(lambda report: report["sites"][0].update(max_live_blocks=12345)), 1)
        without = dump("diff", self.path, work("changed.profile"))
        self.assertEqual((without.returncode, without.stderr), (0, ""))

    def test_reports_that_do_not_differ(self):
        def other(report):
            report.update(pid=1, program="/other", finished=False)
            report["sites"][0].update(line=99, max_live_blocks_within=3, module="/other")
        self.assertEqual(self.status(lambda report: None), 0)
        self.assertEqual(self.status(other), 0)

    def test_hidden_rows_count(self):
        new = report(SOURCE.replace("malloc(77)", "malloc(78)"), "hidden")
        result = dump("diff", "--exit-code", "--min-bytes=2", self.path, new)
        self.assertEqual((result.returncode, len(result.stdout.splitlines())), (1, 4))


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.old = report(SOURCE, "old")
        cls.new = report(SOURCE.replace("i < 100", "i < 90").replace("malloc(555)", "malloc(9000)"), "options")

    def changes(self, *options):
        return [row["change"] for row in document(self.old, self.new, *options)["rows"]]

    def test_sort(self):
        for sort in "bytes", "allocs", "live", "peak":
            sizes = [abs(change[sort]) for change in self.changes("--sort=" + sort)]
            self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(self.changes("--sort=bytes")[0]["allocs"], 0)
        self.assertEqual(self.changes("--sort=allocs")[0]["allocs"], -10)

    def test_limits(self):
        self.assertEqual(len(self.changes()), 4)
        self.assertEqual(len(self.changes("--all")), 6)
        self.assertEqual(len(self.changes("--top=3")), 3)
        self.assertEqual([change["bytes"] for change in self.changes("--min-bytes=0.2KiB")], [8445, -400])
        result = dump("diff", "--top=3", self.old, self.new)
        self.assertEqual(result.stdout.splitlines()[-1], "1 more row")

    def test_standard_input(self):
        want = dump("diff", self.old, self.new).stdout
        for arguments, path in ((("-", self.new), self.old), ((self.old, "-"), self.new)):
            with open(path, "rb") as file:
                self.assertEqual(dump("diff", *arguments, stdin=file).stdout.replace("- (", path + " ("), want)

    def test_doubts(self):
        doubtful = read(self.new)
        doubtful.update(exact=False, inexact_reasons=["why"], finished=False)
        path = written("doubtful.profile", doubtful)
        lines = dump("diff", self.old, path).stdout.splitlines()
        for doubt in "exact: no, why", "finished: no, the program had not ended normally":
            self.assertIn(f"{path}: {doubt}", lines)
        new = document(self.old, path)["new"]
        self.assertEqual((new["exact"], new["inexact_reasons"], new["finished"]), (False, ["why"], False))


class Messages(unittest.TestCase):
    def test_wrong_usage(self):
        for arguments in (), ("a",), ("a", "b", "c"), ("-", "-"), ("--sort=size", "a", "b"), ("--top=x", "a", "b"), \
                ("--format=csv", "a", "b"), ("--min-bytes=1KB", "a", "b"), ("--nothing", "a", "b"), ("--sort",):
            result = dump("diff", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertRegex(result.stderr, r"^allocsite-dump: diff: [^\n]*\n$")

    def test_help(self):
        result = dump("diff", "--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("usage: allocsite-dump diff "))

    def test_files_that_are_no_reports(self):
        good, bad = report(SOURCE, "old"), written("bad", "{")
        for arguments in (good, bad), (bad, good), (good, work("absent")):
            result = dump("diff", *arguments)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (1, "", 1))
            self.assertTrue(result.stderr.startswith("allocsite-dump: "))

    def test_broken_laws(self):
        good = report(SOURCE, "old")
        wrong = read(good)
        wrong["sites"][0]["leaked_blocks"] += 100
        result = dump("diff", good, written("wrong.profile", wrong))
        self.assertEqual((result.returncode, result.stderr.count(work("wrong.profile") + ": is inconsistent: ")), (1, 2))
        self.assertRegex(result.stdout, r"rows: .*5 same")

    def test_an_output_that_cannot_be_written(self):
        good = report(SOURCE, "old")
        with open("/dev/full", "w") as full:
            result = subprocess.run([DUMP, "diff", good, good], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output: No space left", result.stderr)


if __name__ == "__main__":
    unittest.main()
