# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks: the program's functions that are called at events receive the counted values and do not affect counts. The
examples are those of allocsite-api.3."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

RUNTIME = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "rt", "lib")
THREADS, ROUNDS = 4, 1000

PARSER = """\
#include <stdlib.h>
#include <stdio.h>
static void *volatile sink;
void __attribute__((noinline)) parse(void) {
    sink = malloc(10);
    free(sink);
}
int main(void) {
    for (int i = 0; i < 3000; i++)
        parse();
    sink = malloc(3 << 20);
    puts("done");
}
"""


def examples():
    """The programs in the section EVENTS compile and work."""
    text = open(os.path.join(RUNTIME, "allocsite-api.3")).read()
    section = text[text.index(".Sh EVENTS"):text.index(".Sh SEE ALSO")]
    programs = re.findall(r"\.Bd -literal -offset indent\n(#include.*?)\n\.Ed", section, re.S)
    return [program.replace("\\e", "\\") for program in programs]


def compiled(text, out, *options, compiler=None):
    with open(out + ".c", "w") as file:
        file.write(text)
    subprocess.run([compiler or f"{BIN}/allocsite-clang-{MAJOR}", "-O1", "-g", f"-I{RUNTIME}", out + ".c", "-o", out, *options],
                   check=True)
    return os.path.join(WORK, out)


def hooked(number):
    return compiled(examples()[number], "mine.so", "-shared", "-fPIC", compiler=CLANG)


def events():
    for variant in [], ["-static"], ["-O0"]:
        process = run([build("hook.c", "hook", f"-I{RUNTIME}", *variant)])
        report = report_of(process)
        blocks, each = THREADS * ROUNDS, sites(report, "hook.c")
        # pthread_create allocates once per thread for its line, and this memory is not freed.
        threads = [site for site in report["sites"] if site["sited"] and site["callee"] == "pthread_create"]
        created, created_bytes = sum(site["allocs"] for site in threads), sum(site["alloc_bytes"] for site in threads)
        expect("told", f"{blocks + created} {16 * blocks + created_bytes} {blocks} {700 * blocks} {blocks} {700 * blocks} "
               f"every {blocks // 10} stopped 1 nested 0\n", process.out)
        counted = [site for site in report["sites"] if site["sited"] and site["function"] == "work"]
        expect("counted", ((THREADS + 1) * ROUNDS,) * 2, tuple(sum(site[name] for site in counted) for name in ("allocs", "reallocs")))
        expect("of the function that is called", [], [site for site in report["sites"] if site["function"] == "see"])
        expect("exact", True, report["exact"])
        expect("lines", True, bool(each))


def tally():
    process = run([compiled(examples()[0], "tally")])
    expect("by type", ("3 struct session\n", 0), (process.out, process.returncode))


def logged():
    program, library = compiled(PARSER, "parser"), hooked(1)
    process = run([program], f"report=none:hook={library}")
    expect("output", ("done\n", 0), (process.out, process.returncode))
    expect("log", [("3145728", "11")], re.findall(r"^(\d+) bytes at .*/parser\.c:(\d+)$", process.err, re.M))
    process = run([program], "report=none:hook=./absent.so")
    expect("without it", ("done\n", 0), (process.out, process.returncode))
    expect("complaint", 1, process.err.count("allocsite: hook: "))


def frames():
    process = run([compiled(PARSER, "parser", "-rdynamic"), ], f"report=none:hook={hooked(2)}")
    expect("frames of parse", 3, len(re.findall(r"\(parse\+", process.err)))
    expect("and of main", 3, len(re.findall(r"\(main\+", process.err)))


def breaking():
    program = compiled(PARSER, "parser")
    options = "report=none:break='parse:1000'"
    process = run([program], options)
    expect("without a debugger", ("done\n", 0, "allocsite: break: reached, but no debugger is attached\n"),
           (process.out, process.returncode, process.err))
    if not shutil.which("gdb"):
        sys.exit(SKIPPED)
    found = subprocess.run(["gdb", "-batch", "-nx", "-ex", f"set environment ALLOCSITE_OPTIONS={options}",
                            "-ex", "set startup-with-shell off", "-ex", "run", "-ex", "backtrace", "-ex", "frame function main",
                            "-ex", "print i", program], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    expect("stops in parse", True, bool(re.search(r"#\d+ .* parse \(", found.stdout)) or found.stdout)
    expect("called by main", True, bool(re.search(r"#\d+ .* main \(", found.stdout)) or found.stdout)


def wrong():
    program = compiled(PARSER, "parser")
    for option in "break=parse", "break='parse:0'", "break=':5'":
        process = run([program], f"report=none:{option}")
        expect(option, ("done\n", 0, 1), (process.out, process.returncode, process.err.count("allocsite: ")))


main([events, tally, logged, frames, breaking, wrong])
