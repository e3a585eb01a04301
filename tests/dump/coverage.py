# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump report --unused and --coverage: the sites of a program that have run.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment."""
import csv
import io
import json
import os
import shutil
import subprocess
import unittest

from runs import CC, WORK, dump, work, written

# Each letter calls one site: "x" runs all functions that its letters name. The numbers of the calls' lines are below.
PROGRAM = """#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "part.h"
static void *volatile sink;
static int is_asked(int count, char **names, const char *name) { return count > 1 && strstr(names[1], name); }
int main(int count, char **names) {
    if (is_asked(count, names, "m")) sink = malloc(10);
    if (is_asked(count, names, "r")) sink = realloc(sink, 20);
    if (is_asked(count, names, "c")) sink = calloc(1, 30);
    if (is_asked(count, names, "f")) { free(sink); sink = 0; }
    if (is_asked(count, names, "h")) part(&sink);
    if (is_asked(count, names, "g")) part(&sink);
    if (is_asked(count, names, "l")) {
        void *library = dlopen(names[2], RTLD_NOW);
        void (*function)(void) = library ? (void (*)(void))dlsym(library, "in_library") : abort;
        function();
    }
    if (is_asked(count, names, "o")) {
        void *library = dlopen(names[2], RTLD_NOW);
        if (!library) abort();
        if (is_asked(count, names, "q")) dlclose(library);
    }
    if (is_asked(count, names, "w")) { puts("ready"); fflush(stdout); getchar(); }
    return 0;
}
"""
PART = """#include <stdlib.h>
static inline __attribute__((always_inline)) void part(void *volatile *to) {
    *to = malloc(4);
}
"""
LIBRARY = """#include <stdlib.h>
void *volatile kept;
void in_library(void) { kept = malloc(1); }
void unused(void) { kept = malloc(2); }
"""
LINKED = """#include <stdlib.h>
void *linked(void) { return malloc(3); }
"""
LINES = {"m": 9, "r": 10, "c": 11}


def build(folder="app", flags=("-O2",)):
    written(f"{folder}/program.c", PROGRAM)
    written(f"{folder}/part.h", PART)
    written(f"{folder}/library.c", LIBRARY)
    written(f"{folder}/linked.c", LINKED)
    for command in (["-shared", "-fPIC", "library.c", "-o", "library.so"],
                    ["-shared", "-fPIC", "linked.c", "-o", "linked.so"], ["program.c", "-o", "program", "-ldl"],
                    ["program.c", "-Wl,--no-as-needed", "./linked.so", "-o", "with_linked", "-ldl"]):
        subprocess.run([CC, "-g", "-Wl,--build-id", *flags, *command], check=True, cwd=work(folder))


def run(name, letters, folder="app", options="profile={}:report=none", program="program"):
    path = work(f"{folder}/{name}")
    subprocess.run([f"./{program}", letters, work(f"{folder}/library.so")], check=True, cwd=work(folder),
                   env={**os.environ, "ALLOCSITE_OPTIONS": options.format(path)})
    return path


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    build()


def document(what, *paths, status=0):
    result = dump("report", f"--{what}", "--format=json", *paths)
    if result.returncode != status or (not status and result.stderr):
        raise AssertionError(f"status {result.returncode}\n{result.stderr}")
    return json.loads(result.stdout)


def unused(*paths, **options):
    """Returns the line, and the line of the caller that it is inlined into."""
    sites = document("unused", *paths, **options)["sites"]
    return sorted([site["line"]] + [caller["line"] for caller in site["inlined"]][-1:] for site in sites)


