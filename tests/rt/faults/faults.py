# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory errors are reported at once and in the report, and correct programs get no reports."""
import glob
import os
import re
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

PROGRAM = "faults.cpp"
# The text for a fault, by its name in JSON.
SAYS = dict(re.findall(r'X\(FAULT_\w+, "(\w+)", "([^"]+)"\)', open(source("../../../rt/model/counters.h")).read()))
# glibc detects these and aborts.
ABORTED = {"free_twice", "free_large_twice", "delete_twice", "free_unsited", "free_stack", "free_static", "free_inside",
           "free_inside_large", "free_misaligned"}
# The address is unmapped, so every allocator crashes.
DEADLY = {"free_number"}
SAID_MOST = 20


class Mistake:
    """A case of faults.cpp, as its comments describe it."""
    def __init__(self):
        self.owner = self.by = None
        self.kind, self.count = "", 1


def mistakes():
    found = collections.defaultdict(Mistake)
    for number, line in enumerate(open(source(PROGRAM)), 1):
        comment = line.partition("//")[2]
        for name in re.findall(r"gives (\w+)", comment):
            found[name].owner = number
        for name, how, kind, count in re.findall(r"(\w+) (is|unsited) (double_free|foreign|\w*mismatch)(?: (\d+))?",
                                                 comment):
            mistake = found[name]
            mistake.by, mistake.kind, mistake.count = number if how == "is" else None, kind, int(count or 1)
    expect("cases of the program", set(re.findall(r"CASE\((\w+)\)", open(source(PROGRAM)).read())) - {"name", "many"},
           set(found))
    return found


def faults_of(report):
    owners = {site["id"]: site["line"] for site in report["sites"] if (site["file"] or "").endswith(PROGRAM)}
    sited = {site["id"]: site["line"] for site in report["sites"] if site["sited"]}
    return [(fault["kind"], owners.get(fault["owner"]), sited.get(fault["by"]), fault["count"]) for fault in report["faults"]]


def check_said(name, mistake, errors):
    said = [line for line in errors.splitlines() if line.startswith("allocsite: ")]
    expect(f"{name}: lines", 1, len(said))
    line = "".join(said)
    expect(f"{name}: says", (True, True, True),
           (SAYS[mistake.kind] in line, mistake.by is None or f"{PROGRAM}:{mistake.by}" in line,
            mistake.owner is None or f"it came from" in line and f"{PROGRAM}:{mistake.owner}" in line))


def check_told(name, mistake, process):
    """Checks the final report, which replaces the lines about faults."""
    expect(f"{name}: status and errors", (3, True), (process.returncode, "allocsite: " not in process.err))
    if process.returncode != 3:
        return
    report = report_of(process, faulty=True)
    expect(f"{name}: faults", [(mistake.kind, mistake.owner, mistake.by, mistake.count)], faults_of(report))
    expect(f"{name}: exact", [], report["inexact_reasons"])


def run_one(program, name, caught=False, **more):
    return run([program, name] + ["caught"] * caught, **more)


def said():
    """The line is printed before the allocator aborts or crashes."""
    program = build(PROGRAM, "faults")
    for name, mistake in mistakes().items():
        process = run_one(program, name)
        status = -signal.SIGSEGV if name in DEADLY else -signal.SIGABRT if name in ABORTED else 3
        expect(f"{name}: status", status, process.returncode)
        if status < 0:
            expect(f"{name}: nothing on standard error", False, "allocsite: " in process.err)
            check_said(name, mistake, open(f"{name_of(program)}.{process.pid}.json").read())
        for options in "report=stdout", "report=said.csv:format=csv", "report=said.txt:by=function", "report=said.txt:focus=main", "report=/dev/null":
            check_said(f"{name}, {options}", mistake, run_one(program, name, options=options).err)


def name_of(program):
    return os.path.basename(program)


