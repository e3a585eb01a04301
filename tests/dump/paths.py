# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Call paths in all views and exports end where the program's code begins.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment."""
import base64
import csv
import fnmatch
import gzip
import io
import json
import os
import random
import re
import shutil
import subprocess
import unittest

from runs import CC, WORK, dump, work

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"dynamic": ["-g"], "static": ["-g", "-static"], "without_lines": []}
START_UP = re.compile(rb"\b(_start|__libc_start\w*|start_thread|clone3?|call_init|_dl_init|_dl_start_user|__run_exit_handlers)\b")
EXPORTS = "collapsed", "pprof", "speedscope", "callgrind", "dhat"


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    for kind, options in KINDS.items():
        program = work(kind)
        subprocess.run([CC + "++", "-O1", *options, "-pthread", os.path.join(HERE, "paths.cpp"), "-o", program], check=True)
        subprocess.run([program], check=True, env={**os.environ, "ALLOCSITE_OPTIONS": f"profile={program}.profile:report=none"})


def check(*arguments):
    result = dump(*arguments)
    if result.returncode != 0 or result.stderr:
        raise AssertionError(f"{arguments}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def shown(*arguments):
    """Returns the output of a command, uncompressed."""
    path = work("shown")
    check(*arguments, "-o", path)
    with open(path, "rb") as file:
        text = file.read()
    if text.startswith(b"\x1f\x8b"):
        return gzip.decompress(text)
    data = re.search(rb'id="data">(.*?)</script>', text, re.S)
    return gzip.decompress(base64.b64decode(data[1])) if data else text


def name_of(frame):
    return (frame["function"] or "?").partition("(")[0]


class StartUp(unittest.TestCase):
    ENDS = {("deep_main", "main"), ("deep_thread", "in_thread"), ("deep_end", "at_end"), ("deep_compare", "main"),
            ("deep_initialiser", "_GLOBAL__sub_I_paths.cpp"), ("deep_destructor", "object::~object")}

    def test_paths_end_at_the_program(self):
        for kind in KINDS:
            stacks = json.loads(check("report", "--format=json", work(f"{kind}.profile")))["stacks"]
            paths = {tuple(map(name_of, stack["frames"])) for stack in stacks}
            ends = {(path[0], path[-1]) for path in paths if path[0].startswith("deep")}
            self.assertEqual(ends, self.ENDS, kind)
            sort = next(path for path in paths if path[0] == "deep_compare")
            self.assertIn("qsort_r", sort, "between functions of the program the C library stays")

    def test_in_all_views(self):
        profile = work("dynamic.profile")
        for command in (["report"], ["report", "--tree", "--prune=0"], ["report", "--tree=root", "--prune=0"],
                        ["report", "--format=json"], ["report", "--format=html"],
                        *(["export", f"--format={name}"] for name in EXPORTS)):
            text = shown(*command, profile)
            self.assertIsNone(START_UP.search(text), command)
            self.assertIn(b"deep_thread", text, command)


class Whole(unittest.TestCase):
    """All outputs have the same path for a stack, including inlined frames, as in JSON."""
    def test_frames(self):
        for profile in work("dynamic.profile"), ran(0, "-O2", "")[0]:
            stacks = json.loads(check("report", "--format=json", profile))["stacks"]
            wanted = sorted(json.dumps(stack["frames"]) for stack in stacks if stack["frames"][0]["address"])
            self.assertIn('"inlined": true', str(wanted))
            frames = {"by": [row["frames"] for row in json.loads(check("report", "--by=stack", "--format=json", profile))["rows"]],
                      "diff": [row["new"]["frames"] for row in json.loads(check("diff", "--by=stack", "--all", "--format=json", profile, profile))["rows"]]}
            for name, found in frames.items():
                self.assertEqual(sorted(json.dumps(path) for path in found if path and path[0]["address"]), wanted, name)
            budget = work("paths.budget")
            with open(budget, "w") as file:
                file.write("stack * allocs <= 0\n")
            limit, = json.loads(dump("check", f"--budget={budget}", "--format=json", profile).stdout)["limits"]
            for site in limit["largest"]:
                self.assertIn(json.dumps(site["frames"]), wanted)
            names = {" <- ".join(frame["function"] or frame["module"] for frame in path) for path in frames["by"]}
            self.assertEqual({row["stack"] for row in csv.DictReader(io.StringIO(check("report", "--by=stack", "--format=csv", profile)))}, names)
            self.assertIn(" called by ", dump("check", f"--budget={budget}", profile).stdout)

    def test_text_begins_behind_the_line(self):
        text = check("report", "--by=stack", work("dynamic.profile"))
        self.assertRegex(text, r"deep_compare -> malloc\n +1 call by compare <- msort_with_tmp\S* <- qsort_r <- main\n")
        self.assertRegex(text, r"deep_thread -> malloc\n +1 call by in_thread\n")


def generated(seed):
    """Generates a program whose functions call one another at random, also recursively, and which keeps books: for each
    function the calls and bytes that it requested itself, and during its calls. wrap is a pass-through function, so its
    caller has them."""
    random.seed(seed)
    count = 8
    calls = "\n".join(f"CALL({i})" for i in range(count))
    bodies = []
    for i in range(count):
        steps = []
        for _ in range(random.randint(1, 4)):
            to, kind = random.randrange(count), random.random()
            take = random.choice(["malloc", "wrap"])
            steps.append(f"if (left) f{to}(left - 1);" if kind < 0.6 else f"TAKE({take}, {random.randint(1, 99)});")
        bodies.append(f"NAMED f{i}(int left) {{ ENTER({i}); {' '.join(steps)} LEAVE; }}")
    return """#include <stdio.h>
#include <stdlib.h>
#define NAMED INLINE static void
#define ENTER(i) int self = i; stack[depth++] = i
#define LEAVE depth--
#define TAKE(how, size) do { note(self, size); kept = how(size); free(kept); } while (0)
""" + f"enum {{ COUNT = {count}, WRAP = COUNT, DEEP, ALL }};" + """
static void *volatile kept;
static int stack[10000], depth;
static long self_calls[ALL], self_bytes[ALL], calls[ALL], bytes[ALL];
static void note(int self, int size) {
    char is_seen[ALL] = {0};
    self_calls[self]++;
    self_bytes[self] += size;
    for (int i = 0; i < depth; i++) {
        calls[stack[i]] += !is_seen[stack[i]];
        bytes[stack[i]] += is_seen[stack[i]] ? 0 : size;
        is_seen[stack[i]] = 1;
    }
}
__attribute__((noinline)) static void *wrap(int size) { calls[WRAP]++; bytes[WRAP] += size; return malloc(size); }
""" + "".join(f"static void f{i}(int left);\n" for i in range(count)) + "\n".join(bodies) + """
static void deep(int left) { ENTER(DEEP); if (left) deep(left - 1); else TAKE(malloc, 7); LEAVE; }
int main(int argc, char **argv) {
    (void)argv;
""" + "".join(f"    f{i}({random.randint(2, 5)});\n" for i in range(count)) + """
    if (argc > 1)
        deep(3000);
    FILE *books = fopen("books", "w");
    for (int i = 0; i < ALL; i++)
        fprintf(books, "%d %ld %ld %ld %ld\\n", i, self_calls[i], self_bytes[i], calls[i], bytes[i]);
    return fclose(books);
}
""", [*(f"f{i}" for i in range(count)), "wrap", "deep"]


def ran(seed, level, inline, *arguments):
    """Returns the profile, and the books: self and inclusive calls and bytes by function."""
    text, names = generated(seed)
    with open(work("generated.c"), "w") as file:
        file.write(text)
    subprocess.run([CC, level, "-g", "-w", f"-DINLINE={inline}", "generated.c", "-o", "generated"], check=True, cwd=WORK)
    subprocess.run(["./generated", *arguments], check=True, cwd=WORK,
                   env={**os.environ, "ALLOCSITE_OPTIONS": "profile=generated.profile:report=none"})
    with open(work("books")) as file:
        books = {names[int(line.split()[0])]: tuple(map(int, line.split()[1:])) for line in file}
    return work("generated.profile"), {name: numbers for name, numbers in books.items() if any(numbers)}


def costs(row):
    return row["allocs"] + row["reallocs"], row["alloc_bytes"] + row["realloc_bytes"]


def plus(sums, key, row):
    sums[key] = tuple(map(sum, zip(sums.get(key, (0, 0)), costs(row))))


class Inclusive(unittest.TestCase):
    RUNS = [(seed, *how) for seed in range(4) for how in (("-O0", ""), ("-O2", "__attribute__((noinline))"), ("-O2", ""))]

    def rows(self, *arguments):
        return json.loads(check("report", "--format=json", *arguments))

    def test_a_programs_own_books(self):
        """Recursion counts once, also deeper than the paths in other views. main's inclusive counts are the total,
        which is the sum of the self counts."""
        for run in self.RUNS:
            profile, books = ran(*run, "deep")
            document = self.rows("--by=function", profile)
            rows = {row["function"]: (*costs(row), *costs(row["inclusive"])) for row in document["rows"]}
            self.assertEqual({name: rows.get(name) for name in books}, books, run)
            self.assertEqual(rows["main"][2:], costs(document["totals"]), run)
            self.assertEqual(tuple(map(sum, zip(*rows.values())))[:2], costs(document["totals"]), run)

    def test_is_the_sum_of_the_stacks(self):
        for run in self.RUNS:
            profile, books = ran(*run)
            some = next(name for name, numbers in books.items() if numbers[0])
            for options in [], ["--skip=f1,f2"], ["--line=site"], [f"--filter={some}"]:
                is_filter, wanted, own = "filter" in str(options), {}, {}
                if is_filter and run[1:] == ("-O2", ""):  # which also selects inlined functions
                    continue
                for stack in self.rows(*([] if is_filter else options), profile)["stacks"]:
                    names = [frame["function"] or frame["module"] for frame in stack["frames"]]
                    if is_filter and names[stack["line"]] != some:
                        continue
                    plus(own, names[stack["line"]], stack)
                    for name in set(names):
                        plus(wanted, name, stack)
                for order in [], ["--inclusive", "--sort=live"]:
                    rows = self.rows("--by=function", *options, *order, profile)["rows"]
                    self.assertEqual({row["function"]: costs(row["inclusive"]) for row in rows}, wanted, (run, options))
                    self.assertEqual({row["function"]: costs(row) for row in rows if any(costs(row))}, own, (run, options))
            path = csv.DictReader(io.StringIO(check("report", "--by=function", "--format=csv", profile)))
            self.assertEqual({row["function"]: int(row["inclusive_allocs"]) + int(row["inclusive_reallocs"]) for row in path},
                             {row["function"]: costs(row["inclusive"])[0] for row in self.rows("--by=function", profile)["rows"]})

    def test_callers_and_callees(self):
        for run in self.RUNS:
            profile, _ = ran(*run)
            stacks = self.rows(profile)["stacks"]
            for focus in "f1", "f?", "wrap", "main":
                wanted = {}
                for stack in stacks:
                    names = [frame["function"] for frame in stack["frames"]]
                    is_focus = [name is not None and fnmatch.fnmatchcase(name, focus) for name in names]
                    if not any(is_focus):
                        continue
                    inner, outer = is_focus.index(True), len(names) - 1 - is_focus[::-1].index(True)
                    plus(wanted, ("inclusive", focus), stack)
                    plus(wanted, ("caller", names[outer + 1] if outer + 1 < len(names) else None), stack)
                    callee = names[inner - 1] if inner else "malloc"
                    plus(wanted, ("self", focus) if is_focus[stack["line"]] else ("callee", callee), stack)
                rows = self.rows(f"--focus={focus}", profile)["rows"]
                self.assertEqual({(row["role"], row["function"]): costs(row) for row in rows}, wanted, (run, focus))

    def test_text(self):
        profile, books = ran(*self.RUNS[0])
        text = check("report", "--by=function", profile)
        self.assertRegex(text, r"(?m)^ *self +self% +inclusive +inclusive% +allocs .* function$")
        self.assertRegex(check("report", "--by=function", "--inclusive", profile), r"(?m)function\n[^\n]+ 100\.0% [^\n]* main$")
        focus = check("report", "--focus=wrap", "--top=1", profile)
        self.assertRegex(focus, r"(?m)  called by f\d\n.* 100\.0% .* wrap\n.*  calls malloc\n +\d more callers$")
        self.assertRegex(check("report", "--focus=main", "--format=markdown", profile), r"(?m)\| `main` itself \|$")
        self.assertEqual(dump("report", "--focus=nobody", profile).returncode, 1)
        for wrong in ["--focus=main", "--by=file"], ["--inclusive"], ["--tree", "--focus=main"]:
            self.assertEqual(dump("report", *wrong, profile).returncode, 2, wrong)

    def test_exit_report(self):
        ran(*self.RUNS[0])
        done = subprocess.run(["./generated"], capture_output=True, text=True, cwd=WORK,
                              env={**os.environ, "ALLOCSITE_OPTIONS": "focus=main"})
        self.assertRegex(done.stderr, r"(?m)  main\n.*  main itself$")


if __name__ == "__main__":
    unittest.main()
