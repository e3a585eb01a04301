# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions and lines of addresses, as allocsite-dump report shows them for calls without a site. Compared with
llvm-symbolizer, for programs in many builds and with damaged or missing debug information.

ctest passes DUMP (allocsite-dump), CLANGXX and WORK (a folder) in the environment, and with one LLVM major GXX (g++)."""
import csv
import ctypes.util
import functools
import http.server
import io
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import unittest

from profiles import profile
from programs import DUMP, WORK, check, run, work

CLANGXX = os.environ["CLANGXX"]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "symbols.cpp")
SYMBOLIZER = os.path.join(os.path.dirname(os.path.realpath(CLANGXX)), "llvm-symbolizer")
DWP = os.path.join(os.path.dirname(os.path.realpath(CLANGXX)), "llvm-dwp")
GXX = shutil.which(os.environ.get("GXX", ""))
TOTALS = ("allocs alloc_bytes reallocs realloc_bytes realloc_old_bytes frees freed_bytes moved moved_bytes live_blocks "
          "live_bytes failed peak_bytes peak_blocks inherited_blocks inherited_bytes").split()
INITIALISED = """#include <stdlib.h>
static __attribute__((noinline)) void *hidden() { return malloc(1); }
void *volatile kept = malloc(2);
void *(*volatile called)() = hidden;
int main() { return called() == 0; }
"""
VERSIONED = """__asm__(".symver old_it, open_it@OLD_1\\n.symver new_it, open_it@@NEW_1\\n"
        ".symver _ZN5outer5innerEi, _ZN5outer5innerEi@@@NEW_1");
