# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program in each of its kinds, by one clang: plain, with allocsite, and with the compiler's own profiler."""
import concurrent.futures
import glob
import itertools
import os
import re
import subprocess
import sys

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
# Where code happens to fall in memory can make more of a difference to a program than what is measured here (T.
# Mytkowicz et al., "Producing wrong data without doing anything obviously wrong!"): so all are built in several layouts.
LAYOUTS = [[], ["-mllvm", "-align-all-functions=6"], ["-mllvm", "-align-all-nofallthru-blocks=5"],
           ["-mllvm", "-align-all-functions=5", "-mllvm", "-align-all-nofallthru-blocks=4"]]
COMMON = ["-O2", "-pthread"]
FLAGS = {
    ".c": ["-std=gnu11"] + COMMON,
    ".cpp": ["-std=c++17", "-faligned-allocation", "-fsized-deallocation"] + COMMON,
}
# RapidJSON 1.1 has a template that cannot be used, which clang rejects from 19 on if it looks into it.
OWN_FLAGS = {"rapidjson.cpp": ["-fdelayed-template-parsing"], "truetype.c": ["-lm"]}
FRAME_POINTERS = ["-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"]
KINDS = {
    "plain": [],
    "allocsite": ["-fallocsite-contexts=0"],
    "contexts": [],
    "frames": ["-fallocsite-contexts=0"] + FRAME_POINTERS,  # with allocsite
    # They are what its documentation asks for: it walks them at each allocation.
    "memprof": ["-fmemory-profile"] + FRAME_POINTERS,
}
WITH_ALLOCSITE = ("allocsite", "contexts", "frames")
# Whose settings change what is measured.
FOREIGN = re.compile("ALLOCSITE_|LD_PRELOAD$|MALLOC_|GLIBC_TUNABLES$|HEAPPROFILE|HEAP_PROFILE_|TCMALLOC_|MEMPROF_")


def fail(message):
    print(f"bench: {message}", file=sys.stderr)
    sys.exit(1)


def run(command, variables=None):
    """Standard output of a command that has to succeed."""
    done = subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def environment(variables=()):
    """The caller's, with only these settings of allocators and profilers: nobody else's shall be measured."""
    return {name: value for name, value in os.environ.items() if not FOREIGN.match(name)} | dict(variables)


def files(source):
    """Of a program: one, or all of its folder."""
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
        """Path of the executable."""
        stem, suffix = os.path.splitext(os.path.basename(source))
        suffix = suffix or ".c"
        output = os.path.join(self.work, f"{stem}.{kind}.{layout}")
        if output not in self.built:
            run([self.compiler(kind, suffix)] + FLAGS[suffix] + LAYOUTS[layout] + KINDS[kind]
                + [*files(source), "-o", output] + OWN_FLAGS.get(stem + suffix, []))
            self.built.add(output)
        return output

    def build(self, source, kind):
        """Path of the executable, in the present layout."""
        return self.compile(source, kind, self.layout)

    def prepare(self, sources, layouts):
        """Builds so many layouts of them, as many at once as there are processors."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            every = itertools.product(sources, ("plain", "allocsite"), range(layouts))
            for built in [pool.submit(self.compile, *one) for one in every]:
                built.result()

    def pair(self, source):
        return self.build(source, "plain"), self.build(source, "allocsite")
