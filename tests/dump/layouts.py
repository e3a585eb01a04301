# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump report --by=type: sizes and padding of types, from the debug information of a module.

ctest passes DUMP (allocsite-dump), CLANG, CLANGXX, OBSERVER (another C++ compiler) and WORK (a folder) in the
environment."""
import json
import os
import shutil
import subprocess
import unittest

from profiles import profile
from programs import WORK, check, run, work

HERE = os.path.dirname(os.path.abspath(__file__))
HIDDEN = "space::hidden", "space::(anonymous namespace)::hidden"
MAJOR = int(subprocess.run([os.environ["CLANGXX"], "-dumpversion"], capture_output=True, text=True).stdout.split(".")[0])
UNKNOWN = None, None
COUNTERS = ("allocs alloc_bytes reallocs realloc_bytes realloc_old_bytes frees freed_bytes moved moved_bytes live_blocks "
            "live_bytes failed peak_bytes peak_blocks inherited_blocks inherited_bytes").split()
C_TYPES = """
struct pair { char a; long b; };
typedef struct { short a; char b; } named;
struct text { int length; char bytes[]; };
struct old { int length; char bytes[0]; };
%s
struct pair a; named b; struct text c; struct old d; struct other e;
#ifdef LOCAL
struct local { long a; } f;
#endif
int in_function(void) { struct local { char a; int b; } l = {0}; return l.b; }
"""
NAMESAKE = """
template <class T, class U = char> struct box { U u; T t; };
%s
box<int, long> sibling;
int main() {}
"""
C_MAIN = "#include <stddef.h>\nint in_function(void);\nint main(void) { return in_function(); }\n"


def row(index, module, name, blocks, size, live):
    counted = {"allocs": blocks, "alloc_bytes": blocks * size, "live_blocks": live, "live_bytes": live * size,
               "frees": blocks - live, "freed_bytes": (blocks - live) * size, "peak_bytes": live * size, "peak_blocks": live}
    return {"id": f"{index:016x}", "module": module, "sited": True, "function": "f", "file": "a.c", "line": index,
            "column": 1, "callee": "malloc", "type": name, "inlined": [], **dict.fromkeys(COUNTERS, 0), **counted,
            "max_live_blocks": blocks, "max_live_blocks_within": 0}


def report(name, *sites):
    """Makes a report of sites (module, type, blocks, size of each, number of live ones)."""
    rows = [row(index + 1, *site) for index, site in enumerate(sites)]
    totals = {counter: sum(site[counter] for site in rows) for counter in COUNTERS}
    with open(work(name), "wb") as file:
        file.write(profile({"program": sites[0][0], "pid": 1, "inexact_reasons": [], "finished": True, "totals": totals,
                            "peak_within": 0, "sites": rows}))
    return work(name)


def shown(*paths, form="json", options=()):
    return check(os.environ["DUMP"], "report", "--by=type", f"--format={form}", *options, *paths)


def rows(*paths, **options):
    return {row["type"]: row for row in json.loads(shown(*paths, **options))["rows"]}


def sizes(module, *names, **options):
    found = rows(report("sizes.profile", *[(module, name, 1, 1, 1) for name in names]), **options)
    return {name: (found[name]["size"], found[name]["padding"]) for name in names}


def numbers(found):
    return found["size"], found["padding"], found["partial"]


def compile_c(name, *flags, other="struct other { int a; };"):
    with open(work(f"{name}.c"), "w") as file:
        file.write(C_TYPES % other + C_MAIN)
    check(os.environ["CLANG"], "-g", "-Wl,--build-id", *flags, work(f"{name}.c"), "-o", work(name))
    return work(name)


def compile_layouts(name, *flags):
    check(os.environ["CLANGXX"], "-std=c++17", "-w", *flags, os.path.join(HERE, "layouts.cpp"), "-o", work(name))
    return work(name)


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)


class Layouts(unittest.TestCase):
    maxDiff = None
    def test_all_kinds_of_types(self):
        """Padding from one compiler's builtin equals padding from another compiler's debug information."""
        observer = run(os.environ["OBSERVER"], "-std=c++17", "-w", os.path.join(HERE, "layouts.cpp"), "-o", work("observer"))
        if observer.returncode != 0:
            self.skipTest("the other compiler has no __builtin_clear_padding")
        lines = check(work("observer")).replace(*HIDDEN).splitlines()
        want = {name: (int(size), int(padding)) for size, padding, name in (line.split(" ", 2) for line in lines)}
        self.assertGreater(len(want), 20)
        for flags in ["-g"], ["-g", "-O2", "-gdwarf-4"], ["-g", "-gdwarf-5"], ["-g", "-gz=zlib"]:
            have = sizes(compile_layouts("layouts", *flags), *want)
            for name in want:
                if have[name] == UNKNOWN and MAJOR < 15 and ("box<" in name or "defaults<" in name):
                    have[name] = want[name]  # clang does not mark all default arguments
            self.assertEqual(have, want, flags)

    def test_a_namesake_with_other_arguments_is_not_the_type(self):
        """A type that one module only declares is defined in another module. A type that is missing completely is
        distinguished from clang 15 on."""
        for number, declared in enumerate(["box<int> *pointer;"] + [""] * (MAJOR >= 15)):
            path = work(f"namesake{number}")
            with open(f"{path}.cpp", "w") as file:
                file.write(NAMESAKE % declared)
            check(os.environ["CLANGXX"], "-g", f"{path}.cpp", "-o", path)
            self.assertEqual(sizes(path, "box<int>", "box<int, long>"), {"box<int>": (None, None), "box<int, long>": (16, 4)})

    def test_units_that_differ(self):
        for name, code in ("twin1", "struct twin { char a; } a; struct same { char a; } c;"), (
                "twin2", "struct twin { long a; } b; struct same { char a; } d; int main(void) {}"):
            with open(work(f"{name}.c"), "w") as file:
                file.write(code)
        check(os.environ["CLANG"], "-g", work("twin1.c"), work("twin2.c"), "-o", work("twins"))
        found = rows(report("twins.profile", (work("twins"), "struct twin", 1, 8, 1), (work("twins"), "struct same", 1, 1, 1)))
        self.assertEqual([found["struct twin"][name] for name in ("size", "differs", "padding_bytes")], [None, True, None])
        self.assertEqual(found["struct same"]["size"], 1)

    def test_local_types_have_namesakes(self):
        module = compile_c("local", "-DLOCAL")
        self.assertEqual(sizes(module, "struct local", "struct pair"), {"struct local": (None, None), "struct pair": (16, 7)})
        self.assertTrue(rows(report("local.profile", (module, "struct local", 1, 1, 1)))["struct local"]["differs"])

    def test_types_in_units_of_their_own(self):
        """Members in other type units are inaccessible: they are assumed to have no padding, and the report says so."""
        module = compile_layouts("types", "-g", "-gdwarf-5", "-fdebug-types-section")
        found = rows(report("types.profile", (module, "nested", 1, 44, 1), (module, "plain", 1, 12, 1)))
        self.assertEqual(numbers(found["plain"]), (12, 6, False))
        self.assertIn(numbers(found["nested"]), [(44, 23, False), (44, 5, True)])

    def test_c(self):
        module = compile_c("c")
        self.assertEqual(sizes(module, "struct pair", "named", "struct text", "struct old", "struct local", "char *",
                               "int (*)(void)", "struct pair[3]", "const struct pair"),
                         {"struct pair": (16, 7), "named": (4, 1), "struct text": (4, 0), "struct old": (4, 0),
                          "struct local": (8, 3), "char *": (8, 0), "int (*)(void)": (8, 0), "struct pair[3]": (16, 7),
                          "const struct pair": (16, 7)})
        self.assertEqual(sizes(module, "pair", "struct named", "struct absent"),
                         dict.fromkeys(["pair", "struct named", "struct absent"], (None, None)))

    def test_holes(self):
        module = compile_layouts("holes", "-g")
        path = report("holes.profile", (module, "nested", 1, 44, 1))
        holes = [("a", 1, 3), ("b.a", 5, 3), ("b.c", 13, 3), ("b.a", 17, 3), ("b.c", 25, 3), ("b.a", 29, 3),
                 ("b.c", 37, 3), ("c", 42, 2)]
        self.assertEqual([(hole["after"], hole["offset"], hole["size"]) for hole in rows(path)["nested"]["holes"]], holes)
        text = shown(path, form="text", options=["--padding"])
        self.assertEqual([line.strip() for line in text.splitlines()[-len(holes):]],
                         [f"{size} B at {offset}, behind {after}" for after, offset, size in holes])
        self.assertNotIn("behind", shown(path, form="text"))

    def test_spellings(self):
        module = compile_layouts("spellings", "-g")
        for name in ("space::box<space::box<long> >", "space::box<space::box<long, char>, char>",
                     "struct space::box<space::box<long>>", "class space::box< space::box<long> >"):
            self.assertEqual(sizes(module, name)[name], (24, 14), name)
        for name in "space::versioned", "space::version::versioned":
            self.assertEqual(sizes(module, name)[name], (8, 3), name)
        self.assertEqual(sizes(module, "space::box<short>")["space::box<short>"], (None, None))


class Amounts(unittest.TestCase):
    def test_blocks_and_arrays(self):
        module = compile_c("amounts")
        found = rows(report("amounts.profile", (module, "struct pair", 10, 16, 4), (module, "struct pair", 3, 64, 1),
                            (module, "struct text", 5, 12, 2)))
        pair = found["struct pair"]
        self.assertEqual((pair["padding_bytes"], pair["live_padding_bytes"]), (10 * 7 + 3 * 4 * 7, 4 * 7 + 4 * 7))
        self.assertEqual(found["struct text"]["padding_bytes"], 0)

    def test_bytes_after_a_type_are_no_further_element(self):
        module = compile_c("behind")
        found = rows(report("behind.profile", (module, "struct pair", 10, 16 + 25, 10)))["struct pair"]
        self.assertEqual((found["padding_bytes"], found["live_padding_bytes"]), (70, 70))

    def test_totals(self):
        module = compile_c("totals")
        path = report("totals.profile", (module, "struct pair", 10, 16, 4), (module, None, 5, 100, 5),
                      (module, "struct absent", 1, 8, 0))
        found = json.loads(shown(path))
        self.assertEqual([found[name] for name in ("typed_calls", "typed_bytes", "laid_out_bytes", "padding_bytes",
                                                   "live_padding_bytes")], [11, 168, 160, 70, 28])
        self.assertEqual(rows(path)[None]["allocs"], 5)
        text = shown(path, form="text")
        self.assertIn("\ntypes: known of 11 of 16 calls (68.8%), 168 B of 668 B (25.1%)\n", text)
        self.assertIn("\npadding: 70 B of 160 B (43.8%); of what is live 28 B of 64 B (43.8%)\n", text)
        self.assertRegex(text, r"(?m)  \(unknown type\)$")
        self.assertRegex(shown(path, form="markdown"), r"(?m)^\| 160 B \| .* \| 16 B \| 7 B \| 70 B \| 28 B \| `struct pair` \|$")
        self.assertIn('"struct pair",1,10,', shown(path, form="csv"))
        self.assertIn(",16,7,70,28\n", shown(path, form="csv"))


class Modules(unittest.TestCase):
    def test_types_that_differ(self):
        one, two = compile_c("one"), compile_c("two", other="struct other { char a; int b; };")
        path = report("differ.profile", (one, "struct other", 1, 4, 1), (two, "struct other", 1, 8, 1))
        found = rows(path)["struct other"]
        self.assertEqual((found["size"], found["padding"], found["differs"], found["padding_bytes"]), (None, None, True, 3))
        self.assertRegex(shown(path, form="text"), r" differs .*  struct other\n")

    def test_without_debug_information(self):
        module = compile_c("bare", "-g0")
        path = report("bare.profile", (module, "struct pair", 1, 16, 1))
        self.assertEqual(json.loads(shown(path))["unknown_layouts"],
                         [{"module": module, "reason": "it has no debug information (compile with -g)"}])
        text = shown(path, form="text")
        self.assertIn(f"\nlayouts: not known of {module}, it has no debug information (compile with -g)\n", text)
        self.assertNotIn("sizeof", text)

    def test_a_separate_debug_file(self):
        module = compile_c("separate")
        check("objcopy", "--only-keep-debug", module, module + ".debug")
        check("objcopy", "--strip-debug", f"--add-gnu-debuglink={module}.debug", module)
        self.assertEqual(sizes(module, "struct pair"), {"struct pair": (16, 7)})
        build_id = run("readelf", "-n", module).stdout.split("Build ID: ")[1].split()[0]
        os.makedirs(work(f"debug/.build-id/{build_id[:2]}"))
        os.rename(module + ".debug", work(f"debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug"))
        self.assertEqual(sizes(module, "struct pair"), {"struct pair": (None, None)})
        self.assertEqual(sizes(module, "struct pair", options=[f"--debug-dir={work('debug')}"]), {"struct pair": (16, 7)})

    def test_a_module_that_is_gone(self):
        path = report("gone.profile", (work("absent"), "struct pair", 1, 16, 1))
        self.assertEqual(json.loads(shown(path))["unknown_layouts"],
                         [{"module": work("absent"), "reason": "No such file or directory"}])

    def test_damaged_debug_information(self):
        """Any result of libdwarf is either reported or left out."""
        module = compile_c("damaged")
        path = report("damaged.profile", (module, "struct pair", 1, 16, 1), (module, "struct local", 1, 8, 1))
        with open(module, "rb") as file:
            good = file.read()
        header = run("readelf", "-SW", module).stdout.split(".debug_info")[1].split()
        start, size = int(header[2], 16), int(header[3], 16)
        for at in range(0, size, max(1, size // 200)):
            with open(module, "wb") as file:
                file.write(good[:start + at] + bytes([good[start + at] ^ 0x55]) + good[start + at + 1:])
            self.assertIn(rows(path)["struct pair"]["size"], (None, 16, *range(256)), at)


if __name__ == "__main__":
    unittest.main()
