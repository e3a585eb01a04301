# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The line of an allocation, which is chosen from its call path when the report is read.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment."""
import collections
import csv
import glob
import io
import json
import os
import re
import shutil
import subprocess
import unittest

from runs import CC, WORK, dump, work

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = "-O0", "-O2"
PATHS = "-g",


def build(name, compiler, level, *sources):
    program = work(name + level)
    subprocess.run([compiler, level, *PATHS, *(os.path.join(HERE, source) for source in sources), "-o", program], check=True)
    subprocess.run([program], check=True, env={**os.environ, "ALLOCSITE_OPTIONS": f"profile={program}.profile:report=none"})


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    for level in LEVELS:
        build("c", CC, level, "lines.c", "lines_util.c")
        build("cpp", CC + "++", level, "lines.cpp")


def check(*arguments):
    result = dump("report", *arguments)
    if result.returncode != 0 or result.stderr:
        raise AssertionError(f"{arguments}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def rows(*arguments):
    return list(csv.DictReader(io.StringIO(check("--format=csv", *arguments))))


def calls(row):
    return int(row["allocs"]) + int(row["reallocs"])


def lines(found, name):
    """Returns calls and bytes by line of the source."""
    sums = collections.defaultdict(lambda: [0, 0])
    for row in found:
        if os.path.basename(row["file"]) == name:
            sums[int(row["line"])][0] += calls(row)
            sums[int(row["line"])][1] += int(row["alloc_bytes"]) + int(row["realloc_bytes"])
    return {line: tuple(sum) for line, sum in sums.items()}


def notes(name):
    with open(os.path.join(HERE, name)) as file:
        found = ((number, re.search(r"@ (\d+)(?: (\d+))? \*/", text)) for number, text in enumerate(file, 1))
        return {number: tuple(int(part) for part in note.groups() if part) for number, note in found if note}


def line_of(text, name="lines.c"):
    with open(os.path.join(HERE, name)) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def totals(path):
    return json.loads(check("--format=json", path))["totals"]


class Lines(unittest.TestCase):
    def test_pass_through_functions(self):
        for level in LEVELS:
            found = rows(work(f"c{level}.profile"))
            self.assertEqual(lines(found, "lines.c"), notes("lines.c"), level)
            self.assertEqual(lines(found, "lines_util.c"), {}, level)
            self.assertEqual({row["callee"] for row in found if row["file"].endswith("lines.c")}, {"need", "copy", "grow"})

    def test_library_code(self):
        for level in LEVELS:
            found = rows(work(f"cpp{level}.profile"))
            self.assertEqual({line: sum[:1] for line, sum in lines(found, "lines.cpp").items()}, notes("lines.cpp"), level)
            self.assertEqual({os.path.basename(row["file"]) for row in found} - {"", "lines.cpp"}, set(), level)

    def test_rows_are_all_that_there_is(self):
        for name in "c", "cpp":
            for level in LEVELS:
                path = work(f"{name}{level}.profile")
                for options in (), ("--skip=add,main",), ("--stop=*",), ("--line=site",), ("--line=outermost-library",):
                    found = rows(*options, path)
                    for counter, sum_of_all in totals(path).items():
                        if counter in found[0]:
                            self.assertEqual(sum(int(row[counter] or 0) for row in found), sum_of_all, (counter, options))


class Choice(unittest.TestCase):
    path = property(lambda self: work("c-O0.profile"))

    def functions(self, *options):
        sums = collections.Counter()
        for row in rows(*options, self.path):
            if row["file"]:
                sums[row["function"]] += calls(row)
        return sums

    def test_default(self):
        self.assertEqual(self.functions(), {"add": 14, "recurse": 1, "either": 1, "main": 4})

    def test_skip(self):
        self.assertEqual(self.functions("--skip=add"), {"load": 8, "parse": 6, "recurse": 1, "either": 1, "main": 4})
        self.assertEqual(self.functions(f"--skip=lines.c:{line_of('= copy(name)')}"), {"add": 7, "load": 4, "parse": 3, "recurse": 1, "either": 1, "main": 4})
        self.assertEqual(self.functions("--skip=add,recurse,lo*"), {"parse": 6, "either": 1, "main": 13})

    def test_all_is_skipped(self):
        """The outermost line of the program remains."""
        self.assertEqual(self.functions("--skip=lines*.c"), {"main": 20})

    def test_stop(self):
        self.assertEqual(self.functions("--stop=copy"), {"add": 7, "copy": 8, "either": 1, "main": 4})
        self.assertEqual(self.functions("--stop=lines_util.c"), {"need": 16, "grow": 4})

    def test_site(self):
        self.assertEqual(self.functions("--line=site"), {"need": 16, "grow": 4})

    def test_library(self):
        found = rows("--line=outermost-library", work("cpp-O0.profile"))
        self.assertIn("std::vector<int, std::allocator<int> >::push_back(int const&)", {row["function"] for row in found})

    def test_several_files(self):
        once, twice = rows(self.path), rows(self.path, shutil.copy(self.path, work("copy.profile")))
        self.assertEqual([row["id"] for row in once], [row["id"] for row in twice])
        self.assertEqual([2 * calls(row) for row in once], [calls(row) for row in twice])

    def test_budgets_keep_them(self):
        """A budget that was written with --skip or --stop only holds for the same lines."""
        path, budget = work("c-O0.profile"), work("lines.budget")
        written = dump("check", "--skip=add", "--stop=stored", "--line=auto", "--write-budget", path).stdout
        self.assertIn("\nskip  add\nstop  stored\n", written)
        for text, status, warnings in (written, 0, 0), (written.replace("skip  add\n", ""), 0, 2):
            with open(budget, "w") as file:
                file.write(text)
            result = dump("check", f"--budget={budget}", path)
            self.assertEqual((result.returncode, result.stderr.count("no site of")), (status, warnings), result.stderr)
        with open(budget, "w") as file:
            file.write("function load allocs <= 0\nskip add\n")
        for arguments in [], ["--skip=load,add"], ["--stop=stored"], ["--line=site"], ["--line=auto"]:  # options of the command override the program's
            load = sum(calls(row) for row in rows(*(arguments or ["--skip=add"]), path) if row["function"] == "load")
            found = json.loads(dump("check", f"--budget={budget}", *arguments, "--format=json", path).stdout)
            self.assertEqual([limit["actual"] for limit in found["limits"]], [load], arguments)
        for line in "skip", "line there", "stop a b":
            with open(budget, "w") as file:
                file.write(f"total failed <= 0\n{line}\n")
            result = dump("check", f"--budget={budget}", path)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)

    def test_other_commands_take_them(self):
        path = work("c-O0.profile")
        self.assertIn(f"lines.c:{line_of('loads')}", dump("diff", "--all", "--skip=add", path, path).stdout)
        self.assertIn(f"lines.c:{line_of('loads')}", dump("top", "--once", "--skip=add", path).stdout)
        for name in "pprof", "dhat", "speedscope", "collapsed", "callgrind", "openmetrics":
            self.assertEqual(dump("export", f"--format={name}", "--skip=add", "--stop=need", "-o", work("exported"), path).stderr, "", name)
        self.assertIn(f'line="{line_of("loads")}"', dump("export", "--format=openmetrics", "--skip=add", path).stdout)
        self.assertRegex(dump("annotate", "--skip=add", path).stdout, r'\d+ .*"loads"')
        self.assertNotRegex(dump("annotate", path).stdout, r'\d+ B.*"loads"')

    def test_wrong_value(self):
        result = dump("report", "--line=there", self.path)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
        self.assertIn("auto, site, outermost-library", result.stderr)

    def test_exit_report(self):
        text = subprocess.run([work("c-O0")], check=True, capture_output=True, text=True,
                              env={**os.environ, "ALLOCSITE_OPTIONS": f"reader={os.environ['DUMP']}:skip=add:sort=allocs"}).stderr
        self.assertRegex(text, rf"lines\.c:{line_of('loads')}:\d+:\s+load -> add\n")


