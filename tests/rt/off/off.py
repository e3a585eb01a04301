# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""With enabled=0, calls bypass the runtime completely, however they are linked."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from counted import per_pair
from harness import *

LINKS = {"default": [], "no_pie": ["-no-pie", "-fno-pie"], "now": ["-Wl,-z,now"], "no_plt": ["-Wl,-z,now", "-fno-plt"],
         "lazy": ["-Wl,-z,lazy,-z,norelro"]}
# Remaining cost of a pair of calls that pass a site each: the two instructions that load it.
SITES = 2


def counted():
    """Instructions per pair, which do not depend on the machine."""
    if not shutil.which("valgrind"):
        sys.exit(SKIPPED)
    pairs = os.path.join(HERE, "..", "..", "bench", "programs", "pairs.cpp")
    kinds = {"malloc": SITES, "strdup": SITES, "new_sized": SITES, "new_aligned": SITES, "realloc": 1}
    for link, options in LINKS.items():
        plain, counting = (build(pairs, f"{link}_{kind}", *options, "-fsized-deallocation", *only, plain=bool(not only))
                           for kind, only in (("plain", ()), ("sited", ["-fallocsite-contexts=0"])))
        for kind in kinds if link == "default" else ["malloc"]:
            added = per_pair(counting, kind, "enabled=0") - per_pair(plain, kind, "enabled=0")
            expect(f"instructions added to {kind}, {link}: at most {kinds[kind]}", True, -1 < added < kinds[kind] + 1)


def check_led_past(what, process):
    """Every function that the program refers to is bound outside the runtime."""
    leads = re.findall(r"^(\S+) (\S+)$", process.err, re.MULTILINE)
    expect(f"{what}, status", (3, "done\n"), (process.returncode, process.out))
    expect(f"{what}, functions", 14 * 2 + 5 * 2, len(leads))
    expect(f"{what}, functions that lead to the runtime or nowhere", [],
           [name for name, module in leads if module.startswith("liballocsite") or module == "none"])


def led():
    """Results of dlsym, and the bindings of the program and of a library that is loaded later."""
    allocators = [path for name in ("jemalloc.so.2", "tcmalloc.so.4", "mimalloc.so.2.0")
                  if os.path.exists(path := os.path.join(LIBRARIES, f"lib{name}"))]
    library = build("led.cpp", "libled.so", "-shared", "-fPIC", "-DLIBRARY")
    for link, options in LINKS.items():
        program = build("led.cpp", f"led_{link}", *options)
        for preloaded in "", *allocators:
            check_led_past(f"{link} {preloaded}", run([program, library], "enabled=0", environment={"LD_PRELOAD": preloaded}))


def outcome(name, *options, plain):
    name = os.path.join(HERE, "..", name)
    process = run([build(name, "program", *options, plain=plain), build("led.cpp", "libled.so", "-shared", "-fPIC", "-DLIBRARY")],
                  "enabled=0")
    return process.returncode, process.out


def behaviour():
    """Replaced operators, static programs, forks, threads and jumps behave as without allocsite."""
    for name in "threads.cpp", "replaced.cpp", "jumps.cpp", "streams.cpp", "forks.c":
        for options in ((), ("-static",)):
            expect(f"{name} {options}", *(outcome(f"process/{name}", *options, plain=plain) for plain in (True, False)))
    expect("static C++ library", *(outcome("process/threads.cpp", "-static-libstdc++", plain=plain) for plain in (True, False)))


def opened():
    """A library that brings the runtime into a running process."""
    library = build("../process/opened.c", "libopened.so", "-shared", "-fPIC")
    check_behaviour(run([build("../process/opener.c", "opener", "-ldl", plain=True), library], "enabled=0"))


main([counted, led, behaviour, opened])
