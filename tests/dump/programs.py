# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles instrumented programs for the tests of allocsite-dump, and runs allocsite-dump.

ctest passes DUMP (allocsite-dump), PLUGIN, CLANG, CLANGXX, LLD (or nothing) and WORK (a folder) in the environment."""
import functools
import json
import os
import shutil
import subprocess

from runs import DUMP, WORK, work

HERE = os.path.dirname(os.path.abspath(__file__))

# Tables are only read, so the runtime's entry points may stay undefined.
UNLINKED = "-Wl,--unresolved-symbols=ignore-all"
# Every call is attributed to its own line.
SITES_ONLY = "-fplugin=" + os.environ.get("PLUGIN", ""), "-mllvm", "-allocsite-contexts=0"
LLD = ["-fuse-ld=" + os.environ["LLD"]] if os.environ.get("LLD") else None


def read(path):
    with open(path, "rb") as file:
        return bytearray(file.read())


def write(path, contents):
    with open(path, "wb") as file:
        file.write(contents)
    return path


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, **options)


def check(*command, **options):
    result = run(*command, **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def dump(*arguments, **options):
    return run(DUMP, *arguments, **options)


@functools.cache
def compiled(source, flags):
    output = work(f"compiled-{compiled.cache_info().misses}")
    compiler = os.environ["CLANGXX" if source.endswith("pp") else "CLANG"]
    link = [] if "-c" in flags or "-shared" in flags else [UNLINKED]
    check(compiler, "-fpass-plugin=" + os.environ["PLUGIN"], "-O2", "-g", *flags, *link,
          os.path.join(HERE, source), "-o", output, cwd=WORK)  # some versions leave .dwo files in the current folder
    return output


def compile(source, name, *flags):
    """Compiles a source of this folder, with optimization and debug information unless flags say otherwise."""
    return shutil.copy(compiled(source, flags), work(name))


def sites(path):
    return json.loads(check(DUMP, "sites", "--format=json", path))["sites"]
