# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump graph --resident: the parts are the resident set of the same stopped process, and the pages that few
blocks keep are those of the program's own books.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment."""
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from runs import CC, WORK, dump, work

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20


def resident_set(pid):
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as smaps:
        return sum(1024 * int(size) for size in re.findall(r"(?m)^Rss: +(\d+) kB$", smaps.read()))


class Resident(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        os.makedirs(WORK)
        subprocess.run([CC, "-O1", "-g", os.path.join(HERE, "resident.c"), "-o", work("program")], check=True)
        cls.process = subprocess.Popen([work("program")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={
            **os.environ, "ALLOCSITE_OPTIONS": "report=none"})
        cls.books = {}
        while (line := cls.process.stdout.readline().split())[0] != "live":
            cls.books[int(line[0])] = dict(zip(("kept", "pages", "bytes", "blocks"), map(int, line[1:])))
        os.kill(cls.process.pid, signal.SIGSTOP)
        dump("graph", "--resident", str(cls.process.pid))  # reading the program's memory makes pages of files resident
        cls.whole = resident_set(cls.process.pid)
        cls.result = dump("graph", "--resident", "--format=json", str(cls.process.pid))
        cls.after = resident_set(cls.process.pid)
        cls.text = dump("graph", "--resident", str(cls.process.pid))
        os.kill(cls.process.pid, signal.SIGCONT)

    @classmethod
    def tearDownClass(cls):
        cls.process.communicate("\n")

    def test_parts_are_the_resident_set(self):
        self.assertEqual((self.result.returncode, self.result.stderr), (0, ""))
        found = json.loads(self.result.stdout)
        self.assertEqual(self.whole, self.after)
        self.assertEqual(found["resident_bytes"], self.whole)
        self.assertEqual(sum(found["parts"].values()), self.whole)
        parts = found["parts"]
        self.assertGreaterEqual(parts["heap_free"], 15 * MIB)
        self.assertAlmostEqual(parts["files"], 3 * MIB, delta=MIB)
        for part in "heap_in_use", "stacks", "modules", "allocsite":
            self.assertGreater(parts[part], 0, part)

    def test_sparse_pages_are_those_of_the_books(self):
        rows = {row["line"]: row for row in json.loads(self.result.stdout)["rows"]}
        for line, book in self.books.items():
            found = {name: rows[line][name] for name in book}
            # The pages at the ends may have blocks of others, such as stdio's.
            for name, value in book.items():
                self.assertAlmostEqual(found[name], value, delta=3 * 4096 if name in ("kept", "bytes") else 3, msg=(line, name))
        self.assertGreater(max(book["pages"] for book in self.books.values()), 500)

    def test_text(self):
        self.assertEqual((self.text.returncode, self.text.stderr), (0, ""))
        self.assertRegex(self.text.stdout, r"(?m)^resident: \d+\.\d MiB$")
        self.assertRegex(self.text.stdout, r"(?m)^ +\S+ MiB  heap that no live block uses$")
        self.assertRegex(self.text.stdout, r"(?m)^ *kept +pages +bytes +blocks +site\n.*resident\.c:\d+ allocate")

    def test_usage(self):
        for arguments, status in (["--resident", "--format=csv", "1"], 2), (["--resident", "/dev/null"], 1):
            self.assertEqual(dump("graph", *arguments).returncode, status)


if __name__ == "__main__":
    unittest.main()
