# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fail=SITE:N: the named call fails as its documentation promises, once, and nothing else changes."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

NULL = "NULL, ENOMEM"
C = {"malloc": NULL, "calloc": NULL, "aligned_alloc": NULL, "memalign": NULL, "valloc": NULL, "strdup": NULL, "strndup": NULL,
     "of_none": NULL, "large": NULL, "posix_memalign": "ENOMEM", "realloc": NULL, "reallocarray": NULL}
# Functions whose sites have another name.
SITES = {"realloc": "realloc_by", "reallocarray": "reallocarray_by"}
LIBRARY = {"getline": "getline: -1", "asprintf": "asprintf: -1", "realpath": "realpath: NULL"}
CXX = {"one": "bad_alloc", "array": "bad_alloc", "aligned": "bad_alloc", "aligned_array": "bad_alloc", "nothrow": "NULL",
       "nothrow_array": "NULL", "nothrow_aligned": "NULL",
       "tried_again": "ok after the handler", "thrown_out": "bad_alloc after the handler",
       "kept_in": "NULL after the handler", "wide_again": "ok after the handler"}
VARIANTS = {"-O0": [""], "-O2": ["", ":sizes=1", ":pairs=1", ":lifetime=1", ":temporary=1", ":contexts_check=1"],
            "-fallocsite-contexts=0": ["", ":stack=8", ":sizes=1"], "-static": [""]}


def failing(program, site, more, number="", environment={}):
    """Runs the program with fail= and returns the lines of its output, after checks that hold for each failure."""
    process = run([program], f"format=json:report=%e.%p.json:fail='{site}{number}'{more}", environment=environment)
    report = report_of(process)
    expect(f"status and errors of {site}{number}{more}", (3, ""), (process.returncode, process.err))
    expect(f"failed calls of {site}{number}{more}", 1, report["totals"]["failed"])
    return dict(line.split(": ", 1) for line in process.out.splitlines())


def check(program, want, more, site_of=lambda name: SITES.get(name, name + "_case"), environment={}):
    plain = run([program], "report=none", environment=environment)
    ok = dict(line.split(": ", 1) for line in plain.out.splitlines())
    expect("without failures", {"ok"}, set(ok.values()))
    for name, how in want.items():
        for number in "", ":2":
            expected = {**ok, f"{name} {number[1:] or 1}": how}
            got = failing(program, site_of(name), more, number, environment)
            expect(f"{os.path.basename(program)} {name}{number}{more}", {}, {line: (expected.get(line), got.get(line)) for line in {**expected, **got}
                                                 if expected.get(line) != got.get(line)})


def c():
    for option, options in VARIANTS.items():
        program = build("fail.c", f"fail{option}", option)
        for more in options:
            check(program, C, more)


def cxx():
    for option, options in VARIANTS.items():
        program = build("fail.cpp", f"fail{option}", option)
        # The operator of a static program does not catch what a new handler throws.
        want = {name: how for name, how in CXX.items() if option != "-static" or name != "kept_in"}
        for more in options:
            check(program, want, more, lambda name: name)


def ids(program, function):
    """Returns the ids of the rows whose stacks have the function, from a plain run."""
    report = report_of(run([program], "format=json:report=%e.%p.json:stack=8:line=site"))
    return {stack["site"] for stack in report["stacks"] if any(frame["function"] == function for frame in stack["frames"])}


def allocators():
    """With another allocator. If it defines operator new, the new handler is not called."""
    c, cxx = build("fail.c", "fail"), build("fail.cpp", "failxx", "-O2")
    without_handler = {name: how for name, how in CXX.items() if "handler" not in how}
    for path in allocator_libraries():
        check(c, C, "", environment={"LD_PRELOAD": path})
        check(cxx, without_handler, "", lambda name: name, environment={"LD_PRELOAD": path})


def check_ids(program, want, function_of):
    plain = dict(line.split(": ", 1) for line in run([program], "report=none").out.splitlines())
    for case, how in want.items():
        results = []
        for site in ids(program, function_of(case)):
            process = run([program], f"report=none:fail={site}")
            results.append(dict(line.split(": ", 1) for line in process.out.splitlines()))
        if {**plain, f"{case} 1": how} not in results:
            wrong.append(f"{program}: none of the {len(results)} ids of {case} makes it fail")


def unsited():
    """The rows of a program that was not instrumented are named by their ids."""
    library = [f"-L{LIB}", f"-Wl,-rpath,{LIB}", "-Wl,--no-as-needed", "-lallocsite"]
    frames = ["-fno-omit-frame-pointer", "-fno-inline", "-fno-optimize-sibling-calls"]
    # realpath calls strdup, whose row has an earlier call.
    want = {name: how for name, how in {**C, **LIBRARY}.items() if name != "realpath"}
    check_ids(build("fail.c", "plain", *frames, *library, plain=True), want, lambda case: SITES.get(case, case + "_case"))
    more = {"string": "bad_alloc", "vector": "bad_alloc"}
    check_ids(build("fail.cpp", "plain", *frames, *library, plain=True), {**CXX, **more}, lambda case: f"{case}()")


def library():
    """The C library allocates on behalf of a program with sites."""
    for option in "-O0", "-O2":
        check_ids(build("fail.c", "fail", option), LIBRARY, lambda case: f"{case}_case")


def forms():
    program = build("fail.c", "fail")
    line = next(number for number, text in enumerate(open(source("fail.c")), 1) if "CASE(malloc)" in text)
    for site in f"fail.c:{line}", f"fail.c:{line}:1", f"fail.c:{line}:2":
        got = failing(program, site, "")
        expect(site, NULL, got["malloc 2" if site.endswith(":2") else "malloc 1"])
    for wrong_form in "'malloc_case:0'", "''", "@", "@12x", "':3'":
        process = run([program], f"report=none:fail={wrong_form}")
        expect(wrong_form, (3, True), (process.returncode, "option ignored" in process.err))
    process = run([program], "report=none:fail=nothing_of_this_name")
    expect("another name", {"ok"}, {line.split(": ", 1)[1] for line in process.out.splitlines()})
    process = run([program], "format=json:report=%e.%p.json:fail=malloc_case:owners=0")
    expect("owners=0", (1, True), (report_of(process)["totals"]["failed"], "owners=0" in process.err))


main([c, cxx, allocators, unsited, library, forms])
