# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stack walks, compared with records of the functions on the stack and with the compiler's unwinder."""
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

RUNTIME = [f"-I{HERE}/../../../rt", "-D_GNU_SOURCE"]
ARCHIVE = [f"{LIB}/liballocsite.a"]
NO_TABLES = "-fno-omit-frame-pointer -fno-exceptions -fno-asynchronous-unwind-tables -fno-unwind-tables"
VARIANTS = ("-O0", "-O2", "-O3 -fomit-frame-pointer", "-O2 -fno-omit-frame-pointer", f"-O2 {NO_TABLES}", "-O2 -mstackrealign",
            "-Os -fno-pie -no-pie", "-O1 -fcf-protection=full -fstack-protector-all")


def check_calls(variant, compiler):
    subprocess.run([compiler, "-std=c++17", "-g", "-w", "-pthread", *RUNTIME, *variant.split(), source("calls.cpp"), *ARCHIVE,
                    "-o", "calls"], check=True)
    process = run([f"{WORK}/calls"], "enabled=0")
    expect(f"{variant}: status", (0, ""), (process.returncode, process.err))
    told = re.fullmatch(r"(\d+) walks\n", process.out)
    expect(f"{variant}: wrong walks", None, None if told else process.out)
    expect(f"{variant}: walks", True, bool(told) and int(told[1]) > 500)


def clang():
    for variant in VARIANTS:
        check_calls(variant, CLANGXX)


def gcc():
    compiler = shutil.which("g++")
    if not compiler:
        sys.exit(SKIPPED)
    for variant in VARIANTS:
        if "realign" not in variant:  # which uses frame pointers only partly
            check_calls(variant, compiler)


def static():
    for variant in ("-O2 -static -Wl,--eh-frame-hdr", "-O2 -static -Wl,--eh-frame-hdr -Wl,--gc-sections", "-O2 -static-pie",
                    f"-O2 -static-pie {NO_TABLES}"):
        check_calls(variant, CLANGXX)


def modules():
    for name, size in (("liblinked.so", 1000), ("libone.so", 1000), ("libtwo.so", 2000)):
        build("library.c", name, "-shared", "-fPIC", f"-DSIZE={size}", plain=True)
    program = build("resolving.cpp", "resolving", *RUNTIME, *ARCHIVE, "./liblinked.so", "-Wl,-rpath," + WORK, "-Wl,-z,lazy", "-ldl",
                    plain=True)
    process = run([program], "enabled=0")
    expect("status", (0, "same address\n", ""), (process.returncode, process.out, process.err))


def observed():
    """Programs that make many allocations in many libraries."""
    # These programs must not use the archive's operator new, because a walk leaves out the runtime's frames.
    preloaded = build("observed.c", "observed.so", "-shared", "-fPIC", "-O2", *RUNTIME, *ARCHIVE, "-Wl,--exclude-libs,ALL", plain=True)
    compiling = [CLANGXX, "-std=c++17", "-O1", "-w", "-fsyntax-only", *RUNTIME, source("calls.cpp")]
    for command, every in (([sys.executable, "-c", "import json, re, sqlite3; print(json.dumps(list(range(9999))))"], 10),
                           (compiling, 100)):
        process = run(command, "enabled=0", environment={"LD_PRELOAD": preloaded, "EVERY": str(every)})
        told = re.findall(r"walks (\d+) frames (\d+) different (\d+) lost (\d+)", process.err)
        expect(f"{command[0]}: status", 0, process.returncode)
        expect(f"{command[0]}: walks", True, bool(told) and int(told[0][0]) > 100)
        for walks, frames, different, lost in told:
            expect(f"{command[0]}: of {walks} walks, {frames} frames", ("0", "0"), (different, lost))


main([clang, gcc, static, modules, observed])
