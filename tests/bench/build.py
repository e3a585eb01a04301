# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program twice, by one clang: plain and with allocsite."""
import os
import re
import subprocess
import sys

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
# Jumps land on 32-byte boundaries in both builds: where a loop happens to fall in memory can make more of a difference
# to a program than what is measured here.
COMMON = ["-O2", "-pthread", "-mllvm", "-align-all-nofallthru-blocks=5"]
FLAGS = {
    ".c": ["-std=gnu11"] + COMMON,
    ".cpp": ["-std=c++17", "-faligned-allocation", "-fsized-deallocation"] + COMMON,
}


def fail(message):
    print(f"bench: {message}", file=sys.stderr)
    sys.exit(1)


def run(command, environment=None):
    """Standard output of a command that has to succeed."""
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def environment(options=None, preload=None):
    """The caller's, with only these of allocsite's options: nobody's settings shall be measured."""
    variables = {name: value for name, value in os.environ.items() if name not in ("ALLOCSITE_OPTIONS", "LD_PRELOAD")}
    if options:
        variables["ALLOCSITE_OPTIONS"] = options
    if preload:
        variables["LD_PRELOAD"] = preload
    return variables


class Builder:
    """Builds in `work` with the tools of the build tree's `bin` directory."""

    def __init__(self, bin_directory, work):
        self.bin = bin_directory
        self.work = work
        self.runtime = os.path.join(os.path.dirname(bin_directory), "lib", "liballocsite.so")
        os.makedirs(work, exist_ok=True)
        version = run([self._wrapper(".c"), "--version"])
        self.clang_directory = re.search(r"^InstalledDir: (.+)$", version, re.MULTILINE).group(1)
        self.clang = re.search(r"clang version \S+", version).group(0)

    def _wrapper(self, suffix):
        return os.path.join(self.bin, "allocsite-clang++" if suffix == ".cpp" else "allocsite-clang")

    def _plain(self, suffix):
        return os.path.join(self.clang_directory, "clang++" if suffix == ".cpp" else "clang")

    def pair(self, source):
        """Paths of the plain and of the instrumented executable."""
        stem, suffix = os.path.splitext(os.path.basename(source))
        path = os.path.join(SOURCES, source)
        outputs = []
        for kind, compiler in ("plain", self._plain(suffix)), ("allocsite", self._wrapper(suffix)):
            output = os.path.join(self.work, f"{stem}.{kind}")
            run([compiler] + FLAGS[suffix] + [path, "-o", output])
            outputs.append(output)
        return outputs
