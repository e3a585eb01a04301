# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of GNU binutils, each with an input that keeps it busy: a large C++ file with debug information, and a
library made of LLVM's optimizer archives. Programs that only change a few bytes (elfedit, ranlib) are excluded."""
import glob
import os
import sys

from build import fail, run
from compiling import LARGE
from interleave import Job
from times import Subject

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "real"))
import binutils_build
from real import Failure

TARBALL = "/usr/src/binutils/binutils-*.tar.xz"
PARTS = ["gas", "binutils", "ld"]
ARCHIVES = ["Core", "Analysis", "CodeGen", "SelectionDAG", "ScalarOpts", "TransformUtils", "ipo", "Passes"]


class Tree:
    """Has the interface of a Builder, with one layout, because a build takes minutes."""

    layouts = 1

    def __init__(self, builder):
        self.work = os.path.join(builder.work, "binutils-" + builder.clang.split()[-1])
        self.clang_directory = builder.clang_directory
        self.compilers = {kind: builder.compiler(kind, ".c") for kind in ("plain", "allocsite")}
        self.libraries = binutils_build.libraries(builder.bin)
        self.layout = 0

    def make(self, tarball):
        sources = binutils_build.unpack(tarball, self.work)
        tree = binutils_build.configured(sources, self.work, self.compilers["plain"], PARTS)
        for kind, compiler in self.compilers.items():
            print(f"bench: binutils, {kind}: builds unless it is there", file=sys.stderr, flush=True)
            inputs = self.libraries if kind == "allocsite" else []
            binutils_build.build(tree, os.path.join(self.work, kind), compiler, PARTS, inputs)

    def build(self, program, kind):
        return os.path.join(self.work, kind, program)

    def plain(self, program, *arguments):
        """Returns the standard output of the plain program."""
        return run([self.build(program, "plain"), *arguments])

    def file(self, name):
        return os.path.join(self.work, name)


def archives(tree):
    directory = os.path.join(os.path.dirname(tree.clang_directory), "lib")
    return [os.path.join(directory, f"libLLVM{name}.a") for name in ARCHIVES]


def share(inputs, output):
    """Returns arguments of ld. A dynamic library need not be complete, but needs __dso_handle."""
    return ["-shared", "--defsym", "__dso_handle=0", "--whole-archive", *inputs, "-o", output]


def make_inputs(tree):
    clang = os.path.join(tree.clang_directory, "clang++")
    run([clang, "-O2", "-g", "-S", "-w", "-std=c++17", "-fPIC", "-fno-addrsig", LARGE, "-o", tree.file("large.s")])
    tree.plain("gas/as-new", tree.file("large.s"), "-o", tree.file("large.o"))
    tree.plain("ld/ld-new", *share([tree.file("large.o")], tree.file("large.so")))
    tree.plain("ld/ld-new", *share(archives(tree), tree.file("library.so")))
    # The input is repeated until the programs that read it run as long as the others.
    write_column(tree.file("names"), tree.plain("binutils/nm-new", tree.file("library.so")), -1, 4)
    write_column(tree.file("addresses"), tree.plain("binutils/nm-new", "--defined-only", tree.file("large.so")), 0, 64)


def write_column(path, lines, column, times):
    with open(path, "w") as file:
        file.writelines([line.split()[column] + "\n" for line in lines.splitlines()] * times)


def jobs(tree):
    """Returns the jobs by name."""
    large, large_object, large_library, library = map(tree.file, ("large.s", "large.o", "large.so", "library.so"))
    written = tree.file("written")
    return {
        "as": Job("gas/as-new", [large, "-o", written], written),
        "ld": Job("ld/ld-new", share(archives(tree), written), written),
        "objdump -dlSC": Job("binutils/objdump", ["-d", "-l", "-S", "-C", large_object]),
        "objdump -W": Job("binutils/objdump", ["-W", large_object]),
        "readelf -a": Job("binutils/readelf", ["-a", "-W", library]),
        "readelf -w": Job("binutils/readelf", ["-w", large_object]),
        "nm -C": Job("binutils/nm-new", ["-C", library]),
        "c++filt": Job("binutils/cxxfilt", ["@" + tree.file("names")]),
        "addr2line": Job("binutils/addr2line", ["-f", "-i", "-C", "-e", large_library, "@" + tree.file("addresses")]),
        "ar": Job("binutils/ar", ["rcsD", written, large_object, library], written),
        "objcopy": Job("binutils/objcopy", [library, written], written),
        "strip": Job("binutils/strip-new", [library, "-o", written], written),
        "size": Job("binutils/size", ["-A", library]),
        "strings": Job("binutils/strings", [library]),
    }


def missing(tree):
    """Returns the first required external file that is missing."""
    return next((path for path in [TARBALL, *archives(tree)] if not glob.glob(path)), None)


def candidates(builder):
    """Returns (subjects, reasons for missing ones), as in libraries.py."""
    tree = Tree(builder)
    lacking = missing(tree)
    if lacking:
        return [], {"binutils": f"there is no {lacking}"}
    try:
        tree.make(glob.glob(TARBALL)[0])
    except Failure as failure:
        fail(failure)
    make_inputs(tree)
    return [Subject(name, tree, job) for name, job in jobs(tree).items()], {}