class Lost(unittest.TestCase):
    """Leaked blocks are shown at the line that they are attributed to, also in merged profiles and forked children."""
    SOURCE = """#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *make(size_t size) { return malloc(size); }
static void *kept[2];
static void lose(int fills) { void *volatile one = make(10);
    one = make(20); kept[fills] = make(30);
    one = NULL; }
int main(void) {
    lose(0);
    if (fork() == 0) {
        lose(1);
        exit(0);
    }
    wait(NULL);
    return 0;
}
"""

    @classmethod
    def setUpClass(cls):
        with open(work("lost.c"), "w") as file:
            file.write(cls.SOURCE)
        subprocess.run([CC, "-O0", "-g", "lost.c", "-o", "lost"], check=True, cwd=WORK)
        for name in "a", "b":
            subprocess.run(["./lost"], check=True, cwd=WORK, env={
                **os.environ, "ALLOCSITE_OPTIONS": f"report=none:reach=1:profile={name}.%p.lost"})

    def test_rows_have_their_leaked_blocks(self):
        paths = glob.glob(work("*.lost"))
        self.assertEqual(len(paths), 4)
        self.assertEqual(dump("merge", "-o", work("lost.profile"), *paths).returncode, 0)
        for some in paths, [work("lost.profile")]:
            lost = {int(row["line"]): int(row["leaked_blocks"]) for row in rows(*some) if "lost.c" in row["file"]}
            self.assertEqual({line: blocks for line, blocks in lost.items() if blocks}, {6: 4, 7: 4}, some)


