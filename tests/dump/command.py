# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of allocsite-dump: output, messages and exit status."""
import json
import os
import re
import struct
import unittest

import profiles
from programs import DUMP, SITES_ONLY, check, compile, dump, read, run, sites, work, write


class Text(unittest.TestCase):
    def test_by_file_with_chains_and_counts(self):
        path = compile("tables.c", "text", *SITES_ONLY)
        lines = check(DUMP, "sites", path, cwd=os.path.dirname(__file__)).splitlines()
        self.assertEqual(lines[0], "tables.c")
        at = lines.index("     16:19  checked_malloc malloc")
        self.assertRegex(lines[at + 1], r"^              inlined into \d+:\d+ \w+")
        self.assertRegex(lines[-1], r"^\d+ sites in \d+ functions, 1 file; \d+ that only frees? \(--frees\)$")
        frees = check(DUMP, "sites", "--frees", path).splitlines()
        self.assertRegex(frees[-1], r"^\d+ sites in \d+ functions, 1 file$")
        self.assertGreater(sum(line.endswith(" free") for line in frees), 0)
        self.assertEqual([line for line in lines if line.endswith(" free")], [])

    def test_fits_the_width(self):
        path = compile("tables.cpp", "wide")
        for columns in "60", "100":
            lines = run(DUMP, "sites", path, env={**os.environ, "COLUMNS": columns}).stdout.splitlines()
            # A shortened name keeps the part that distinguishes it from other names.
            self.assertEqual([line for line in lines if len(line) > int(columns) and not re.fullmatch(r" +\d+:\d+  \.\.\.\S+", line)], [])
        functions = {site["function"] for site in sites(path)}
        full = check(DUMP, "sites", "--names=full", "--frees", path)
        self.assertEqual([name for name in functions if name not in full], [])

    def test_is_the_default_for_a_file(self):
        path = compile("tables.c", "default")
        self.assertEqual(check(DUMP, path), check(DUMP, "sites", path))

    def test_several_files_have_headings(self):
        path = compile("tables.c", "twice")
        lines = check(DUMP, path, path).splitlines()
        self.assertEqual(lines.count(path + ":"), 2)


class Json(unittest.TestCase):
    def test_fields(self):
        path = compile("tables.c", "json", *SITES_ONLY)
        document = json.loads(check(DUMP, "sites", "--format=json", path))
        self.assertEqual((document["format"], document["version"], document["module"]),
                         ("allocsite-sites", 1, path))
        for site in document["sites"]:
            self.assertEqual(list(site), ["id", "module", "sited", "function", "file", "line", "column", "callee",
                                          "type", "inlined", "kind"])
            self.assertRegex(site["id"], "^[0-9a-f]{16}$")
        kinds = {site["callee"]: site["kind"] for site in document["sites"]}
        self.assertEqual(kinds, {"malloc": "alloc", "strdup": "alloc", "realloc": "realloc",
                                 "free": "free"})

    def test_order(self):
        found = sites(compile("tables.cpp", "order"))
        places = [(site["file"], site["line"], site["column"], site["function"]) for site in found]
        self.assertEqual(places, sorted(places))

    def test_names_are_demangled(self):
        functions = {site["function"] for site in sites(compile("tables.cpp", "names"))}
        self.assertFalse([name for name in functions if name.startswith("_Z")])
        self.assertTrue([name for name in functions if name.startswith("(anonymous namespace)::Buffer::")])

    def test_one_document_a_line(self):
        path = compile("tables.c", "lines")
        documents = [json.loads(line) for line in check(DUMP, "sites", "--format=json", path, path).splitlines()]
        self.assertEqual(len(documents), 2)


