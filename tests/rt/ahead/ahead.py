# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another malloc preloaded before allocsite: no call bypasses the runtime, or the report says so."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import *

LINKS = {"default": [], "no_pie": ["-no-pie", "-fno-pie"], "now": ["-Wl,-z,now"], "lazy": ["-Wl,-z,lazy,-z,norelro"]}


def preload(*libraries):
    return {"LD_PRELOAD": " ".join(libraries)}


def shared(name):
    return build(name, f"lib{name.split('.')[0]}.so", "-shared", "-fPIC", "-fno-builtin", plain=True)


def allocs_of(report, module):
    """Returns the allocs of all callers in a module; empty if there is none."""
    allocs = [site["allocs"] for site in report["sites"] if not site["sited"] and site["module"] == module]
    return [sum(allocs)] if allocs else []


def check(what, program, environment, *arguments):
    lines = open(source("program.cpp")).read().splitlines()
    process = run([program, *arguments], environment=environment)
    report = report_of(process)
    check_behaviour(process)
    expect(f"{what}, exact", [], report["inexact_reasons"])
    check_notes(report, "program.cpp")
    opened = [counts for line, counts in sites(report, "program.cpp").items() if '"work"' in lines[line - 1]]
    expect(f"{what}, the library that comes later", [[(10, 40, 0, 0, 0)]] if arguments else [], opened)
    return process, report


def observed():
    """Counts are exact from the first constructor of any library on."""
    observer()
    library = shared("opened.cpp")
    for link, options in LINKS.items():
        program = build("program.cpp", f"program_{link}", *options)
        for arguments in (), (library,):
            process, report = check(link, program, preload(f"{WORK}/libobserver.so"), *arguments)
            check_observed(process, report)


def uninstrumented():
    """An uninstrumented program with allocsite preloaded as well."""
    observer()
    program = build("program.cpp", "plain", plain=True)
    process = run([program], environment=preload(f"{WORK}/libobserver.so", f"{LIB}/liballocsite.so"))
    report = report_of(process)
    check_behaviour(process)
    expect("exact", [], report["inexact_reasons"])
    check_observed(process, report)
    expect("allocations of the program, with the state of its thread", [10 + 10 + 1 + 7 + 1 + 1], allocs_of(report, program))


def allocators():
    """Their operators new and delete do not call malloc."""
    library = shared("opened.cpp")
    programs = {link: build("program.cpp", f"program_{link}", *options) for link, options in LINKS.items()}
    found = [path for name in ("jemalloc.so.2", "tcmalloc.so.4", "tcmalloc_minimal.so.4", "mimalloc.so.2.0")
             if os.path.exists(path := os.path.join(LIBRARIES, f"lib{name}"))]
    for allocator in found:
        for link, program in programs.items():
            what = f"{os.path.basename(allocator)}, {link}"
            check(what, program, preload(allocator), library)
            check_behaviour(run([program, library], "enabled=0", environment=preload(allocator)))
    if not found:
        sys.exit(SKIPPED)


def forwarding():
    """A malloc that looks up the next malloc finds the one after ours."""
    check("forwarding", build("program.cpp", "program"), preload(shared("forwards.c")))


def passed_by():
    """Freeing a block that bypassed the runtime is not reported as a fault."""
    process = run([build("program.cpp", "program"), "given"], environment=preload(shared("forwards.c")))
    report = report_of(process)
    check_behaviour(process)
    expect("reasons", [True], ["libforwards.so past allocsite" in reason for reason in report["inexact_reasons"]])


main([observed, uninstrumented, allocators, forwarding, passed_by])
