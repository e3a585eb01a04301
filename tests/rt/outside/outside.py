# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What libraries without the plugin allocate is counted for the program's line that called them. The program's own
books tell how much that is for each line; an observer behind allocsite counts the whole."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

SYMBOLIZER = os.path.join(os.path.dirname(CLANG), "llvm-symbolizer")


def line_of(program, address):
    """The call is before the address that it returns to."""
    told = subprocess.run([SYMBOLIZER, "--no-inlines", "--obj=" + program, hex(int(address, 16) - 1)], capture_output=True,
                          text=True, check=True).stdout.splitlines()
    return int(told[1].split(":")[1])


def check(program, options):
    process = run([program], "format=json:report=%e.%p.json:" + options)
    report = report_of(process)
    expect("status", (3, ""), (process.returncode, process.err))
    expect("exact", [], report["inexact_reasons"])
    check_observed(process, report)
    books = {line: [allocs, reallocs] for line, allocs, reallocs in (map(int, line.split()) for line in process.out.splitlines())}
    counted = collections.defaultdict(lambda: [0, 0])
    for row in report["sites"]:
        if row["module"] == program and not row["sited"] and (row["allocs"] or row["reallocs"]):
            line = line_of(program, row["address"])
            counted[line] = [counted[line][0] + row["allocs"], counted[line][1] + row["reallocs"]]
    expect(f"lines with {options}", books, dict(counted))
    others = collections.Counter()
    for row in report["sites"]:
        if row["module"] != program:
            others[os.path.basename(row["module"])] += row["allocs"]
    expect("too deep", 10, others.pop("libplain.so"))
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
    for program in programs(("c", "-O2"), ("c++", "-O0", "-DOWN")):
        for options in "", "stack=8", "pairs=1:sizes=1":
            check(program, options)


def contexts():
    for program in programs(("c", "-O2", "-fallocsite-contexts", "-DOWN"), ("c++", "-O2", "-fallocsite-contexts")):
        for options in "", "contexts_check=1":
            check(program, options)


main((sites, contexts))
