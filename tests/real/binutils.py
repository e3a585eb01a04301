# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GNU binutils, a large C program: binutils.py BIN TARBALL WORK (BIN has allocsite-clang)."""
import os
import subprocess
import sys

import binutils_build
import real

bin, tarball, work = sys.argv[1:]
PARTS = ["gas", "binutils"]


def check():
    sources = binutils_build.unpack(tarball, work)
    clang = subprocess.check_output([f"{bin}/allocsite-clang", "-print-prog-name=clang"], text=True).strip()
    plain, instrumented = os.path.join(work, "reference"), os.path.join(work, "allocsite")
    tree = binutils_build.configured(sources, work, clang, PARTS)
    binutils_build.build(tree, plain, clang, PARTS, [])
    binutils_build.build(tree, instrumented, f"{bin}/allocsite-clang", PARTS, binutils_build.libraries(bin))

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
