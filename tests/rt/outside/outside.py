# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocations of libraries built without the plugin are attributed to the program's calling line. The program's own
books have the amount per line; an observer behind allocsite counts the total."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

TEXT = open(source("outside.c")).read().splitlines()
TAKES = next(number for number, line in enumerate(TEXT, 1) if "return malloc(n);" in line)
OBSTACKS = range(next(number for number, line in enumerate(TEXT, 1) if "void grow(" in line),
                 next(number for number, line in enumerate(TEXT, 1) if "void *work(" in line))


DEEP = next(number for number, line in enumerate(TEXT, 1) if "too deep" in line)


def check(program, options, takes=False, deep=0, is_observed=True):
    """takes: obstacks are attributed to the function that they call back. deep: number of deepest calls that are known."""
    process = run([program], "format=json:report=%e.%p.json:" + options)
    report = report_of(process)
    expect("status", (3, ""), (process.returncode, process.err))
    expect("exact", [], report["inexact_reasons"])
    if is_observed:
        check_observed(process, report)
    books, counted, others = collections.Counter(), collections.Counter(), collections.Counter()
    for line, allocs, reallocs in (map(int, line.split()) for line in process.out.splitlines()):
        line = TAKES if takes and line in OBSTACKS else line
        books.update({(line, "allocs"): allocs, (line, "reallocs"): reallocs})
    for row in rows(report):
        if row["module"] == program and not row["line"]:  # from the start of a static program
            others["libstdc++ and libc"] += row["allocs"]
        elif row["module"] != program:
            others[os.path.basename(row["module"])] += row["allocs"]
        elif "pthread_create" not in TEXT[row["line"] - 1]:  # a thread may reuse an earlier one's stack
            counted.update({(row["line"], counter): row[counter] for counter in ("allocs", "reallocs")})
    books[DEEP, "allocs"] = deep
    expect(f"lines with {options}", +books, +counted)
    expect("too deep", 10 - deep, others.pop("libplain.so", 0))
    others.pop("ld-linux-x86-64.so.2", 0)  # threads' memory, attributed to the loader
    expect("other modules", {}, {name: count for name, count in others.items() if not name.startswith("libstdc++")})
    return report


def programs(*variants):
    subprocess.run([CLANG, "-O1", "-g", "-fPIC", "-shared", source("library.c"), "-o", "libplain.so"], check=True)
    text = open(source("outside.c")).read()
    open("outside.cpp", "w").write(text.replace("sink = obstack", "sink = (void *)obstack"))
    behind = observer()
    for number, (language, *options) in enumerate(variants):
        path = os.path.join(WORK, "outside.cpp") if language == "c++" else source("outside.c")
        yield build(path, f"outside{number}", f"-I{HERE}", *options, f"-L{WORK}", "-lplain", f"-Wl,-rpath,{WORK}", *behind)


def sites():
    for number, program in enumerate(programs(("c", "-O2", "-fallocsite-contexts=0"), ("c++", "-O0", "-DOWN", "-fallocsite-contexts=0"))):
        for options in "", "stack=8", "pairs=1:sizes=1":
            check(program, options, takes=number == 1 and "stack" not in options)


def contexts():
    for program in programs(("c", "-O2", "-DOWN"), ("c++", "-O2")):
        for options in "", "contexts_check=1":
            check(program, options, deep=10)


def static():
    """Archives without debug information, including the C library, are in the program's own module."""
    subprocess.run([CLANG, "-O1", "-c", source("library.c"), "-o", "plain.o"], check=True)
    for level in "-O0", "-O2":
        check(build("outside.c", f"static{level}", f"-I{HERE}", level, "-static", "plain.o"), "", deep=10, is_observed=False)


main((sites, contexts, static))