class Pairs(unittest.TestCase):
    """Frees and reallocations of blocks are shown at the line that the blocks are attributed to."""
    SOURCE = """#include <stdlib.h>
static void *make(size_t size) { return malloc(size); }
static void *grow(void *block, size_t size) { return realloc(block, size); }
static void *volatile kept;
static void first(void) { void *volatile one = make(10);
    free(one);
    kept = malloc(3);
    free(kept); }
static void second(void) { void *volatile one = make(20);
    one = grow(one, 30);
    one = grow(one, 50);
    free(one);
    kept = make(7); }
int main(void) {
    for (int i = 0; i < 3; i++) first();
    second();
    second();
    return 0;
}
"""
    # by line of the owner: frees or moves by a line in all runs, and their bytes
    OWNERS = {5: [(6, "freed", 3, 30)], 7: [(8, "freed", 3, 9)], 9: [(10, "reallocated", 2, 40)],
              10: [(11, "reallocated", 2, 60)], 11: [(12, "freed", 2, 100)]}

    @classmethod
    def setUpClass(cls):
        with open(work("pairs.c"), "w") as file:
            file.write(cls.SOURCE)
        subprocess.run([CC, "-O1", "-fno-inline", "-g", "pairs.c", "-o", "pairs"], check=True, cwd=WORK)
        for name in "one", "other":
            subprocess.run(["./pairs"], check=True, cwd=WORK, env={
                **os.environ, "ALLOCSITE_OPTIONS": f"report=none:pairs=1:reach=0:profile={name}.profile"})
        if dump("merge", "-o", work("both.profile"), work("one.profile"), work("other.profile")).returncode:
            raise AssertionError("merge")

    def shown(self, *arguments):
        owners, owner = {}, None
        for line in check("--pairs", "--names=full", *arguments).splitlines():
            if pair := re.search(r"^ +(\d+) blocks? of (\d+) B (\w+) by .*pairs\.c:(\d+)", line):
                owner.append((int(pair[4]), pair[3], int(pair[1]), int(pair[2])))
            elif row := re.search(r"pairs\.c:(\d+)(?::\d+)?: \w+ -> (?:make|grow|malloc|realloc)$", line):
                owner = owners.setdefault(int(row[1]), [])
        return owners

    def test_rows_have_their_pairs(self):
        for times, *paths in (1, "one.profile"), (2, "one.profile", "other.profile"), (2, "both.profile"):
            wanted = {line: [(by, what, times * count, times * size) for by, what, count, size in pairs]
                      for line, pairs in self.OWNERS.items() if pairs}
            shown = self.shown(*map(work, paths))
            self.assertEqual({line: pairs for line, pairs in shown.items() if pairs}, wanted, paths)

    def test_leaks(self):
        self.assertEqual(self.shown("--leaks", work("one.profile")), {13: []})

    def test_by_the_line_that_frees(self):
        for times, path in (1, "one.profile"), (2, "both.profile"):
            freed = rows("--by=freed", work(path))
            self.assertEqual({int(row["line"]): (int(row["frees"]) + int(row["moved"]), int(row["freed_bytes"]) + int(row["moved_bytes"]))
                              for row in freed},
                             {by: (times * count, times * size) for pairs in self.OWNERS.values() for by, _, count, size in pairs})

    def test_sites_are_the_sums(self):
        """JSON's sites are the calls of allocators: a site has the pairs of all its lines."""
        for path in "one.profile", "both.profile":
            report = json.loads(check("--format=json", work(path)))
            for kind, count, size in ("free", "frees", "freed_bytes"), ("realloc", "moved", "moved_bytes"):
                sums = collections.defaultdict(lambda: (0, 0))
                for pair in report["pairs"]:
                    if pair["kind"] == kind:
                        sums[pair["owner"]] = (sums[pair["owner"]][0] + pair["count"], sums[pair["owner"]][1] + pair["bytes"])
                self.assertEqual(dict(sums), {site["id"]: (site[count], site[size]) for site in report["sites"] if site[count]})
            keys = [(pair["owner"], pair["by"], pair["kind"]) for pair in report["pairs"]]
            self.assertEqual(len(keys), len(set(keys)))