class Unused(unittest.TestCase):
    ALL = [[3, 13], [3, 14], [9], [10], [11]]

    def test_each_site_alone(self):
        self.assertEqual(unused(run("none", "_")), self.ALL)
        for letter, line in LINES.items():
            self.assertEqual(unused(run(letter, letter)), [site for site in self.ALL if site != [line]], letter)

    def test_copies_of_an_inlined_call_are_told_apart(self):
        self.assertEqual(unused(run("h", "h")), [site for site in self.ALL if site != [3, 13]])
        self.assertEqual(unused(run("all", "mrchg")), [])

    def test_several_processes(self):
        self.assertEqual(unused(run("first", "mc"), run("second", "cg")), [[3, 13], [10]])

    def test_a_merged_profile(self):
        merged = work("app/merged")
        result = dump("merge", "-o", merged, run("first", "mc"), run("second", "cg"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(unused(merged), [[3, 13], [10]])

    def test_frees_are_no_sites_to_cover(self):
        found = document("unused", run("freed", "mf"))
        self.assertEqual({site["kind"] for site in found["sites"]}, {"alloc", "realloc"})
        self.assertEqual((found["total"], found["ran"]), (5, 1))

    def test_a_library_that_was_opened(self):
        found = document("unused", run("library", "ml"))
        names = [(os.path.basename(site["module"]), site["line"]) for site in found["sites"] if site["function"] == "unused"]
        self.assertEqual(names, [("library.so", 4)])
        self.assertNotIn("in_library", [site["function"] for site in found["sites"]])
        self.assertEqual(sorted((os.path.basename(module["module"]), module["sites"], module["ran"])
                                for module in found["modules"]), [("library.so", 2, 1), ("program", 5, 1)])

    def test_a_running_process(self):
        with subprocess.Popen(["./program", "cw"], cwd=work("app"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env={**os.environ, "ALLOCSITE_OPTIONS": "report=none"}) as process:
            process.stdout.readline()
            found = unused(f"pid:{process.pid}")
            process.stdin.close()
        self.assertEqual(found, [site for site in self.ALL if site != [11]])

    def test_text(self):
        result = dump("report", "--unused", run("text", "h"), cwd=work("app"))
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], r"^allocsite: .*/app/program, pid \d+$")
        self.assertEqual(lines[1], "sites: 1 of 5 have run (20.0%)")
        self.assertEqual([line.split() for line in lines[2:]],
                         [["part.h:3:11:", "part", "->", "malloc"], ["called", "by", "main", "(program.c:14)"],
                          ["program.c:9:45:", "main", "->", "malloc"], ["program.c:10:45:", "main", "->", "realloc"],
                          ["program.c:11:45:", "main", "->", "calloc"]])

    def test_forms_agree(self):
        path = run("forms", "mh")
        table = csv.DictReader(io.StringIO(dump("report", "--unused", "--format=csv", path).stdout, newline=""))
        self.assertEqual([{**row, "type": row["type"] or None} for row in table],
                         [{name: str(site[name]) if isinstance(site[name], int) else site[name]
                           for name in ("file", "line", "column", "function", "callee", "type", "kind", "module", "id")}
                          for site in document("unused", path)["sites"]])
        self.assertEqual(dump("report", "--unused", "--format=markdown", path).stdout.count("| `malloc`"), 0)
        self.assertRegex(dump("report", "--unused", "--format=markdown", path).stdout,
                         r"\| .*part\.h:3:11`: `part` -> `malloc`<br>called by `main` \(`.*program\.c:14`\) \| ")


class WithoutAllocations(unittest.TestCase):
    """Modules that were loaded and whose sites never ran."""

    def modules(self, *paths):
        return sorted((os.path.basename(module["module"]), module["sites"], module["ran"])
                      for module in document("unused", *paths)["modules"] if module["sites"])

    def test_the_program(self):
        self.assertEqual(self.modules(run("program_alone", "_")), [("program", 5, 0)])

    def test_libraries_that_it_is_linked_with(self):
        expected = [("linked.so", 1, 0), ("with_linked", 5, 1)]
        first = run("linked", "m", program="with_linked")
        self.assertEqual(self.modules(first), expected)
        merged = work("app/merged")
        self.assertEqual(dump("merge", "-o", merged, first, run("second", "m", program="with_linked")).returncode, 0)
        self.assertEqual(self.modules(merged), expected)

    def test_libraries_that_it_opens(self):
        for letters in ("mo", "moq"):
            self.assertEqual(self.modules(run(letters, letters)), [("library.so", 2, 0), ("program", 5, 1)], letters)

    def test_a_killed_program(self):
        path = work("app/killed")
        with subprocess.Popen(["./with_linked", "mw"], cwd=work("app"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env={**os.environ, "ALLOCSITE_OPTIONS": f"report=none:profile={path}"}) as process:
            process.stdout.readline()
            running = self.modules(f"pid:{process.pid}")
            process.kill()
        self.assertEqual(running, [("linked.so", 1, 0), ("with_linked", 5, 1)])
        self.assertEqual(self.modules(path), running)


class Coverage(unittest.TestCase):
    def test_by_file(self):
        found = document("coverage", run("one", "mhl"))
        self.assertEqual([(os.path.basename(file["file"]), file["sites"], file["ran"], file["percent"])
                          for file in found["files"]],
                         [("library.c", 2, 1, 50.0), ("part.h", 2, 1, 50.0), ("program.c", 3, 1, 33.3)])
        self.assertEqual((found["total"], found["ran"]), (7, 3))

    def test_text(self):
        text = dump("report", "--coverage", run("one", "mh"), cwd=work("app")).stdout.splitlines()
        self.assertEqual([line.split() for line in text[2:]],
                         [["sites", "ran", "share", "file"], ["2", "1", "50.0%", "part.h"],
                          ["3", "1", "33.3%", "program.c"], ["5", "2", "40.0%", "total"]])
        self.assertEqual(len({line.rindex("  ") for line in text[2:]}), 1)

    def test_forms_agree(self):
        path = run("one", "mh")
        table = csv.DictReader(io.StringIO(dump("report", "--coverage", "--format=csv", path).stdout, newline=""))
        self.assertEqual([{**row} for row in table], [{name: str(value) for name, value in file.items()}
                                                      for file in document("coverage", path)["files"]])
        self.assertIn("| 5 | 2 | 40.0% | total |", dump("report", "--coverage", "--format=markdown", path).stdout)


class Files(unittest.TestCase):
    """Modules whose files are missing or have changed."""

    def refused(self, path, text):
        result = dump("report", "--unused", path)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
        self.assertIn(text, result.stderr)
        self.assertIn("modules: 1 has sites that are not known\n", result.stdout)
        self.assertIn("sites: 0 of 0 have run (-)\n", result.stdout)

    def test_a_file_that_is_gone(self):
        build("gone")
        path = run("profile", "m", "gone")
        os.unlink(work("gone/program"))
        self.refused(path, "gone/program: its sites are not known: No such file or directory")
        self.assertEqual(document("coverage", path, status=1)["modules"][0]["unknown"], "No such file or directory")

    def test_a_file_that_has_changed(self):
        build("changed")
        path = run("profile", "m", "changed")
        build("changed", ["-O1", "-DOTHER"])
        self.refused(path, "changed/program: its sites are not known: has changed")

    def test_a_file_that_has_changed_without_build_id(self):
        build("other", ["-Wl,--build-id=none"])
        path = run("profile", "mrc", "other")
        self.assertEqual(unused(path), [[3, 13], [3, 14]])
        shutil.copy(work("app/library.so"), work("other/program"))
        self.refused(path, "has changed since the program ran: it has not all of the sites that did")

    def test_no_elf_file(self):
        build("text")
        path = run("profile", "m", "text")
        os.unlink(work("text/program"))
        written("text/program", "#!/bin/sh\n")
        self.refused(path, "not an ELF file")


class StandardLibrary(unittest.TestCase):
    def test_its_headers_are_left_out(self):
        written("c++/program.cpp", "#include <vector>\nint main(int count, char **) {\n    std::vector<int> all;\n"
                "    all.push_back(1);\n    if (count > 9)\n        all.reserve(count);\n}\n")
        subprocess.run([f"{CC}++", "-g", "-O0", "program.cpp", "-o", "program"], check=True, cwd=work("c++"))
        path = run("profile", "_", folder="c++")
        found = document("unused", path)
        self.assertEqual(found["sites"], [])
        self.assertEqual((found["total"], found["ran"]), (1, 1))


class Usage(unittest.TestCase):
    def test_incompatible_options(self):
        path = run("usage", "m")
        for arguments in (["--unused", "--by=file"], ["--coverage", "--by=site"], ["--unused", "--coverage"],
                          ["--unused", "--top=3"], ["--coverage", "--sort=live"], ["--unused", "--leaks"],
                          ["--unused", "--pairs"], ["--coverage", "--min-bytes=1"], ["--unused=1"],
                          ["--unused", "--format=xml"], ["--unused", "--padding"]):
            result = dump("report", *arguments, path)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), arguments)

    def test_no_file(self):
        self.assertEqual(dump("report", "--unused").returncode, 2)
        result = dump("report", "--unused", work("absent"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))


if __name__ == "__main__":
    unittest.main()
