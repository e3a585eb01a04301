# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of allocsite-dump report: input, messages and exit status.

ctest passes DUMP (allocsite-dump) and WORK (a folder) in the environment."""
import csv
import fcntl
import gzip
import io
import json
import os
import pty
import re
import resource
import struct
import subprocess
import termios
import unittest

import profiles
from runs import DUMP, WORK, dump, unless_sanitized, work, written

FULL, FEW = work("words.profile"), work("few.profile")


def setUpModule():
    """A report with all kinds of data, and one with two sites, one of a library, without pairs, sizes and leaked
    blocks."""
    written("words.profile", document())
    written("few.profile", few())


def report(*arguments, **options):
    return dump("report", *arguments, **options)


def document():
    return profiles.words()


def few():
    sites = [site for site in document()["sites"] if site["function"] in (None, "add_word")]
    for site in sites:
        del site["sizes"]
    return {**{name: value for name, value in document().items() if name not in ("pairs", "faults")}, "sites": sites, "totals": {}}


class Options(unittest.TestCase):
    def test_standard_input_and_pipes(self):
        want = report(FULL).stdout
        with open(FULL, "rb") as file:
            self.assertEqual(report("-", stdin=file).stdout, want)
        piped = subprocess.run(f"cat {FULL} | '{DUMP}' report -", shell=True, capture_output=True, text=True)
        self.assertEqual((piped.returncode, piped.stdout), (0, want))

    def test_top(self):
        rows = report("--format=csv", "--top=1", FEW).stdout.splitlines()
        self.assertEqual(len(rows), 1 + 1)
        self.assertIn("4 more sites", report("--top=1", FULL).stdout)

    def test_long_chains_are_folded(self):
        def chain(length, *options):
            long = document()
            site = max(long["sites"], key=lambda site: site["alloc_bytes"] + site["realloc_bytes"])
            site["inlined"] = [{"function": f"f{i}", "file": "a.c", "line": i + 1, "column": 2} for i in range(length)]
            lines = report("--top=1", *options, written("long.profile", long)).stdout.splitlines()
            text = " ".join(line.strip() for line in lines)
            return re.search(r"called by ((?:(?:f\d+ \(a\.c:\d+\)|\d+ more)(?: <- )?)+)", text)[1].strip().split(" <- ")

        whole = [f"f{i} (a.c:{i + 1})" for i in range(12)]
        self.assertEqual(chain(5), whole[:5])
        self.assertEqual(chain(6), whole[:4] + ["1 more", "f5 (a.c:6)"])
        self.assertEqual(chain(12), whole[:4] + ["7 more", "f11 (a.c:12)"])
        self.assertEqual(chain(12, "--names=full"), whole)

    def test_sort(self):
        counters = {"bytes": ("alloc_bytes", "realloc_bytes"), "allocs": ("allocs", "reallocs"),
                    "live": ("live_bytes",), "peak": ("peak_bytes",)}
        for sort, names in counters.items():
            result = report("--format=csv", "--sort=" + sort, FULL)
            rows = list(csv.DictReader(io.StringIO(result.stdout, newline="")))
            keys = [sum(int(row[name]) for name in names) for row in rows]
            self.assertEqual(keys, sorted(keys, reverse=True), sort)

    def test_numbers_of_all_lengths(self):
        long = few()
        for row in long["sites"]:
            row.update((name, number * 10**13) for name, number in row.items()
                       if isinstance(number, int) and name not in ("sited", "line", "column"))
        page = report("--format=html", written("large.profile", long))
        totals = json.loads(report("--format=json", work("large.profile")).stdout)["totals"]
        self.assertEqual((page.returncode, page.stderr), (0, ""))
        self.assertIn(f'title="{totals["allocs"]:,}"', page.stdout)
        self.assertIn(f'title="{totals["live_bytes"]:,} bytes"', page.stdout)

    def test_minima(self):
        sites = json.loads(report("--format=json", "--min-bytes=6000", "--min-allocs=3", FEW).stdout)
        self.assertEqual((sites["sites"], sites["sites_left_out"]), ([], 2))
        self.assertEqual(sites["totals"], json.loads(report("--format=json", FEW).stdout)["totals"])

    def test_leaks(self):
        sites = json.loads(report("--format=json", "--leaks", FEW).stdout)["sites"]
        self.assertEqual([site["live_blocks"] > 0 for site in sites], [True, True])

    def test_usage(self):
        for arguments in ([], ["--format=xml", FULL], ["--top=x", FULL], ["--top=", FULL], ["--sort=size", FULL],
                          ["--top=1:top=2", FULL], ["--leaks=1", FULL], ["--reach", FULL],
                          ["--min-bytes=" + "1" * 200, FULL]):
            result = report(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertEqual(result.stderr.count("\n"), 1, arguments)

    def test_help(self):
        result = report("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("--leaks", result.stdout)


class Forms(unittest.TestCase):
    def test_each(self):
        """The complete text of each format, once; other output is tested through JSON."""
        for form, options in ("text", ["--pairs", "--sizes"]), ("csv", []), ("markdown", ["--pairs", "--sizes", "--sort=peak"]):
            with open(os.path.join(profiles.HERE, "words." + form)) as file:
                wanted = file.read()
            environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
            self.assertEqual(report("--format=" + form, *options, FULL, env=environment).stdout, wanted, form)


    def test_a_count_of_one_is_singular(self):
        site = {**document()["sites"][0], "allocs": 2, "reallocs": 1, "frees": 0, "moved": 1, "moved_bytes": 0, "live_blocks": 2}
        path = written("one.profile", {**document(), "sites": [site], "pairs": [], "stacks": []})
        text = report(path, env={**os.environ, "COLUMNS": "60"}).stdout
        self.assertRegex(text, r"\b2 allocs, .*1 realloc, 1 moved")


class Messages(unittest.TestCase):
    def refused(self, path, expected, shown=False, **options):
        result = report(path, **options)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(bool(result.stdout), shown)
        lines = result.stderr.splitlines()
        self.assertEqual(lines, [f"allocsite-dump: {path}: {text}" for text in expected])

    def test_files_that_are_no_reports(self):
        self.refused("/nowhere", ["No such file or directory"])
        self.refused("/dev/null", ["is empty"])
        self.refused(WORK, ["Is a directory"])
        self.refused(written("text", "some text"), ["is neither a profile nor a recording"])
        self.refused(DUMP, ["is a program or library and has no counters; allocsite-dump sites shows its site table"])

    def test_json_is_not_read_again(self):
        shown = report("--format=json", FULL).stdout
        for command in (["report"], ["diff", FULL], ["merge", "-o", work("of_json")], ["export", "--format=pprof", "-o", work("of_json")],
                        ["check", "--budget=" + written("budget", "total allocs <= 1\n")], ["top", "--once"]):
            result = dump(*command, written("shown.json", shown))
            self.assertEqual((result.returncode, result.stdout, result.stderr),
                             (1, "", f"allocsite-dump: {work('shown.json')}: is neither a profile nor a recording; a JSON report is not an input, "
                                     "use the profile\n"), command)

    @unless_sanitized
    def test_an_endless_input(self):
        self.refused("/dev/zero", ["out of memory"],
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29)))

    def test_a_broken_law(self):
        wrong = document() | {"peak_within": 0, "threads": []}  # with several threads a pair may be missing
        wrong["pairs"][0]["count"] += 1
        self.refused(written("wrong", wrong), [
            f"is inconsistent: site {wrong['pairs'][0]['owner']}: count of pairs with kind free = frees, but they are 2001 and 2000",
        ], shown=True)

    def test_many_broken_laws(self):
        wrong = document()
        for site in wrong["sites"]:
            for name in "leaked_blocks", "leaked_bytes":
                site[name] += 10**6
        result = report(written("many", wrong))
        lines = result.stderr.splitlines()
        self.assertEqual((result.returncode, len(lines)), (1, 11))
        self.assertRegex(lines[-1], r"and \d+ more inconsistencies$")

    def test_no_tree(self):
        """Missing data violates no law."""
        self.assertIn("--tree is text or json", dump("report", "--tree", "--format=csv", FULL).stderr)
        result = dump("report", "--tree", FULL)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, r"\A.*has no calling frames.*\n\Z")

    def test_missing_counts(self):
        for option in "pairs", "sizes":
            result = report("--" + option, FEW)
            self.assertEqual((result.returncode, result.stdout), (1, report(FEW).stdout))
            self.assertEqual(result.stderr, f"allocsite-dump: {FEW}: has no {option}: run the program with "
                                            f"ALLOCSITE_OPTIONS={option}=1\n")

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([DUMP, "report", FULL], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(result.returncode, 1)
            self.assertIn("standard output: No space left", result.stderr)
            for arguments in (["--help"], ["--version"], ["report", "--help"], ["help", "top"]):
                told = subprocess.run([DUMP, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual((told.returncode, told.stderr),
                                 (1, "allocsite-dump: standard output: No space left on device\n"), arguments)

    def test_without_a_command(self):
        """A pipe is opened only by its reader, and the value of an option is no file."""
        os.mkfifo(work("pipe")) if not os.path.exists(work("pipe")) else None
        for command in (f"cat {FULL} | '{DUMP}' -", f"'{DUMP}' <(cat {FULL})", f"'{DUMP}' --sort bytes {FULL}",
                        f"cat {FULL} > {work('pipe')} & '{DUMP}' {work('pipe')}"):
            found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
            self.assertEqual((found.returncode, found.stdout), (0, report(FULL).stdout), command)

    def test_a_file_is_no_terminal(self):
        def on_a_terminal(*options):
            path = work("from-terminal")
            pid, terminal = pty.fork()
            if pid == 0:
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 140, 0, 0))
                os.environ.pop("COLUMNS", None)
                os.environ.pop("NO_COLOR", None)
                os.environ.update(TERM="xterm", LC_ALL="C")
                os.execv(DUMP, [DUMP, "report", *options, "-o", path])
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
            os.close(terminal)
            with open(path) as file:
                return file.read()

        environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        stacked = {**document(), "walks": {"depth": 8}}
        stacked["stacks"] = [{**stacked["sites"][0], "site": stacked["sites"][0]["id"], "frames": [{"module": "/usr/bin/words", "address": "0x10"}]}]
        stacks = written("stacks.profile", stacked)
        for options in ([FULL], ["--tree", stacks]):
            self.assertEqual(on_a_terminal(*options), report(*options, env=environment).stdout)

    def test_wrong_options(self):
        for said, *arguments in (["report: bad option -leaks, did you mean --leaks?", "report", "-leaks", FULL],
                                 ["report: bad option -x", "report", FULL, "-x"],
                                 ["report: bad option --leeks, did you mean --leaks?", "report", FULL, "--leeks"],
                                 ["report: --top needs a value", "report", FULL, "--top"],
                                 ["report: --leaks has no value", "report", "--leaks=1", FULL],
                                 ["merge: -o needs a value", "merge", "-o"],
                                 ["annotate: bad option -o", "annotate", "-o"]):
            result = dump(*arguments)
            self.assertEqual((result.returncode, result.stderr.partition(" (see")[0]), (2, "allocsite-dump: " + said))

    def test_modules_without_a_name(self):
        nameless = document()
        nameless["modules"] = [{"path": "/gone", "build_id": None}]
        path = written("nameless.profile", nameless)
        for arguments in (["report"], ["export", "--format=pprof", "-o", work("nameless.pb.gz")]):
            self.assertEqual(dump(*arguments, path).returncode, 0)

    def test_names_that_are_not_utf_8(self):
        with open(FULL, "rb") as file:
            profile = file.read()
        self.assertIn(b"\0main\0", profile)
        path = written("raw.profile", profile.replace(b"\0main\0", b"\0ma\xffn\0"))
        self.assertEqual(dump("export", "--format=pprof", "-o", work("raw.pb.gz"), path).returncode, 0)
        with gzip.open(work("raw.pb.gz")) as file:
            self.assertIn(b"ma?n", file.read())


if __name__ == "__main__":
    unittest.main()
