# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--verify: right tables agree with the debug information, altered ones do not."""
import os
import struct
import subprocess
import unittest

import programs
from programs import LLD, check, compile, dump, read, sites, verification, work, write


class RightTables(unittest.TestCase):
    def assert_agrees(self, path, inlined_later=False):
        result = verification(path)
        self.assertEqual(result["disagreements"], [])
        self.assertEqual(result["sites"], len(sites(path)))
        self.assertGreater(result["sites"], 5)
        self.assertEqual(result["agree"] + result["no_code"], result["sites"])
        if not inlined_later:
            self.assertEqual((result["inlined_later"], result["no_code"]), (0, 0))

    def test_optimization_levels(self):
        for source, levels in ("tables.c", ("-O0", "-O1", "-Os")), ("tables.cpp", ("-O0", "-O2")):
            for level in levels:
                with self.subTest(source=source, level=level):
                    self.assert_agrees(compile(source, "levels", level))

    def test_kinds_of_debug_information(self):
        for flags in [["-gdwarf-5"], ["-gno-column-info"], ["-gz=zlib"],
                      ["-fdebug-prefix-map=" + programs.HERE + "=/src"],
                      ["-ffile-prefix-map=" + programs.HERE + "=."]]:
            with self.subTest(flags=flags):
                self.assert_agrees(compile("tables.c", "kinds", *flags))

    def test_names_in_other_kinds_of_debug_information(self):
        for flags in ["-gdwarf-4", "-fdebug-types-section"], ["-gsimple-template-names"]:
            with self.subTest(flags=flags):
                self.assert_agrees(compile("tables.cpp", "kinds", *flags))

    def test_kinds_of_output(self):
        for flags in [["-shared", "-fPIC"], ["-no-pie"], ["-static"], ["-static-pie"], ["-c"], ["-c", "-gz=zlib"],
                      ["-c", "-ffunction-sections"], ["-ffunction-sections", "-Wl,--gc-sections"]]:
            with self.subTest(flags=flags):
                self.assert_agrees(compile("tables.c", "outputs", *flags))

    def test_relocatable_link(self):
        first = compile("tables.cpp", "first.o", "-c")
        check("ld", "-r", first, compile("tables.c", "second.o", "-c", "-Dmain=other"), "-o", work("relinked.o"))
        self.assert_agrees(work("relinked.o"))

    @unittest.skipUnless(LLD, "no lld")
    def test_lld(self):
        self.assert_agrees(compile("tables.cpp", "lld", *LLD, "-ffunction-sections", "-Wl,--gc-sections"))

    @unittest.skipUnless(LLD, "no lld")
    def test_link_time_optimization(self):
        for flag in "-flto", "-flto=thin":
            with self.subTest(flag=flag):
                self.assert_agrees(compile("tables.cpp", "lto", *LLD, flag), inlined_later=True)

    def test_line_tables_only(self):
        result = verification(compile("tables.cpp", "minimal", "-gline-tables-only"))
        self.assertEqual(result["disagreements"], [])
        self.assertEqual(result["agree"] + result["line_tables_only"], result["sites"])

    def test_code_without_debug_information(self):
        with_it = compile("tables.cpp", "with.o", "-c")
        without = compile("tables.c", "without.o", "-c", "-g0", "-Rpass=^$", "-Dmain=other")
        check(os.environ["CLANGXX"], programs.UNLINKED, with_it, without, "-o", work("mixed"))
        result = verification(work("mixed"))
        self.assertEqual(result["disagreements"], [])
        self.assertEqual(result["agree"], len(sites(with_it)))
        self.assertEqual(result["no_debug_info"], len(sites(without)))


class ClosedPipe(unittest.TestCase):
    def test_is_nobodys_fault(self):
        ends = os.pipe()
        os.close(ends[0])
        result = subprocess.run([programs.DUMP, "sites", "--verify", compile("tables.cpp", "closed")], stdout=ends[1],
                                stderr=subprocess.PIPE, text=True)
        os.close(ends[1])
        self.assertEqual((result.returncode, result.stderr), (1, ""))


