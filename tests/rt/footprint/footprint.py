# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the runtime takes of a thread's own memory: the static block of thread-local memory."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

THREAD_LOCAL_MOST = 256  # glibc keeps 1,664 for the libraries of all namespaces together
NAMESPACES = 4  # beside the program's own, as allocsite(7) says
GOMP = f"{LIBRARIES}/libgomp.so.1"  # 136 bytes

# In a Python that may already have loaded libraries with thread-local memory, as all extension modules are loaded.
OPEN_BOTH = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); ctypes.CDLL(sys.argv[2]).part(); print('done'); sys.exit(3)"


def library(*options):
    return build("part.c", "libpart.so", "-shared", "-fPIC", *options)


def sizes_of(command, pattern):
    return [int(size, 16) for size in re.findall(pattern, subprocess.check_output(command, text=True), re.MULTILINE)]


def thread_local_of(module):
    return sum(sizes_of(["readelf", "-lW", module], r"^ +TLS +(?:0x\w+ +){4}(0x\w+)"))


def thread_local():
    shared = thread_local_of(f"{LIB}/liballocsite.so")
    archive = sum(sizes_of(["readelf", "-SW", f"{LIB}/liballocsite.a"], r"\] \.t(?:data|bss)\S* +\w+ +\w+ +\w+ +(\w+)"))
    expect("liballocsite.so has some, and at most so much", True, 0 < shared <= THREAD_LOCAL_MOST)
    expect("so has the archive", True, 0 < archive <= THREAD_LOCAL_MOST)
    plain, static = (thread_local_of(build("../variants/program.c", name, "-static", plain=is_plain))
                     for name, is_plain in (("plain", True), ("static", False)))
    expect("a static program needs so much more", True, 0 < static - plain <= THREAD_LOCAL_MOST)


def opened_late():
    """An extension module after a library that has taken some of the static block."""
    if not os.path.exists(GOMP):
        sys.exit(SKIPPED)
    for options in [], ["-fallocsite-contexts"]:
        process = run([sys.executable, "-c", OPEN_BOTH, GOMP, library(*options)], "format=json:report=opened.json")
        check_behaviour(process)
        check_notes(load("opened.json"), "part.c")


def namespaces():
    """Each namespace has a runtime of its own, which reports."""
    for options in [], ["-fallocsite-contexts"]:
        part = library(*options)
        for is_plain in False, True:
            program = build("namespaces.c", "namespaces", "-ldl", *(options if not is_plain else []), plain=is_plain)
            process = run([program, part, str(NAMESPACES)])
            check_behaviour(process)
            reports = [load(path) for path in glob.glob("namespaces.*")]
            with_part = [report for report in reports if sites(report, "part.c")]
            expect("reports", (NAMESPACES + (not is_plain), NAMESPACES), (len(reports), len(with_part)))
            for report in with_part:
                check_notes(report, "part.c")
            for old in glob.glob("namespaces.*"):
                os.remove(old)


main([thread_local, opened_late, namespaces])
