# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds each program in all its kinds with one clang: plain, with allocsite, and with the compiler's own profiler."""
import concurrent.futures
import glob
import itertools
import os
import re
import subprocess
import sys

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
# The layout of code in memory can affect a program more than the measured cost (T. Mytkowicz et al., "Producing wrong
# data without doing anything obviously wrong!"). So all programs are built in several layouts.
LAYOUTS = [[], ["-mllvm", "-align-all-functions=6"], ["-mllvm", "-align-all-nofallthru-blocks=5"],
           ["-mllvm", "-align-all-functions=5", "-mllvm", "-align-all-nofallthru-blocks=4"]]
COMMON = ["-O2", "-pthread"]
FLAGS = {
    ".c": ["-std=gnu11"] + COMMON,
    ".cpp": ["-std=c++17", "-faligned-allocation", "-fsized-deallocation"] + COMMON,
}
# RapidJSON 1.1 has an invalid template, which clang from 19 on rejects even if it is not instantiated.
OWN_FLAGS = {"rapidjson.cpp": ["-fdelayed-template-parsing"], "truetype.c": ["-lm"]}
FRAME_POINTERS = ["-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"]
KINDS = {
    "plain": [],
    "allocsite": ["-fallocsite-contexts=0"],
    "contexts": [],
    "frames": ["-fallocsite-contexts=0"] + FRAME_POINTERS,  # with allocsite
    # Its documentation requires frame pointers, because it walks the stack at each allocation.
    "memprof": ["-fmemory-profile"] + FRAME_POINTERS,
}
WITH_ALLOCSITE = ("allocsite", "contexts", "frames")
# Variables that would affect the measurement.
FOREIGN = re.compile("ALLOCSITE_|LD_PRELOAD$|MALLOC_|GLIBC_TUNABLES$|HEAPPROFILE|HEAP_PROFILE_|TCMALLOC_|MEMPROF_")


def fail(message):
    print(f"bench: {message}", file=sys.stderr)
    sys.exit(1)


def run(command, variables=None):
    """Runs a command, which must succeed, and returns its standard output."""
    done = subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def environment(variables=()):
    """Returns the caller's environment with only these settings of allocators and profilers."""
    return {name: value for name, value in os.environ.items() if not FOREIGN.match(name)} | dict(variables)


def files(source):
    """Returns the sources of a program: one file, or all files of its folder."""
    path = os.path.join(SOURCES, source)
    return sorted(glob.glob(os.path.join(path, "*.c"))) if os.path.isdir(path) else [path]


def options(text):
    return {"ALLOCSITE_OPTIONS": text}


class Builder:
    """Builds in `work` with the tools of the build tree's `bin` directory."""

    layouts = len(LAYOUTS)

    def __init__(self, bin_directory, work):
        self.bin = bin_directory
        self.work = work
        self.runtime = os.path.join(os.path.dirname(bin_directory), "lib", "liballocsite.so")
        self.built = set()
        self.layout = 0
        os.makedirs(work, exist_ok=True)
        version = run([self.compiler("allocsite", ".c"), "--version"])
        self.clang_directory = re.search(r"^InstalledDir: (.+)$", version, re.MULTILINE).group(1)
        self.clang = re.search(r"clang version \S+", version).group(0)

    def compiler(self, kind, suffix):
        plus = "++" if suffix == ".cpp" else ""
        if kind in WITH_ALLOCSITE:
            return os.path.join(self.bin, "allocsite-clang" + plus)
        return os.path.join(self.clang_directory, "clang" + plus)

    def compile(self, source, kind, layout):
        """Compiles a program and returns the path of the executable."""
        stem, suffix = os.path.splitext(os.path.basename(source))
        suffix = suffix or ".c"
        output = os.path.join(self.work, f"{stem}.{kind}.{layout}")
        if output not in self.built:
            run([self.compiler(kind, suffix)] + FLAGS[suffix] + LAYOUTS[layout] + KINDS[kind]
                + [*files(source), "-o", output] + OWN_FLAGS.get(stem + suffix, []))
            self.built.add(output)
        return output

    def build(self, source, kind):
        """Builds in the current layout and returns the path of the executable."""
        return self.compile(source, kind, self.layout)

    def prepare(self, sources, layouts):
        """Builds the sources in `layouts` layouts, in parallel on all processors."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            every = itertools.product(sources, ("plain", "allocsite"), range(layouts))
            for built in [pool.submit(self.compile, *one) for one in every]:
                built.result()

    def pair(self, source):
        return self.build(source, "plain"), self.build(source, "allocsite")
