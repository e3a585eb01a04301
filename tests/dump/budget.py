# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump check: limits on a real run, generated budgets, messages and exit status."""
import json
import re
import subprocess
import unittest

from runs import DUMP, dump, read, report, work, written

SOURCE = """\
#include <stdlib.h>
#include <string.h>
void *volatile kept;
static inline void *helper(size_t size) { return malloc(size); }
__attribute__((noinline)) void parse_value(int size) { kept = malloc(size); }
__attribute__((noinline)) void parse_list(void) {
    for (int i = 0; i < 10; i++)
        parse_value(100);
    free(kept);
    kept = helper(3000);
}
int main(void) {
    parse_list();
    kept = strdup("name");
}
"""
WRONG = 2


def check(budget, path, *options):
    return dump("check", "--budget=" + written("tested.budget", budget), *options, path)


class Limits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = report(SOURCE, "budget")

    def actual(self, limits):
        result = check(limits, self.path, "--format=json")
        document = json.loads(result.stdout)
        self.assertEqual((result.returncode, result.stderr), (1 if document["broken"] else 0, ""))
        self.assertEqual(document["broken"], sum(not limit["kept"] for limit in document["limits"]))
        for limit in document["limits"]:
            self.assertIs(limit["kept"], limit["actual"] <= limit["limit"])
        return [limit["actual"] for limit in document["limits"]]

    def test_subjects_of_limits(self):
        for subject, allocs, size in (
                ("total", 12, 4005), ("function parse_value", 10, 1000), ("function parse_*", 11, 4000),
                ("function parse_list", 1, 3000), ("function main", 1, 5), ("file program.c", 12, 4005),
                ("file budget/*", 12, 4005), ('callee malloc', 10, 1000), ('callee helper', 1, 3000), ('callee "strdup"', 1, 5),
                ("module program", 12, 4005)):
            self.assertEqual(self.actual(f"{subject} allocs <= 11 bytes <= 4000"), [allocs, size], subject)

    def test_a_single_site(self):
        site = next(site for site in read(self.path)["sites"] if site["function"] == "parse_value")
        self.assertEqual(self.actual(f"site {site['id']} allocs <= 0"), [10])

    def test_measures_of_limits(self):
        self.assertEqual(self.actual("function parse_* allocs<=0 bytes<=0 live<=0 blocks<=0 peak<=0 failed<=0 leaked<=0"),
                         [11, 4000, 3900, 10, 3900, 0, 3900])

    def test_exactly_the_limit_is_kept(self):
        self.assertEqual(check("total allocs <= 12 bytes <= 4005", self.path).returncode, 0)
        self.assertEqual(check("total allocs <= 11", self.path).returncode, 1)
        self.assertEqual(check("total bytes <= 4004", self.path).returncode, 1)

    def test_text(self):
        result = check("total allocs <= 100\n\nfunction parse_* live <= 1KiB allocs <= 3\n", self.path)
        budget = work("tested.budget")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        self.assertRegex(result.stdout, f"""\
^{re.escape(budget)}:3: function parse_\\*: live 3\\.8 KiB, limit 1\\.0 KiB, over by 2\\.8 KiB
  2\\.9 KiB  .*program\\.c:10:12: parse_list -> helper
    900 B  .*program\\.c:5:63: parse_value -> malloc
{re.escape(budget)}:3: function parse_\\*: allocs 11, limit 3, over by 8
  10  .*program\\.c:5:63: parse_value -> malloc
   1  .*program\\.c:10:12: parse_list -> helper
{re.escape(self.path)}: 2 of 3 limits broken
$""")

    def test_unsited_calls_are_named(self):
        """Calls without sites are named by the caller's line and function, as in reports; limits also match their
        module."""
        written("unsited/ignored.txt", "src:*=ignore\n")
        path = report(SOURCE, "unsited", flags=("-O2", "-fallocsite-list=ignored.txt"))
        result = check("unsited *program allocs <= 3\nfunction parse_value allocs <= 0\n", path)
        self.assertRegex(result.stdout, r"(?m)^  10  .*program\.c:5:63: parse_value \(program\)$")
        self.assertRegex(result.stdout, r"1 of 2 limits broken$")
        self.assertEqual((result.returncode, result.stderr), (1, ""))

    def test_all_limits_hold(self):
        result = check("total allocs <= 12", self.path)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, f"{self.path}: 1 limit kept\n", ""))

    def test_the_largest_sites(self):
        limit = json.loads(check("total bytes <= 1", self.path, "--format=json").stdout)["limits"][0]
        sizes = [site["actual"] for site in limit["largest"]]
        self.assertEqual((limit["sites"], sizes), (3, [3000, 1000, 5]))


