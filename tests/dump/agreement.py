# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Site tables agree with the debug information of their modules."""
import os
import unittest

import programs
from debug_info import called, chains, disagreeing
from programs import LLD, check, compile, sites, work

CLANG = os.environ["CLANG"]


class RightTables(unittest.TestCase):
    def assert_agrees(self, path):
        table = sites(path)
        self.assertGreater(len(table), 5)
        self.assertEqual(disagreeing(table, chains(path, CLANG)), [])

    def test_optimization_levels(self):
        for source, levels in ("tables.c", ("-O0", "-O1", "-Os")), ("tables.cpp", ("-O0", "-O2")):
            for level in levels:
                with self.subTest(source=source, level=level):
                    self.assert_agrees(compile(source, "levels", level))

    def test_kinds_of_debug_information(self):
        for flags in ["-gno-column-info"], ["-gline-tables-only"], ["-ffile-prefix-map=" + programs.HERE + "=."]:
            with self.subTest(flags=flags):
                self.assert_agrees(compile("tables.c", "kinds", *flags))

    def test_names_in_other_kinds_of_debug_information(self):
        for flags in ["-gsimple-template-names"], ["-gline-tables-only"]:
            with self.subTest(flags=flags):
                self.assert_agrees(compile("tables.cpp", "kinds", *flags))

    def test_kinds_of_output(self):
        for flags in ["-shared", "-fPIC"], ["-no-pie"], ["-static-pie"], ["-ffunction-sections", "-Wl,--gc-sections"]:
            with self.subTest(flags=flags):
                self.assert_agrees(compile("tables.c", "outputs", *flags))

    @unittest.skipUnless(LLD, "no lld")
    def test_lld(self):
        self.assert_agrees(compile("tables.cpp", "lld", *LLD, "-ffunction-sections", "-Wl,--gc-sections"))

    @unittest.skipUnless(LLD, "no lld")
    def test_link_time_optimization(self):
        """A link may find that a call is unreachable, like the delete for a constructor that does not throw. Its site
        stays."""
        for flag in "-flto", "-flto=thin":
            with self.subTest(flag=flag):
                path = compile("tables.cpp", "lto", *LLD, flag)
                table, ids = sites(path), called(path)
                left = [site for site in table if site["id"] in ids]
                self.assertGreater(len(left), 0.9 * len(table))
                self.assertEqual(disagreeing(left, chains(path, CLANG), is_inlined_later=True), [])


class Objects(unittest.TestCase):
    """Symbolizers do not distinguish the sections of an object, so its table is compared with the program's."""

    def test_object(self):
        for source in "tables.c", "tables.cpp":
            program = compile(source, "linked")
            expected = [{**site, "module": None} for site in sites(program)]
            for flags in ["-c"], ["-c", "-gz=zlib"], ["-c", "-ffunction-sections"]:
                with self.subTest(source=source, flags=flags):
                    table = sites(compile(source, "object.o", *flags))
                    self.assertEqual([{**site, "module": None} for site in table], expected)

    def test_relocatable_link(self):
        first, second = compile("tables.cpp", "first.o", "-c"), compile("tables.c", "second.o", "-c", "-Dmain=other")
        check("ld", "-r", first, second, "-o", work("relinked.o"))
        self.assertEqual(sorted(site["id"] for site in sites(work("relinked.o"))),
                         sorted(site["id"] for site in sites(first) + sites(second)))


class WrongTables(unittest.TestCase):
    """The comparison detects wrong tables. Sites that still agree do so by chance: the program also has that line or
    chain in the same function."""

    def test_altered(self):
        path = compile("tables.cpp", "altered", *programs.SITES_ONLY)
        table, seen = sites(path), list(chains(path, CLANG))
        others = table[len(table) // 2:] + table[:len(table) // 2]
        for altered, least in [([{**site, "line": site["line"] + 1} for site in table], 0.9),
                               ([{**site, "column": site["column"] + 1} for site in table], 0.9),
                               ([{**site, "function": other["function"]} for site, other in zip(table, others)], 0.6),
                               ([{**site, "inlined": other["inlined"]} for site, other in zip(table, others)], 0.5)]:
            changed = sum(one != other for one, other in zip(altered, table))
            self.assertGreater(changed, 20)
            self.assertGreater(len(disagreeing(altered, seen)) / changed, least)


if __name__ == "__main__":
    unittest.main()
