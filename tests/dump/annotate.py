# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump annotate: the source with the counts of its lines, and remarks for editors.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment."""
import os
import pty
import re
import shutil
import subprocess
import unittest

from runs import DUMP, WORK, dump, read, report, work

# Notes have a line's counts: "// bytes allocs live peak".
SOURCE = """#include <stdlib.h>

void *volatile kept;

static void one(size_t size) {
\tkept = malloc(size); // 100 B 2 60 B 100 B
}


int main(void) {
    one(40);
    char *first = kept;
    one(60);
    kept = malloc(5), kept = malloc(6); // 11 B 2 11 B 11 B
    free(first);
    return 0; // \x1b[31m
}
"""
LINES = [line.expandtabs(8).replace("\x1b", "?") for line in SOURCE.splitlines()]
NOTES = {number: line.partition("// ")[2] for number, line in enumerate(LINES, 1) if " B " in line}


def setUpModule():
    global REPORT, PROGRAM
    shutil.rmtree(WORK, ignore_errors=True)
    REPORT, PROGRAM = report(SOURCE, "run"), work("run/program.c")


def shown(*arguments):
    """Returns the header of the output, and columns and text of each line by number."""
    result = dump("annotate", *arguments)
    if result.returncode or result.stderr:
        raise AssertionError(result)
    lines = result.stdout.splitlines()
    margin, found = lines[1].index("line"), {}
    for line in lines[2:]:
        number, _, text = line[margin:].lstrip().partition("  ")
        if number != "...":
            found[int(number)] = " ".join(line[:margin].split()), text
    return lines[0], found


class Text(unittest.TestCase):
    def test_lines_around_those_that_allocate(self):
        for arguments, numbers in (([], [4, 5, 6, 7, 8, 12, 13, 14, 15, 16]), (["--context=0"], [6, 14]),
                                   (["--all"], range(1, len(LINES) + 1)), (["--context=100"], range(1, len(LINES) + 1))):
            head, lines = shown(*arguments, REPORT)
            self.assertEqual(list(lines), list(numbers))
            self.assertRegex(head, r"program\.c: 111 B$")
            for number, (margin, text) in lines.items():
                self.assertEqual((margin, text), (NOTES.get(number, ""), LINES[number - 1]))

    def test_files(self):
        for name in "program.c", "run/program.c", PROGRAM:
            self.assertEqual(shown(REPORT, name), shown(REPORT))
        for name in "gram.c", "other.c":
            result = dump("annotate", REPORT, name)
            self.assertEqual((result.returncode, result.stdout, result.stderr),
                             (1, "", f"allocsite-dump: {name}: none of its lines allocates\n"))

    def test_more_lines_than_the_last_number_has_digits(self):
        """The visible line numbers determine the width of their column."""
        lines = SOURCE.splitlines() + ["//"] * (120 - len(LINES))
        path = report("\n".join(lines), "long")
        for option in "--all", "--context=18446744073709551615":
            self.assertEqual(list(shown(option, path)[1]), list(range(1, 121)))
        self.assertEqual(list(shown("--context=1", path)[1]), [5, 6, 7, 13, 14, 15])

    def test_source_elsewhere(self):
        os.makedirs(work("moved"))
        shutil.move(PROGRAM, work("moved/program.c"))
        head, lines = shown(REPORT)
        self.assertIn("the source was not found", head)
        self.assertEqual(lines, {number: (note, "") for number, note in NOTES.items()})
        self.assertEqual(shown("--source=" + work("moved"), REPORT)[1][6][1], LINES[5])
        shutil.move(work("moved/program.c"), PROGRAM)

    def test_newer_source(self):
        os.utime(PROGRAM, (2000000000, 2000000000))
        self.assertRegex(shown(REPORT)[0], "; the source is newer than the run$")
        os.utime(PROGRAM)

    def test_pager(self):
        for pager, mark in ("sed s/^/paged/", "paged"), ("", ""):
            terminal, end = pty.openpty()
            result = subprocess.run([DUMP, "annotate", REPORT], stdout=end, timeout=60,
                                    env={**os.environ, "ALLOCSITE_PAGER": pager, "TERM": "xterm", "NO_COLOR": ""})
            os.close(end)
            text = b""
            while part := self.read(terminal):
                text += part
            os.close(terminal)
            self.assertEqual(result.returncode, 0)
            self.assertTrue(text.decode().startswith(mark + "\x1b[1m"), text)
            self.assertNotIn(b"\x1b[31m", text)

    def test_an_interrupt_is_the_pagers(self):
        """The command continues after an interrupt and owns the terminal until the pager ends."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(ALLOCSITE_PAGER="trap '' INT; echo ready; sleep 1; cat; echo done", TERM="dumb")
            os.execv(DUMP, [DUMP, "annotate", REPORT])
        text = b""
        while b"ready" not in text:
            text += os.read(terminal, 65536)
        os.write(terminal, b"\x03")
        while part := self.read(terminal):
            text += part
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        self.assertIn(b"done", text)

    def read(self, terminal):
        try:
            return os.read(terminal, 65536)
        except OSError:
            return b""


class Remarks(unittest.TestCase):
    def test_each_site(self):
        remarks = dump("annotate", "--format=remarks", REPORT).stdout.splitlines()
        sites = [site for site in read(REPORT)["sites"] if site["file"]]
        self.assertEqual({tuple(os.path.abspath(remark.split(": ")[0]).rsplit(":", 2)) for remark in remarks},
                         {(site["file"], str(site["line"]), str(site["column"])) for site in sites})
        self.assertEqual(len(remarks), len(sites))
        self.assertRegex("\n".join(remarks), r"(?m)program\.c:6:9: remark: malloc: 1 allocation of 40 B, live 0 B, "
                                             r"at the peak 40 B \[allocsite\]$")


class Command(unittest.TestCase):
    def test_wrong_usage(self):
        for arguments, text in (([], "no file"), (["--context=x", REPORT], "takes a number"),
                                (["--format=json", REPORT], "text or remarks"), (["--al", "--top=1", REPORT], "--top=1")):
            result = dump("annotate", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(text, result.stderr)


if __name__ == "__main__":
    unittest.main()