class Archives(unittest.TestCase):
    def archive(self, name, flags):
        first = compile("tables.c", "first.o", "-c")
        second = compile("tables.cpp", "a_rather_long_member_name.o", "-c")
        write(work("empty.c"), b"")
        check(os.environ["CLANG"], "-c", work("empty.c"), "-o", work("empty.o"))
        if os.path.exists(work(name)):
            os.unlink(work(name))
        # A thin archive stores its members' paths as given.
        check("ar", flags, name, *map(os.path.basename, (first, work("empty.o"), second)), cwd=work(""))
        return first, second

    def test_members(self):
        for name, flags in (("plain.a", "rc"), ("thin.a", "rcT")):
            first, second = self.archive(name, flags)
            lines = check(DUMP, "sites", "--format=json", work(name)).splitlines()
            documents = [json.loads(line) for line in lines]
            self.assertEqual([document["module"] for document in documents],
                             [f"{work(name)}(first.o)", f"{work(name)}(a_rather_long_member_name.o)"])
            self.assertEqual([len(document["sites"]) for document in documents],
                             [len(sites(first)), len(sites(second))])

    def test_thin_with_a_member_missing(self):
        self.archive("gone.a", "rcT")
        os.unlink(work("first.o"))
        result = dump(work("gone.a"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("No such file", result.stderr)

    def test_without_a_table(self):
        self.archive("other.a", "rc")
        check("ar", "d", work("other.a"), "first.o", "a_rather_long_member_name.o")
        result = dump(work("other.a"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("no member", result.stderr)


class Sections(unittest.TestCase):
    def test_strip_leaves_the_table(self):
        path = compile("tables.c", "unstripped")
        check("strip", "-o", work("stripped"), path)
        self.assertEqual([site["id"] for site in sites(path)], [site["id"] for site in sites(work("stripped"))])

    def test_separate_debug_file(self):
        path = compile("tables.c", "together")
        check("objcopy", "--only-keep-debug", path, work("only.debug"))
        result = dump(work("only.debug"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("separate debug file", result.stderr)


class Messages(unittest.TestCase):
    def assert_refused(self, path, expected, status=1):
        result = dump("sites", path)
        self.assertEqual((result.returncode, result.stdout), (status, ""))
        self.assertTrue(result.stderr.startswith(f"allocsite-dump: {path}: "), result.stderr)
        self.assertIn(expected, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)

    def altered(self, name, offset, bytes_):
        data = read(compile("tables.c", "good"))
        data[offset:offset + len(bytes_)] = bytes_
        return write(work(name), data)

    def test_other_files(self):
        self.assert_refused(work("absent"), "No such file")
        self.assert_refused(os.path.dirname(work("x")), "is a directory")
        self.assert_refused("/dev/null", "not a regular file")
        self.assert_refused(write(work("empty"), b""), "is empty")
        self.assert_refused(write(work("text"), b"#!/bin/sh\n"), "not an ELF file")
        self.assert_refused(write(work("short"), b"\177ELF\2\1\1"), "truncated")
        self.assert_refused(DUMP, "no site table")

    def test_other_elf_files(self):
        self.assert_refused(self.altered("class", 4, b"\1"), "64-bit")
        self.assert_refused(self.altered("order", 5, b"\2"), "little-endian")
        self.assert_refused(self.altered("machine", 18, struct.pack("<H", 183)), "machine 183")
        self.assert_refused(self.altered("core", 16, struct.pack("<H", 4)), "core file")
        self.assert_refused(self.altered("headers", 40, struct.pack("<Q", 1 << 40)), "section headers")
        self.assert_refused(self.altered("headless", 40, bytes(8)), "section headers")

    def test_core_files(self):
        """Every command identifies a core file with one line."""
        core = self.altered("a.core", 16, struct.pack("<H", 4))
        for arguments in (["report"], ["sites"], [], ["graph"], ["diff", core], ["annotate"], ["merge", "-o", work("merged")],
                          ["check", "--write-budget"], ["export", "--format=collapsed"]):
            result = dump(*arguments, core)
            self.assertEqual((result.returncode, result.stdout), (1, ""), arguments)
            for line in result.stderr.splitlines():
                self.assertTrue(line.startswith(f"allocsite-dump: {core}: is a core file, which has neither"), line)
        result = run("sh", "-c", 'exec "$1" report - < "$2"', "sh", DUMP, core)
        self.assertIn(": is a core file", result.stderr)

    def test_bitcode(self):
        self.assert_refused(compile("tables.c", "bitcode.o", "-flto", "-c"), "LLVM bitcode")

    def test_other_format_version(self):
        path = work("version.o")
        source = write(work("version.s"), b'.section allocsite_sites,"aw"\n'
                                          b'.quad 1\n.long -1, 1, 0, 0, 0\n.short 0\n.byte 9, 0\n')
        check(os.environ["CLANG"], "-c", source, "-o", path)
        self.assert_refused(path, "format version 9")

    def test_good_files_are_shown_all_the_same(self):
        good = compile("tables.c", "among")
        result = dump("sites", work("absent"), good)
        self.assertEqual(result.returncode, 1)
        self.assertIn(" sites in ", result.stdout)


class Usage(unittest.TestCase):
    def assert_wrong(self, *arguments):
        result = dump(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertTrue(result.stderr.startswith("allocsite-dump: "), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_wrong_usage(self):
        self.assert_wrong()
        self.assert_wrong("sites")
        self.assert_wrong("sites", "--format=xml", "file")
        self.assert_wrong("sites", "--format", "xml", "file")
        self.assert_wrong("sites", "--format")
        self.assert_wrong("sites", "--unknown", "file")
        self.assert_wrong("--unknown")
        self.assert_wrong("unknown")

    def test_help_and_version(self):
        for arguments in ["--help"], ["sites", "--help"]:
            result = dump(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertTrue(result.stdout.startswith("usage: "))
        self.assertRegex(check(DUMP, "--version"), r"^allocsite-dump \d+\.\d+\.\d+\n$")

    def test_help_of_a_command(self):
        self.assertEqual(check(DUMP, "help"), check(DUMP, "--help"))
        for command in "sites", "report", "annotate", "export", "merge", "diff", "check", "top", "start":
            self.assertEqual(check(DUMP, "help", command), check(DUMP, command, "--help"))
        self.assertIn("\n  min_bytes=0 ", check(DUMP, "help", "options"))
        self.assert_wrong("help", "reprot")

    def test_help_shows_pages(self):
        with open(work("man"), "w") as file:
            file.write('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        os.chmod(work("man"), 0o755)
        folder = os.path.join(os.path.dirname(os.path.dirname(DUMP)), "share", "man")
        for topic, page in (("tutorial", "man7/allocsite-tutorial.7"), ("allocsite", "man7/allocsite.7"), ("list", "man5/allocsite-list.5"),
                            ("allocsite-dump-check", "man1/allocsite-dump-check.1")):
            result = run(DUMP, "help", topic, env={**os.environ, "PATH": os.path.dirname(work("man"))})
            self.assertEqual((result.returncode, result.stdout), (0, f"-l\n{folder}/{page}\n"))
        result = run(DUMP, "help", "tutorial", env={**os.environ, "PATH": "/nowhere"})
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("man7/allocsite-tutorial.7: ", result.stderr)
        for topic in "no-page", "../man7/allocsite", "x" * 100:
            self.assert_wrong("help", topic)

    def test_help_fits_a_terminal(self):
        commands = "sites", "annotate", "export", "merge", "diff", "check", "top", "record", "serve", "start", "report", "graph"
        runner = os.path.join(os.path.dirname(DUMP), "allocsite-run")
        for arguments in [DUMP, "--help"], [runner, "--help"], *([DUMP, name, "--help"] for name in commands):
            self.assertEqual([line for line in check(*arguments).splitlines() if len(line) > 80], [], arguments)

    def test_suggestions(self):
        for arguments, said in ((["reprot"], "did you mean report?"), (["help", "tpo"], "did you mean top?"),
                                (["report", "--tpo=3", "x"], "did you mean --top?"),
                                (["report", "--by=lines", "x"], "site, line, function, file, type, module, stack, freed, thread or phase"),
                                (["report", "--min-bytes=3K", "x"], "not a size such as 4096 or 64KiB"),
                                (["diff", "--sort=x", "a", "b"], "bytes, allocs, live or peak"),
                                (["top", "--sort=blocks", "a"], "rate, bytes, allocs, live or peak"),
                                (["top", "--interval=0", "x"], "seconds from 0.01"),
                                (["report", "--top"], "--top needs a value"),
                                (["sites", "--format=csv", "x"], "text or json")):
            self.assert_wrong(*arguments)
            self.assertIn(said, dump(*arguments).stderr)

    def test_a_report_without_a_command(self):
        report = profiles.write(work("words.profile"), profiles.words())
        self.assertEqual(check(DUMP, report), check(DUMP, "report", report))
        self.assertEqual(check(DUMP, "--top=1", report), check(DUMP, "report", "--top=1", report))

    def test_an_output_that_is_closed(self):
        path = compile("tables.c", "closed")
        result = run("bash", "-c", f"'{DUMP}' sites --format=json '{path}' | true; echo ${{PIPESTATUS[0]}}")
        self.assertIn(result.stdout, ("141\n", "0\n"))
        self.assertEqual(result.stderr, "")

    def test_an_output_that_cannot_be_written(self):
        path = compile("tables.c", "full")
        result = run("sh", "-c", f"exec '{DUMP}' '{path}' > /dev/full")
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output: No space left", result.stderr)
        for arguments in ["--help"], ["help", "options"], ["help", "report"], ["--version"]:
            result = run("sh", "-c", 'exec "$@" > /dev/full', "sh", DUMP, *arguments)
            self.assertEqual((result.returncode, result.stderr),
                             (1, "allocsite-dump: standard output: No space left on device\n"), arguments)


if __name__ == "__main__":
    unittest.main()
