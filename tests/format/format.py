# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every source file has its licence in the first line (or in the second, after #! or a page's '\\" t), and C and C++ are
formatted as .clang-format says. Exceptions: tests/plugin has no licence lines, because the first lines describe the
test; programs that tests identify by line are not formatted. Called as format.py SOURCE CLANG_FORMAT."""
import fnmatch
import os
import re
import shutil
import subprocess
import sys

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
FIRST_LINES = {f"/* {LICENCE} */": ("*.c", "*.h", "*.cpp", "*.def", "*.h.in"),
               f"# {LICENCE}": ("*.py", "*.sh", "*.cmake", "CMakeLists.txt", "*.bash", "*.fish", "*.cmake.in"),
               f'.\\" {LICENCE}': ("*.1", "*.5", "*.7")}
FOLDERS = "plugin", "rt", "tests", "cmake"
WITHOUT_LICENCE = "tests/plugin/*.[ch]*", "tests/plugin/Inputs/*"
FORMATTED = "*.c", "*.h", "*.cpp"
UNFORMATTED = "tests/plugin/*", "tests/rt/*", "tests/dump/*.cpp", "tests/real/*"
SKIPPED = 77


def matches(path, patterns):
    return any(fnmatch.fnmatch(path, pattern) for pattern in patterns)


def files(source):
    yield "CMakeLists.txt"
    for folder in FOLDERS:
        for at, _, names in os.walk(os.path.join(source, folder)):
            yield from sorted(os.path.relpath(os.path.join(at, name), source) for name in names)


def first_line_of(path):
    return next((line for line, names in FIRST_LINES.items() if matches(os.path.basename(path), names)), None)


def licence_complaints(path):
    want = first_line_of(path)
    if not want or matches(path, WITHOUT_LICENCE):
        return
    with open(path, errors="replace") as file:
        first = [file.readline().rstrip("\n") for _ in range(2)]
    if want != first[first[0].startswith(("#!", "'\\\""))]:
        yield f"{path}:1: the first line is not: {want}"


def form_complaints(clang_format, paths):
    run = subprocess.run([clang_format, "--dry-run", "--ferror-limit=1", *paths], capture_output=True, text=True)
    for line in run.stderr.splitlines():
        if ": warning: code should be clang-formatted" in line or ": error: " in line:
            place = line.split(": ")[0]
            yield f"{place}: not formatted as .clang-format says; run: {clang_format} -i {place.split(':')[0]}"
    if run.returncode:
        yield f"{clang_format} ends with {run.returncode}: {run.stderr[:1000]}"


def editor_complaints():
    """.editorconfig agrees with .clang-format."""
    with open(".clang-format") as form, open(".editorconfig") as editor:
        formatted, edited = form.read(), editor.read()
    for ours, theirs in ("indent_size", "IndentWidth"), ("max_line_length", "ColumnLimit"):
        number = re.search(rf"^{theirs}: (\d+)", formatted, re.M)[1]
        if not re.search(rf"^{ours} = {number}$", edited, re.M):
            yield f".editorconfig: {ours} is not {number}, which .clang-format has as {theirs}"


def main(source, clang_format):
    os.chdir(source)
    every = list(files(source))
    complaints = [complaint for path in every for complaint in licence_complaints(path)]
    complaints += editor_complaints()
    formatted = [path for path in every if matches(path, FORMATTED) and not matches(path, UNFORMATTED)]
    installed = shutil.which(clang_format)
    complaints += form_complaints(clang_format, formatted) if installed else []
    print(*complaints, f"{len(every)} files, {len(formatted)} of them for clang-format", sep="\n")
    if not installed:
        print(f"{clang_format} is not installed: formatting was not checked")
    return 1 if complaints else 0 if installed else SKIPPED


sys.exit(main(*sys.argv[1:]))