def in_file():
    """Lines about faults are in the report's file before the report, and never replace another report."""
    program = build(PROGRAM, "faults")
    for old in glob.glob("app.report*"):
        os.remove(old)
    with open("app.report", "w") as file:
        file.write("of an earlier run")
    mistake = mistakes()["free_twice"]
    for path in "app.report", f"{WORK}/app.report":
        process = run_one(program, "free_twice", options=f"report={path}")
        expect("in the file: status and errors", (-signal.SIGABRT, False), (process.returncode, "allocsite: " in process.err))
        check_said("in the file", mistake, open("app.report").read())
    # If the process continues, the report has the path of the lines.
    process = run_one(program, "free_twice", caught=True, options="report=app.report")
    expect("replaced", (3, 1, 0), (process.returncode, len(re.findall("^FAULT: ", text := open("app.report").read(), re.MULTILINE)), text.count("allocsite: fault")))
    expect("no file is left over", ["app.report"], sorted(glob.glob("app.report*")))
    # Twenty lines in the order of the faults, which the report replaces.
    expect("many: errors", "", run_one(program, "many", options="report=app.report").err)
    expect("many: faults", 30, open("app.report").read().count("FAULT: "))
    # A report that another process wrote meanwhile stays; this process's lines and report share a number.
    process = run_one(program, "free_twice", caught=True, options="report=app.report", environment={"OVERWRITE": "app.report"})
    expect("beside another's", ("", 1, 1), (open("app.report").read(), len(found := glob.glob("app.report.*")),
           open(found[0]).read().count("FAULT: ") if found else None))


def told():
    """If the process continues, the report has the fault: with glibc if the program catches SIGABRT, and with
    allocators that ignore it."""
    program = build(PROGRAM, "faults")
    lenient = build(PROGRAM, "lenient", *observer())
    for name, mistake in mistakes().items():
        if name in DEADLY:
            continue
        check_told(f"{name} with glibc", mistake, run_one(program, name, caught=True))
        check_told(f"{name} with a lenient allocator", mistake, run_one(lenient, name))


def told_allocators():
    for library in allocator_libraries():
        allocator = os.path.basename(library).split(".")[0]
        program = build(PROGRAM, allocator, "-Wl,--no-as-needed", library)
        for name, mistake in mistakes().items():
            if mistake.kind == "foreign":
                continue  # their behaviour is undefined
            process = run_one(program, name, caught=True)
            check_told(f"{name} with {allocator}", mistake, process)


def many():
    """Each pair is printed once, up to a limit."""
    program = build(PROGRAM, "faults")
    process = run_one(program, "many")
    expect("faults", 30, len(report_of(process, faulty=True)["faults"]))
    expect("lines", SAID_MOST, run_one(program, "many", options="report=stdout").err.count(SAYS["mismatch"]))
    for options in "report=none", "enabled=0":
        expect(options, (3, ""), ((process := run_one(program, "many", options=options)).returncode, process.err))
    text = run_one(program, "new_free", options="format=text").err
    expect("the text report names both places", 2, len(re.findall(rf"{PROGRAM}:{mistakes()['new_free'].by}", text)) // 2)


def check_right(what, program, observed=True):
    for options in "format=json:report=%e.%p.json", "format=json:report=%e.%p.json:pairs=1:sizes=1":
        process = run([program], options)
        report = report_of(process)
        check_behaviour(process)
        expect(f"{what}, exact", [], report["inexact_reasons"])
        if observed:
            check_observed(process, report)


def operators():
    for how in "NONE", "BY_MALLOC", "NEW_ONLY", "DELETE_ONLY", "BEHIND_A_HEADER", "IN_AN_ARENA", "ALIGNED_ONLY":
        check_right(how, build("operators.cpp", how.lower(), f"-D{how}", "-fsized-deallocation", *observer()))
        for link in "-static", "-static-libstdc++":
            check_right(f"{how}, {link}", build("operators.cpp", how.lower(), f"-D{how}", "-fsized-deallocation", link),
                        observed=False)


def operators_allocators():
    """The allocator's own operators, with the program's before them."""
    for library in allocator_libraries():
        for how in "NONE", "BY_MALLOC", "BEHIND_A_HEADER":
            program = build("operators.cpp", how.lower(), f"-D{how}", "-fsized-deallocation", "-Wl,--no-as-needed", library)
            check_right(f"{library}, {how}", program, observed=False)


def library():
    check_right("libraries", build("library.cpp", "library", *observer()))
    check_right("libraries, under glibc", build("library.cpp", "library"), observed=False)


main([said, in_file, told, told_allocators, many, operators, operators_allocators, library])
