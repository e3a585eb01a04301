# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""maps=1: the mappings of each line equal a program's own books, are in no total, and are parts of the resident set.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from runs import CC, WORK, dump, work

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE, MIB = 4096, 1 << 20


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    subprocess.run([CC, "-O1", "-g", "-pthread", os.path.join(HERE, "mappings.c"), "-o", work("program")], check=True)


def start(options, *arguments, program="program"):
    return subprocess.Popen([work(program), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={
        **os.environ, "ALLOCSITE_OPTIONS": options + ":report=none"})


def document(command, *arguments):
    result = dump(command, *arguments)
    if result.returncode or result.stderr:
        raise AssertionError(result)
    return json.loads(result.stdout)


def mappings(found):
    return {row["line"]: row for row in found["sites"] if row.get("mapping")}


class Law(unittest.TestCase):
    def check_law(self, found):
        for row in [*found["sites"], *found["stacks"]]:
            inherited = row.get("inherited_blocks", 0), row.get("inherited_bytes", 0)
            self.assertEqual(row["allocs"] + row["reallocs"] + inherited[0], row["frees"] + row["moved"] + row["live_blocks"], row)
            self.assertEqual(row["alloc_bytes"] + row["realloc_bytes"] + inherited[1],
                             row["freed_bytes"] + row["moved_bytes"] + row["live_bytes"], row)

    def check_parts(self, name, whole, heap):
        """The parts at exit, which are about the whole: writing a report makes some pages of files resident."""
        run = document("report", "--format=json", work(name))["run"]
        parts = run["resident_parts"]
        self.assertEqual(sum(parts.values()) // PAGE * PAGE, sum(parts.values()))
        self.assertAlmostEqual(sum(parts.values()), whole, delta=MIB // 2)
        self.assertGreaterEqual(run["max_resident_bytes"], sum(parts.values()))
        self.assertAlmostEqual(parts["heap_in_use"], heap, delta=2 * PAGE)  # and blocks of libraries
        text = " ".join(dump("report", work(name)).stdout.split())
        self.assertRegex(text, r" resident: \S+ MiB at most; at exit \S+ MiB: live blocks \S+ [KM]iB, heap that no live block uses ")
        return parts


class Books(Law):
    @classmethod
    def setUpClass(cls):
        cls.process = start(f"maps=1:profile={work('profile')}")
        cls.books = []
        while (line := cls.process.stdout.readline().split()) != ["end"]:
            cls.books.append(dict(zip(("line", "live", "bytes", "calls", "resident"), map(int, line))))
        cls.pid = str(cls.process.pid)
        os.kill(cls.process.pid, signal.SIGSTOP)
        cls.live = document("report", "--format=json", "pid:" + cls.pid)
        dump("graph", "--resident", cls.pid)  # reading the program's memory makes pages of files resident
        with open(f"/proc/{cls.pid}/smaps", encoding="utf-8") as smaps:
            cls.whole = sum(1024 * int(size) for size in re.findall(r"(?m)^Rss: +(\d+) kB$", smaps.read()))
        cls.resident = document("graph", "--resident", "--format=json", cls.pid)
        cls.text = dump("graph", "--resident", cls.pid).stdout
        os.kill(cls.process.pid, signal.SIGCONT)
        cls.process.communicate("\n")
        cls.ended = document("report", "--format=json", work("profile"))

    def check_books(self, found):
        rows = mappings(found)
        for book in self.books:
            row = rows[book["line"]]
            calls = row["allocs"] + (row["reallocs"] if not row["allocs"] else 0)  # a mremap is a reallocation
            self.assertEqual((row["live_blocks"], row["live_bytes"], calls), (book["live"], book["bytes"], book["calls"]), row)
        self.assertEqual(sum(row["failed"] for row in rows.values()), 1)
        self.assertEqual(len(rows), len(self.books) + 1)  # and the call that failed
        self.assertEqual(found["mappings"]["live_bytes"], sum(book["bytes"] for book in self.books))
        self.check_law(found)

    def test_lines(self):
        self.check_books(self.live)
        self.check_books(self.ended)

    def test_stacks(self):
        frames = {stack["frames"][0]["line"]: stack for stack in self.ended["stacks"] if stack.get("mapping")}
        for book in self.books:
            self.assertEqual([frame["function"] for frame in frames[book["line"]]["frames"]][:2], ["all_ways", "main"])

    def test_totals_are_those_without_mappings(self):
        process = start(f"profile={work('plain')}")
        process.communicate("\n")
        found = document("report", "--format=json", work("plain"))
        self.assertEqual(found["totals"], self.ended["totals"])
        self.assertNotIn("mappings", found)

    def test_merged(self):
        shutil.copy(work("profile"), work("copy"))
        subprocess.run([os.environ["DUMP"], "merge", "-o", work("merged"), work("profile"), work("copy")], check=True)
        found = document("report", "--format=json", work("merged"))
        self.check_law(found)
        for line, row in mappings(found).items():
            self.assertEqual(row["live_bytes"], 2 * mappings(self.ended)[line]["live_bytes"])
        self.assertEqual(len(mappings(found)), len(mappings(self.ended)))

    def test_text(self):
        text = dump("report", "--top=0", work("profile")).stdout
        live = sum(book["live"] for book in self.books)
        self.assertRegex(" ".join(text.split()), rf" mappings: \d+\.\d MiB in {live} mappings mapped at exit, of .* by \d+ calls, not in the total ")
        self.assertRegex(text, r"mappings\.c:\d+.* \(mapping, not in\s+the total\)")

    def test_parts_are_the_resident_set(self):
        parts = self.resident["parts"]
        self.assertEqual(self.resident["resident_bytes"], self.whole)
        self.assertEqual(sum(parts.values()), self.whole)
        rows = {row["line"]: row for row in self.resident["mappings"]}
        self.assertEqual(sum(row["resident"] for row in rows.values()), parts["mappings"])
        for book in self.books:
            if book["resident"]:
                self.assertEqual(rows[book["line"]]["resident"], book["resident"], book)
            if book["live"]:
                self.assertEqual((rows[book["line"]]["bytes"], rows[book["line"]]["mappings"]), (book["bytes"], book["live"]))
        self.assertRegex(self.text, r"(?m)^ *resident +bytes +mappings +site\n.*mappings\.c:\d+ all_ways")

    def test_parts_at_exit(self):
        parts = self.check_parts("profile", self.whole, PAGE)
        self.assertEqual(parts["mappings"], sum(book["resident"] for book in self.books))


class Processes(Law):
    def test_threads(self):
        start(f"maps=1:profile={work('threads')}", "threads").communicate()
        found = document("report", "--format=json", work("threads"))
        self.check_law(found)
        row, = mappings(found).values()
        self.assertEqual((found["exact"], row["live_blocks"], row["allocs"] > 7000), (True, 0, True))

    def test_forked_child_unmaps_what_it_inherited(self):
        start(f"maps=1:profile={work('fork')}.%p", "fork").communicate()
        for path in glob.glob(work("fork") + ".*"):
            found = document("report", "--format=json", path)
            self.check_law(found)
            row, = mappings(found).values()
            is_child = row["allocs"] == 0
            self.assertEqual((row["live_blocks"], row["live_bytes"]), (1, (5 if is_child else 10) * 4096))

    def test_parts_of_threads_and_static_programs(self):
        subprocess.run([CC, "-O1", "-g", "-static", os.path.join(HERE, "mappings.c"), "-o", work("static")], check=True)
        for program in "program", "static":
            process = start(f"maps=1:profile={work('parts')}", "parts", program=program)
            parts = self.check_parts("parts", int(process.communicate()[0].split()[0]), 25 * PAGE)
            self.assertEqual(parts["mappings"], 64 * PAGE)
            self.assertAlmostEqual(parts["stacks"], 256 * PAGE, delta=20 * PAGE)
            self.assertGreaterEqual(parts["heap_free"], 19 * PAGE)

    def test_parts_are_not_asked_for(self):
        start(f"profile={work('unasked')}", "parts").communicate()
        self.assertNotIn("resident_parts", document("report", "--format=json", work("unasked"))["run"])


if __name__ == "__main__":
    unittest.main()