class Callers(unittest.TestCase):
    def test_shares(self):
        text = check(work("c-O0.profile"))
        self.assertRegex(text, rf"add -> copy\n +called by load \(\S*lines\.c:{line_of('loads')}\) 57\.1%,\s+parse \(\S*lines\.c:{line_of('i < 3') + 1}\)\s+42\.9%\n")
        self.assertRegex(text, rf"recurse -> copy\n +called by recurse \(\S*lines\.c:{line_of('recurse(depth - 1)')}\) <-\s+main \(\S*lines\.c:{line_of('recurse(5)')}\)\n")

    def test_rows_by_caller(self):
        """They split the rows and show the callers of each part."""
        for level in LEVELS:
            path = work(f"c{level}.profile")
            whole, parts = collections.Counter(), collections.Counter()
            for row in rows(path):
                whole[row["id"]] += calls(row)
            found = rows("--by=caller", path)
            for row in found:
                parts[row["site"]] += calls(row)
            self.assertEqual(+whole, +parts)
        add = {(row["caller"], int(row["caller_line"])): calls(row) for row in found if row["function"] == "add"}
        self.assertEqual({("load", line_of("loads")): 4, ("parse", line_of("i < 3") + 1): 3}, add)

    def test_callers_in_other_functions(self):
        text = check("--skip=add", work("c-O0.profile"))
        self.assertRegex(text, rf"load -> add\n +called by main \(\S*lines\.c:{line_of('load();')}\)\n")

    def test_main_has_none(self):
        self.assertNotIn("called by", check("--skip=lines*.c", work("c-O0.profile")))

    def test_code_before_main_has_no_row(self):
        for level in LEVELS:
            self.assertNotIn("_start", check(work(f"cpp{level}.profile")), level)

    def test_callers_of_inlined_code(self):
        """The function with the code of the line is the innermost frame, so the callers are that function's."""
        text = check("--stop=need", work("c-O2.profile"))
        self.assertRegex(text, r"need -> malloc\n +called by copy \(\S+\) <-\s+add ")


if __name__ == "__main__":
    unittest.main()