class NothingToCheckAgainst(unittest.TestCase):
    def assert_says(self, path, expected):
        result = dump("sites", "--verify", path)
        self.assertEqual(result.returncode, 1)
        self.assertIn(expected, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_no_debug_information(self):
        self.assert_says(compile("tables.c", "bare", "-g0", "-Rpass=^$"), "no debug information")

    def test_stripped(self):
        check("strip", compile("tables.c", "stripped"))
        self.assert_says(work("stripped"), "no debug information")

    def test_split(self):
        self.assert_says(compile("tables.c", "split", "-gsplit-dwarf"), ".dwo")

    def test_unknown_compression(self):
        """The compression header is what tells; the linkers of all versions can write zlib."""
        path = compile("tables.c", "compressed", "-gz=zlib")
        data = read(path)
        for header in section_headers(data):
            if header["flags"] & 0x800:
                struct.pack_into("<I", data, header["offset"], 9)
        write(path, data)
        self.assert_says(path, "unknown method")


def section_headers(data):
    start, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * i) for i in range(count)]
    for name, _, flags, address, offset, size, *_ in headers:
        text = data[headers[names][4] + name:]
        yield {"name": bytes(text[:text.index(0)]).decode(), "flags": flags, "offset": offset, "size": size}


def split(reference):
    """What a joined descriptor's reference has below and above its 24th bit."""
    low = (reference & 0xFFFFFF ^ 0x800000) - 0x800000
    return low, (reference - low >> 24) & 0xFF


def refer_from_fields(data, places):
    """Has all references of joined descriptors count from their own fields."""
    for at in reversed(places):
        if data[at + 31] & 0x20:
            scope, caller, request = struct.unpack_from("<iii", data, at + 16)
            (caller, low), (request, high) = split(caller), split(request)
            back = 32 * (low + 256 * high)
            scope += struct.unpack_from("<i", data, at - back + 16)[0] - back if back else 0
            data[at + 31] &= ~0x20
            struct.pack_into("<iii", data, at + 16, scope, caller and caller + scope - 4, request and request + scope - 8)


class AlteredTables(unittest.TestCase):
    """Alters a field of every site. What still agrees is right by chance: the program has that line or that chain
    in the same function, too."""

    def alter(self, change):
        """The part of the altered sites that disagrees. change says whether it altered the site at an offset."""
        path = compile("tables.cpp", "altered", "-fplugin=" + os.environ["PLUGIN"], "-mllvm", "-allocsite-lift=0")
        data = read(path)
        table, = [header for header in section_headers(data) if header["name"] == "allocsite_sites"]
        places = range(table["offset"], table["offset"] + table["size"], 32)
        refer_from_fields(data, places)
        altered = sum(change(data, at) for at in places)
        write(path, data)
        result = verification(path)
        self.assertGreater(altered, 20)
        self.assertEqual(result["no_code"], 0)
        return result["disagree"] / altered

    def add(self, offset, number):
        def change(data, at):
            value, = struct.unpack_from("<I", data, at + offset)
            struct.pack_into("<I", data, at + offset, value + number)
            return True
        return change

    def shift(self, offset):
        """Every site gets what the reference of the one before it names."""
        last = []

        def change(data, at):
            reference, = struct.unpack_from("<i", data, at + offset)
            target = at + offset + reference if reference else 0
            if last:
                struct.pack_into("<i", data, at + offset, last[0] - (at + offset) if last[0] else 0)
            is_changed = bool(last) and last[0] != target
            last[:] = [target]
            return is_changed
        return change

    def test_lines(self):
        self.assertGreater(self.alter(self.add(12, 1000)), 0.99)

    def test_lines_by_one(self):
        self.assertGreater(self.alter(self.add(12, 1)), 0.9)

    def test_columns(self):
        self.assertGreater(self.alter(self.add(28, 100)), 0.9)

    def test_scopes(self):
        """Many neighbours are in instances of one template, which are not told apart."""
        self.assertGreater(self.alter(self.shift(16)), 0.4)

    def test_chains(self):
        """As above, and the chain of the site before is one that the program has."""
        self.assertGreater(self.alter(self.shift(20)), 0.3)


if __name__ == "__main__":
    unittest.main()