class Written(unittest.TestCase):
    def test_written_budgets_hold_exactly(self):
        path = report(SOURCE, "budget")
        budget = dump("check", "--write-budget", path).stdout
        self.assertEqual(check(budget, path).returncode, 0)
        for number in set(re.findall(r"<= (\d+)", budget)) - {"0"}:
            tighter = budget.replace(f"<= {number} ", f"<= {int(number) - 1} ", 1)
            if tighter != budget:
                self.assertEqual(check(tighter, path).returncode, 1, tighter)

    def test_with_slack(self):
        budget = dump("check", "--write-budget", "--slack=40", report(SOURCE, "budget")).stdout
        self.assertIn("\ntotal  bytes <= 5607  allocs <= 17  ", budget)
        more = report(SOURCE.replace("i < 10", "i < 13"), "slack")
        self.assertEqual(check(budget, more).returncode, 0)
        self.assertEqual(check(budget, report(SOURCE.replace("i < 10", "i < 14"), "slack")).returncode, 1)

    def test_top(self):
        path = report(SOURCE, "budget")
        functions = re.findall(r"^function (\w+)", dump("check", "--write-budget", path).stdout, re.M)
        self.assertEqual(functions, ["parse_list", "parse_value", "main"])
        self.assertEqual(dump("check", "--write-budget", "--top=1", path).stdout.count("\nfunction "), 1)

    def test_stacks(self):
        path = report(SOURCE, "stacks", "stack=8")
        budget = dump("check", "--write-budget", "--by=stack", path).stdout
        ways = re.findall(r"^stack (\S+)  bytes <= (\d+)", budget, re.M)
        self.assertEqual(ways[0][0].split(";")[0], "main")
        self.assertEqual([int(size) for _, size in ways], sorted((int(size) for _, size in ways), reverse=True))
        self.assertEqual(sum(int(size) for _, size in ways), read(path)["totals"]["alloc_bytes"] + read(path)["totals"]["realloc_bytes"])
        self.assertEqual(check(budget, path).returncode, 0)
        for way, size in ways:
            tighter = budget.replace(f"stack {way}  bytes <= {size} ", f"stack {way}  bytes <= {int(size) - 1} ")
            self.assertEqual(check(tighter, path).returncode, 1, tighter)
        self.assertEqual(dump("check", "--write-budget", "--by=stack", "--top=1", path).stdout.count("\nstack "), 1)
        result = dump("check", "--write-budget", "--by=stack", report(SOURCE, "budget"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("has no calling frames", result.stderr)

    def test_only_headers_are_of_the_system(self):
        """Allocations of containers are attributed to the function that uses them, and not all of /usr is system
        headers."""
        document = read(report(SOURCE, "budget"))
        for site, file in zip(document["sites"], ("/usr/src/app/main.c", "/usr/include/c++/12/vector", "/usr/include/a.h")):
            site.update(function="own", file=file, inlined=[{"function": "caller", "file": "/usr/src/app/main.c", "line": 1,
                                                             "column": 1}] * (file != "/usr/include/a.h"))
        budget = dump("check", "--write-budget", written("system.profile", document)).stdout
        self.assertEqual(re.findall(r"^function (\w+)", budget, re.M), ["own", "caller"])

    def test_hostile_names(self):
        hostile = read(report(SOURCE, "budget"))
        for site, name in zip(hostile["sites"], ["a\ntotal allocs <= 0", "#b c", 'q"\\ r']):
            site["function"] = name
        path = written("hostile.profile", hostile)
        budget = dump("check", "--write-budget", path).stdout
        self.assertEqual(len(budget.splitlines()), 5)
        result = check(budget, path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


class Doubts(unittest.TestCase):
    def setUp(self):
        self.report = read(report(SOURCE, "budget"))

    def check(self, budget, *options):
        return check(budget, written("doubtful.profile", self.report), *options)

    def test_a_limit_for_no_site(self):
        result = self.check("function nothere allocs <= 1 bytes <= 1\nfunction parse_* allocs <= 100")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, f"allocsite-dump: {work('tested.budget')}:1: warning: no site of "
                                        f"{work('doubtful.profile')} matches this line\n")

    def test_nothing_where_nothing_may_be(self):
        self.assertEqual(self.check("function nothere allocs <= 0").stderr, "")

    def test_not_exact_and_not_finished(self):
        self.report.update(exact=False, inexact_reasons=["why"], finished=False)
        result = self.check("total allocs <= 100")
        self.assertEqual(result.returncode, 0)
        self.assertIn("exact: no, why\n", result.stdout)
        self.assertIn("finished: no, the program had not ended normally\n", result.stdout)
        told = json.loads(self.check("total allocs <= 100", "--format=json").stdout)["report"]
        self.assertEqual((told["exact"], told["inexact_reasons"], told["finished"]), (False, ["why"], False))

    def test_a_peak_that_is_not_sure(self):
        self.report["peak_within"] = 100
        peak = self.report["totals"]["peak_bytes"]
        self.assertEqual(self.check(f"total peak <= {peak + 100}").stderr, "")
        result = self.check(f"total peak <= {peak + 99}")
        self.assertEqual(result.returncode, 0)
        self.assertIn("may exceed this limit", result.stderr)

    def test_leaked_blocks_without_a_search(self):
        path = report(SOURCE, "unreached", options="top=0")
        result = check("total leaked <= 5", path)
        self.assertEqual((result.returncode, result.stderr),
                         (1, f"allocsite-dump: {path}: does not know leaked blocks: run the program with "
                             f"ALLOCSITE_OPTIONS=reach=1\n"))

    def test_broken_laws(self):
        self.report["sites"][0]["leaked_blocks"] += 100
        result = self.check("total allocs <= 100")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is inconsistent", result.stderr)


class Messages(unittest.TestCase):
    def test_wrong_lines(self):
        result = check("total allocs <= 1\n\nfunction f\nfile x bytes <= 1MB\n", report(SOURCE, "budget"))
        budget = work("tested.budget")
        self.assertEqual((result.returncode, result.stdout), (WRONG, ""))
        self.assertEqual(result.stderr.splitlines(), [
            f"allocsite-dump: {budget}:3: has no limit",
            f"allocsite-dump: {budget}:4: has a unit that is not B, KiB, MiB, GiB or TiB"])

    def test_many_wrong_lines(self):
        lines = check("wrong\n" * 15, report(SOURCE, "budget")).stderr.splitlines()
        self.assertEqual(len(lines), 11)
        self.assertTrue(lines[-1].endswith("and 5 more wrong lines"))

    def test_empty_budgets(self):
        path = report(SOURCE, "budget")
        for budget, what in ("", "is empty"), ("# nothing\n", "has no limit"):
            result = check(budget, path)
            self.assertEqual((result.returncode, result.stdout), (WRONG, ""))
            self.assertEqual(result.stderr, f"allocsite-dump: {work('tested.budget')}: {what}\n")
        result = dump("check", "--budget=" + work("absent"), path)
        self.assertEqual((result.returncode, result.stdout), (WRONG, ""))
        self.assertIn("No such file", result.stderr)

    def test_a_file_that_is_no_report(self):
        result = check("total allocs <= 1", written("none", "{}"))
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (1, "", 1))

    def test_wrong_usage(self):
        for arguments in (), ("a",), ("--budget=b",), ("--budget=b", "a", "a"), ("--budget=b", "--write-budget", "a"), \
                ("--budget=b", "--slack=1", "a"), ("--budget=b", "--by=stack", "a"), ("--budget=-", "-"), ("--write-budget", "--slack=-1", "a"), \
                ("--write-budget", "--format=json", "a"), ("--write-budget", "--format=sarif", "a"), \
                ("--budget=b", "--format=csv", "a"), ("--nothing", "a"), ("--budget",):
            result = dump("check", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertRegex(result.stderr, r"^allocsite-dump: check: [^\n]*\n$")

    def test_help(self):
        result = dump("check", "--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("usage: allocsite-dump check "))

    def test_the_example_of_the_help(self):
        lines = re.findall(r"^  ((?:#|total|function|file|type|callee|site|module|unsited) .*)$",
                           dump("check", "--help").stdout, re.M)
        result = check("\n".join(lines), report(SOURCE, "budget"))
        self.assertEqual(len(lines), 9)
        self.assertIn(" of 10 limits", result.stdout)

    def test_standard_input(self):
        path = report(SOURCE, "budget")
        with open(path, "rb") as file:
            budget = written("tested.budget", "total allocs <= 12")
            self.assertEqual(dump("check", "--budget=" + budget, "-", stdin=file).returncode, 0)
        with open(written("tested.budget", "total allocs <= 11")) as file:
            self.assertIn("-:1: total: allocs 12", dump("check", "--budget=-", path, stdin=file).stdout)

    def test_an_output_that_cannot_be_written(self):
        budget = "--budget=" + written("tested.budget", "total allocs <= 12")
        with open("/dev/full", "w") as full:
            result = subprocess.run([DUMP, "check", budget, report(SOURCE, "budget")], stdout=full,
                                    stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output: No space left", result.stderr)


if __name__ == "__main__":
    unittest.main()
