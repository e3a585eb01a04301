# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GNU binutils, a large C program: binutils.py BIN TARBALL WORK (BIN has allocsite-clang)."""
import os
import shutil
import subprocess
import sys

import real

bin, tarball, work = sys.argv[1:]
CONFIGURE = ["--disable-nls", "--disable-werror", "--disable-shared", "--disable-plugins", "--disable-gdb",
             "--disable-gdbserver", "--disable-sim", "--disable-libdecnumber", "--disable-readline", "--disable-ld",
             "--disable-gold", "--disable-gprof", "--disable-gprofng", "CFLAGS=-O2 -w"]


def unpack():
    sources = os.path.join(work, "sources")
    if not os.path.exists(f"{sources}/configure"):
        os.makedirs(sources, exist_ok=True)
        real.run(["tar", "xf", tarball, "-C", sources, "--strip-components=1"])
    return sources


def build(sources, compiler, kind, inputs):
    """Returns the build's directory; builds again if one of `inputs` is newer."""
    directory = os.path.join(work, kind)
    stamp = os.path.join(directory, "built")
    if os.path.exists(stamp) and all(os.path.getmtime(stamp) > os.path.getmtime(path) for path in inputs):
        return directory
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    # The programs that the build runs must not report into its pipes.
    environment = dict(os.environ, ALLOCSITE_OPTIONS="enabled=0")
    log = os.path.join(directory, "build.log")
    real.run([f"{sources}/configure", f"CC={compiler}", *CONFIGURE], directory, environment, log)
    real.run(["make", "-j2", "MAKEINFO=true", "all-gas", "all-binutils"], directory, environment, log)
    open(stamp, "w").close()
    return directory


def check():
    sources = unpack()
    clang = subprocess.check_output([f"{bin}/allocsite-clang", "-print-prog-name=clang"], text=True).strip()
    plain = build(sources, clang, "reference", [])
    libraries = os.path.join(os.path.dirname(bin), "lib")
    instrumented = build(sources, f"{bin}/allocsite-clang", "allocsite",
                         [f"{libraries}/allocsite.so", f"{libraries}/liballocsite.so"])

    assembly = os.path.join(work, "input.s")
    object_file = os.path.join(work, "input.o")
    real.run([clang, "-O1", "-g", "-S", "-w", "-fno-addrsig", f"-I{plain}/bfd", f"-I{sources}/bfd", f"-I{sources}/include",
              "-DDEBUGDIR=\"\"", f"{sources}/bfd/elf64-x86-64.c", "-o", assembly], log=f"{work}/input.log")
    real.run([f"{plain}/gas/as-new", assembly, "-o", object_file], log=f"{work}/input.log")
    for name, program, arguments in [
            ("as", "gas/as-new", [assembly, "-o", "output.o"]),
            ("objdump -d", "binutils/objdump", ["-d", "-r", "-l", object_file]),
            ("objdump -W", "binutils/objdump", ["--dwarf=info,abbrev,line", object_file]),
            ("readelf", "binutils/readelf", ["-a", "-W", object_file]),
            ("nm", "binutils/nm-new", ["-C", "-S", "--numeric-sort", object_file]),
            ("strip", "binutils/strip-new", ["-g", object_file, "-o", "stripped.o"]),
            ("ar", "binutils/ar", ["rcs", "output.a", object_file]),
            ("addr2line", "binutils/addr2line", ["-f", "-i", "-e", object_file, "0", "64", "1000"])]:
        real.compare(name, f"{plain}/{program}", f"{instrumented}/{program}", arguments, work)
        yield


real.main(check)