extern "C" { int old_it(int x) { return x + 1; } int new_it(int x) { return x + 2; } }
namespace outer { int inner(int x) { return x + 3; } }
"""
LABELS = """.text
.globl _start
_start: .fill 16, 1, 0x90
.type second, @function
second: .fill 16, 1, 0x90
.size second, 16
.fill 16, 1, 0x90
last: .fill 16, 1, 0x90
.section behind, "ax", @progbits
.fill 16, 1, 0x90
"""


def build(name, *flags, compiler=CLANGXX):
    check(compiler, "-Wl,--build-id", *flags, SOURCE, "-o", work(name))
    return work(name)


def can_compile(*flags):
    return run(CLANGXX, *flags, "-Werror", "-c", SOURCE, "-o", work("tried.o")).returncode == 0


def returns(path):
    """Returns the return addresses of the calls in the code."""
    found, is_behind = [], False
    for line in check("objdump", "-d", "--no-show-raw-insn", path).splitlines():
        match = re.match(r"\s+([0-9a-f]+):\s+(\S+)", line)
        if match and is_behind:
            found.append(int(match[1], 16))
        is_behind = bool(match) and match[2].startswith("call")
    return found


def build_id(path):
    return re.search(r"Build ID: (\w+)", check("readelf", "-n", path))[1]


def counters(count, **more):
    return dict.fromkeys(TOTALS, 0) | {"allocs": count, "alloc_bytes": 16 * count, "frees": count,
                                       "freed_bytes": 16 * count} | more


def report_of(module, addresses, id_, pid=1):
    """Writes a report as a program would, with an allocation without a site for each address."""
    sites = [{"id": f"{i + 1:016x}", "module": module, "sited": False, "function": None, "file": None, "line": 0,
              "column": 0, "callee": None, "type": None, "inlined": [], "address": hex(address)} |
             counters(1, max_live_blocks=1, max_live_blocks_within=0) for i, address in enumerate(addresses)]
    path = work("program.profile")
    with open(path, "wb") as file:
        file.write(profile({"program": module, "pid": pid, "inexact_reasons": [], "finished": True, "totals": counters(len(addresses)),
                            "peak_within": 0, "sites": sites, "modules": [{"path": module, "build_id": id_}]}))
    return path


def dump(module, addresses, *options, id_=None):
    return run(DUMP, "report", *options, report_of(module, addresses, id_))


def ours(module, addresses, *options, **more):
    """Returns (function, file, line) from the innermost frame on for each address, and stderr."""
    result = dump(module, addresses, "--format=json", *options, **more)
    if result.returncode:
        raise AssertionError(result.stderr)
    rows = json.loads(result.stdout)["sites"]
    return {int(row["address"], 16): [(place["function"], place["file"], place["line"])
                                      for place in [row] + row["inlined"]] for row in rows}, result.stderr


def theirs(module, addresses):
    asked = "".join(f"{module} {address - 1:#x}\n" for address in addresses)
    told = subprocess.run([SYMBOLIZER, "--output-style=JSON"], input=asked, capture_output=True, text=True).stdout
    return {address: [(place["FunctionName"], place["FileName"], place["Line"])
                      for place in json.loads(line).get("Symbol", [])]
            for address, line in zip(addresses, told.splitlines())}


def lines(places):
    return [(file and os.path.normpath(file), line) for _, file, line in places]


def base(name):
    """Returns the part of a name that all demanglers write alike."""
    return re.sub(r"[<(\[{' ].*", "", re.sub(r"^[\w<>, ]+[*&]? (?=std::|shapes::)", "", name or ""))


@unittest.skipUnless(os.path.exists(SYMBOLIZER), "there is no llvm-symbolizer to compare with")
class Builds(unittest.TestCase):
    def assert_same(self, path, least):
        addresses = returns(path)
        own, said = ours(path, addresses)
        other = theirs(path, addresses)
        known = [address for address in addresses if own[address][0][1]]
        self.assertEqual(said, "")
        self.assertGreater(len(known), least)
        for address in addresses:
            # For code without debug information llvm-symbolizer takes a file from the symbol table.
            if own[address][0][1] or other[address][0][2]:
                self.assertEqual(lines(own[address]), lines(other[address]), hex(address))
                # For names that libiberty cannot demangle, only the last part is compared.
                name, full = base(own[address][0][0]), base(other[address][0][0])
                self.assertTrue(name == full or name and full.endswith("::" + name), (hex(address), name, full))

    def all_of(self, compiler):
        for flags in (["-gdwarf-4", "-O0"], ["-gdwarf-4", "-O2", "-fPIC", "-shared"], ["-gdwarf-5", "-O0", "-no-pie"], ["-gdwarf-5", "-O2"],
                      ["-gdwarf-5", "-O2", "-ffunction-sections", "-Wl,--gc-sections"], ["-gdwarf-5", "-O2", "-g1"]):
            with self.subTest(flags=flags):
                self.assert_same(build("a", *flags, compiler=compiler), 60)

    def test_clang(self):
        self.all_of(CLANGXX)

    @unittest.skipUnless(GXX, "there is no g++")
    def test_gcc(self):
        self.all_of(GXX)

    def test_static(self):
        self.assert_same(build("static", "-O1", "-g", "-static"), 60)

    def test_inlined_chain(self):
        path = build("chain", "-O2", "-g")
        own, _ = ours(path, returns(path))
        chains = [[base(function) for function, _, _ in places] for places in own.values()]
        self.assertTrue([chain for chain in chains if chain[:3] == ["innermost", "middle", "outer"] and
                         chain[-1] == "main"], chains)

    def split(self, compiler, version, *flags):
        """Compiles in a separate folder, to which compilers write .dwo files."""
        folder = work(f"split-{os.path.basename(compiler)}-{version}{''.join(flags)}")
        os.makedirs(folder, exist_ok=True)
        check(compiler, "-Wl,--build-id", "-O2", "-gsplit-dwarf", "-gdwarf-" + version, *flags, "-c", SOURCE, "-o", "app.o",
              cwd=folder)
        check(compiler, "-Wl,--build-id", "app.o", "-o", "app", *[flag for flag in flags if flag.startswith("-no")], cwd=folder)
        return os.path.join(folder, "app")

    def test_split(self):
        """Inlined frames are in .dwo files, or in one package; without these the line table remains."""
        for compiler in filter(None, (CLANGXX, GXX)):
            for version in "4", "5":
                with self.subTest(compiler=compiler, version=version):
                    path = self.split(compiler, version)
                    addresses = returns(path)
                    self.assert_same(path, 60)
                    whole, _ = ours(path, addresses)
                    self.assertTrue([places for places in whole.values() if len(places) > 2])
                    if version == "5" and os.path.exists(DWP):
                        check(DWP, "-e", "app", "-o", "app.dwp", cwd=os.path.dirname(path))
                        os.rename(path[:-3] + "app.dwo", path[:-3] + "moved.dwo")
                        self.assertEqual(ours(path, addresses), (whole, ""))
                        os.unlink(path + ".dwp")
                        os.rename(path[:-3] + "moved.dwo", path[:-3] + "app.dwo")
                    # A .dwo file of another build is ignored.
                    other = self.split(compiler, version, "-O1")
                    shutil.copy(os.path.join(os.path.dirname(other), "app.dwo"), path[:-3] + "app.dwo")
                    got, said = ours(path, addresses)
                    self.assertIn("a .dwo file is missing", said)
                    self.assertEqual({address: lines(places)[0] for address, places in got.items()},
                                     {address: lines(places)[0] for address, places in whole.items()})

    def test_compressed(self):
        self.assert_same(build("zlib", "-O2", "-g", "-gz=zlib"), 60)

    def test_zstd(self):
        if not can_compile("-g", "-gz=zstd"):
            self.skipTest("this clang has no zstd")
        path = build("zstd", "-O2", "-g", "-gz=zstd")
        own, said = ours(path, returns(path))
        if said:
            self.assertIn("zstd", said)
            self.assertTrue([places for places in own.values() if places[0][0] == "main"])
        else:
            self.assert_same(path, 60)


class Separate(unittest.TestCase):
    """Debug information in a separate file."""
    def setUp(self):
        shutil.rmtree(WORK, ignore_errors=True)
        self.path = build("app", "-O2", "-g")
        self.id = build_id(self.path)
        self.addresses = returns(self.path)
        self.want, said = ours(self.path, self.addresses)
        self.assertEqual(said, "")
        check("objcopy", "--only-keep-debug", self.path, work("whole.debug"))
        check("strip", self.path)

    def assert_found(self, *options, **more):
        self.assertEqual(ours(self.path, self.addresses, *options, **more), (self.want, ""))

    def assert_unknown(self, *options, said="", **more):
        got, errors = ours(self.path, self.addresses, *options, **more)
        self.assertFalse([places for places in got.values() if places[0][1]])
        self.assertEqual(errors, said)

    def link(self, path):
        shutil.copy(work("whole.debug"), work(path))
        check("objcopy", "--add-gnu-debuglink=" + work(path), self.path)

    def by_id(self, folder):
        place = work(f"{folder}/.build-id/{self.id[:2]}/{self.id[2:]}.debug")
        return shutil.copy(work("whole.debug"), place)

    def test_nowhere(self):
        self.assert_unknown()

    def test_link_next_to_the_module(self):
        self.link("app.debug")
        self.assert_found()

    def test_link_in_folder(self):
        self.link("app.debug")
        os.makedirs(work(".debug"))
        os.rename(work("app.debug"), work(".debug/app.debug"))
        self.assert_found()

    def test_link_in_debug_directory(self):
        self.link("app.debug")
        os.makedirs(work("debug" + WORK))
        os.rename(work("app.debug"), work("debug" + WORK + "/app.debug"))
        self.assert_found("--debug-dir=" + work("debug"))

    def test_link_to_another_file(self):
        self.link("app.debug")
        with open(work("app.debug"), "ab") as file:
            file.write(b"\0")
        self.assert_unknown()

    def test_build_id(self):
        self.by_id("debug")
        self.assert_found("--debug-dir=" + work("debug"))
        self.assert_found("--debug-dir=" + work("debug"), id_=self.id)

    def test_module_is_gone(self):
        self.by_id("debug")
        os.unlink(self.path)
        self.assert_found("--debug-dir=" + work("debug"), id_=self.id)
        self.assert_unknown(id_=self.id,
                            said=f"allocsite-dump: {self.path}: no lines of it: No such file or directory\n")

    def test_module_has_changed(self):
        other = "0" * len(self.id)
        self.link("app.debug")
        self.assert_found(id_=self.id)
        got, said = ours(self.path, self.addresses, id_=other)
        self.assertFalse([places for places in got.values() if places[0][0]])
        self.assertEqual(said, f"allocsite-dump: {self.path}: no lines of it: has changed since the program ran: "
                               "its build id differs\n")

    def test_debug_file_of_another_build(self):
        place = self.by_id("debug")
        check("objcopy", "--remove-section=.note.gnu.build-id", place)
        self.assert_unknown("--debug-dir=" + work("debug"), id_=self.id)


    def test_sysroot(self):
        """The module, its separate debug file and the debug directory are all in the sysroot."""
        root, addresses = work("root"), self.addresses
        for place in "beside", "debug":
            shutil.rmtree(root, ignore_errors=True)
            self.link("app.debug")
            moved = root + self.path
            os.makedirs(os.path.dirname(moved))
            shutil.copy(self.path, moved)
            folder = os.path.dirname(moved) if place == "beside" else root + "/usr/lib/debug" + WORK
            os.makedirs(folder, exist_ok=True)
            os.rename(work("app.debug"), folder + "/app.debug")
            os.rename(self.path, work("hidden"))
            try:
                self.assert_found("--sysroot=" + root, id_=self.id)
                self.assert_unknown("--sysroot=" + work("none"), id_=self.id, said=
                                    f"allocsite-dump: {self.path}: no lines of it: No such file or directory\n")
            finally:
                os.rename(work("hidden"), self.path)

    def test_debuginfod(self):
        """Only if DEBUGINFOD_URLS is set; the served file must have the build id."""
        served = work(f"served/buildid/{self.id}/debuginfo")
        shutil.copy(work("whole.debug"), served)
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *arguments):
                pass
        handler = functools.partial(Handler, directory=work("served"))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            self.assert_unknown()
            os.environ.update(DEBUGINFOD_URLS=url, DEBUGINFOD_CACHE_PATH=work("cache"), DEBUGINFOD_TIMEOUT="10")
            if not ctypes.util.find_library("debuginfod"):
                self.skipTest("no libdebuginfod")
            self.assert_found()
            shutil.rmtree(work("cache"))
            check("objcopy", "--remove-section=.note.gnu.build-id", served)
            self.assert_unknown()
            shutil.rmtree(work("cache"))
            with socket.create_server(("127.0.0.1", 0)) as silent:
                os.environ.update(DEBUGINFOD_URLS=f"http://127.0.0.1:{silent.getsockname()[1]}", DEBUGINFOD_TIMEOUT="1")
                self.assert_unknown(said="allocsite-dump: DEBUGINFOD_URLS: Timer expired; asks for no further module\n")
        finally:
            os.environ.pop("DEBUGINFOD_URLS", None)
            server.shutdown()
            server.server_close()

    def test_mini_debug_info(self):
        """Functions that only .gnu_debugdata names; damaged, it is ignored."""
        def functions():
            return {base(places[0][0]) for places in ours(self.path, self.addresses)[0].values()}
        hidden = build("symbols", "-O2")
        self.path, self.addresses = hidden, returns(hidden)
        whole = functions()
        check("objcopy", "--only-keep-debug", "--keep-file-symbols", self.path, work("mini"))
        check("xz", "-f", "-k", work("mini"))
        check("strip", self.path)
        bare = functions()
        check("objcopy", "--add-section", ".gnu_debugdata=" + work("mini.xz"), self.path)
        self.assertEqual(functions(), whole)
        self.assertLess(len(bare & whole), len(whole))
        with open(work("mini.xz"), "r+b") as file:
            file.truncate(os.path.getsize(work("mini.xz")) // 2)
        check("objcopy", "--update-section", ".gnu_debugdata=" + work("mini.xz"), self.path)
        self.assertEqual(functions(), bare)


class PerfMap(unittest.TestCase):
    """JIT-compiled code, for which /tmp/perf-PID.map has names."""
    def test_names(self):
        # An id that is larger than that of any process.
        pid, path = 2 ** 22 + os.getpid(), f"/tmp/perf-{2 ** 22 + os.getpid()}.map"
        compiled = report_of("[no module]", [0x1001, 0x1011, 0x1020, 0x1031, 0x5000], None, pid)
        try:
            for contents, want in (("", [None] * 5),
                                   ("1000 10 old\nzz\n1010 10 js:~f (a.js:1)\r\n1000 10 LazyCompile:g x\n0x30 1 y\n1020 -1 z\n",
                                    ["LazyCompile:g x", "js:~f (a.js:1)?", "js:~f (a.js:1)?", None, None])):
                with open(path, "w", newline="") as file:
                    file.write(contents)
                rows = json.loads(run(DUMP, "report", "--format=json", compiled).stdout)["sites"]
                names = {int(row["address"], 16): row["function"] for row in rows}
                self.assertEqual([names[address] and names[address].replace("\r", "?") for address in sorted(names)], want)
                text = run(DUMP, "report", compiled).stdout
                self.assertEqual("LazyCompile:g x" in text, bool(contents))
            os.rename(path, work("elsewhere"))
            os.symlink(work("elsewhere"), path)
            self.assertNotIn("LazyCompile", run(DUMP, "report", compiled).stdout)
        finally:
            os.unlink(path)


class Symbols(unittest.TestCase):
    """Names without debug information."""
    def test_symbol_table(self):
        path = build("symbols", "-O2")
        own, said = ours(path, returns(path))
        self.assertEqual(said, "")
        functions = {base(places[0][0]) for places in own.values()}
        self.assertTrue({"main", "shapes::Box"} <= functions, functions)

    def test_dynamic_symbols(self):
        path = build("dynamic.so", "-O2", "-shared", "-fPIC")
        check("strip", path)
        own, _ = ours(path, returns(path))
        self.assertIn("main", {places[0][0] for places in own.values()})

    def test_versions(self):
        """A symbol table appends versions to names (open_it@@NEW_1)."""
        path = work("versioned.so")
        with open(work("versioned.cpp"), "w") as file:
            file.write(VERSIONED)
        with open(work("versioned.map"), "w") as file:
            file.write("OLD_1 { global: open_it; }; NEW_1 { global: open_it; _ZN5outer5innerEi; local: *; } OLD_1;\n")
        check(CLANGXX, "-O1", "-shared", "-fPIC", f"-Wl,--version-script={work('versioned.map')}", work("versioned.cpp"),
              "-o", path)
        begins = {line.split()[2]: int(line.split()[0], 16) for line in check("nm", path).splitlines()
                  if re.search(" [Tt] .*@", line)}
        self.assertLessEqual({"open_it@OLD_1", "open_it@@NEW_1", "_ZN5outer5innerEi@@NEW_1"}, set(begins))
        own, said = ours(path, [begin + 1 for begin in begins.values()])
        self.assertEqual((said, {name: own[begin + 1][0][0] for name, begin in begins.items()}),
                         ("", {"open_it@OLD_1": "open_it", "open_it@@NEW_1": "open_it",
                               "_ZN5outer5innerEi@@NEW_1": "outer::inner(int)"}))

    def test_stripped(self):
        """Beginnings of functions, and static initializers, in position-independent files and others."""
        for name, flags in (("initialised.so", ["-shared", "-fPIC"]), ("initialised", ["-no-pie"])):
            path = work(name)
            with open(work("initialised.cpp"), "w") as file:
                file.write(INITIALISED)
            check(CLANGXX, "-O1", *flags, work("initialised.cpp"), "-o", path)
            begins = {line.split()[2]: int(line.split()[0], 16) for line in check("nm", path).splitlines()
                      if len(line.split()) == 3}
            initialiser, hidden = begins["_GLOBAL__sub_I_initialised.cpp"], begins["_ZL6hiddenv"]
            check("strip", path)
            own, said = ours(path, [initialiser + 5, hidden + 5])
            self.assertEqual((said, [own[begin + 5][0][0] for begin in (initialiser, hidden)]),
                             ("", ["[static initialiser]", f"[function at {hidden:#x}]"]), name)

    def test_labels(self):
        """Symbols without a size end at the next symbol or at the end of their section."""
        with open(work("labels.s"), "w") as file:
            file.write(LABELS)
        path = work("labels")
        check(CLANGXX, "-nostdlib", "-static", "-Wl,--section-start=.text=0x500000,--section-start=behind=0x600000",
              work("labels.s"), "-o", path)
        own, _ = ours(path, [address + 1 for address in (0x500008, 0x500018, 0x500028, 0x500038, 0x600000)])
        self.assertEqual([own[address][0][0] for address in sorted(own)], ["_start", "second", None, "last", None])

    def test_none(self):
        path = build("bare", "-O2", "-fno-asynchronous-unwind-tables", "-fno-exceptions", "-Wl,--no-eh-frame-hdr")
        check("strip", path)
        addresses = returns(path)
        text = dump(path, addresses, "--top=0").stdout
        for address in addresses:
            self.assertIn(f"  {os.path.basename(path)}+{address:#x}\n", text)

    def test_text(self):
        path = build("text", "-O2", "-g")
        result = dump(path, returns(path), "--top=0")
        self.assertRegex(result.stdout, rf"\S*symbols\.cpp:\d+:\d+:\s+innermost \({os.path.basename(path)}\)\n"
                                        r" +called by middle ")

    def test_switched_off(self):
        path = build("off", "-O2", "-g")
        own, said = ours(path, returns(path), "--no-symbols")
        self.assertEqual((said, {places[0] for places in own.values()}), ("", {(None, None, 0)}))

    def test_by_function(self):
        path = build("by", "-O2", "-g")
        text = dump(path, returns(path), "--by=function", "--format=json").stdout
        functions = {row["function"] for row in json.loads(text)["rows"]}
        self.assertIn("innermost(int)", functions)

    def test_damaged(self):
        """However damaged the debug information is, rows have all calls. Rows are equal if their lines are damaged alike."""
        path = build("damaged", "-O2", "-g")
        addresses = returns(path)
        def calls(result):
            return sum(int(row["allocs"]) for row in csv.DictReader(io.StringIO(result.stdout)))
        whole = calls(dump(path, addresses, "--format=csv", "--line=site"))
        self.assertGreaterEqual(whole, len(addresses))
        with open(path, "rb") as file:
            good = file.read()
        header = check("readelf", "-SW", path)
        for name in (".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".symtab"):
            offset, size = [int(x, 16) for x in re.search(rf" \{name} +\S+ +\S+ (\S+) (\S+)", header).groups()]
            for step in (1, 7, 100):
                bad = bytearray(good)
                bad[offset:offset + size:step] = b"\x83" * len(bad[offset:offset + size:step])
                with open(path, "wb") as file:
                    file.write(bad)
                result = dump(path, addresses, "--format=csv", "--line=site")
                self.assertEqual(result.returncode, 0)
                self.assertEqual(calls(result), whole)
                self.assertLessEqual(result.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
