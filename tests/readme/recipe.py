# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of github-actions.yml as a runner does: recipe.py README RECIPE BUILD WORK.

The program is README's app.c. The build tree replaces a cached allocsite, so the steps that build a missing allocsite are
not run: readme.demo and link.cmake_package build and install. The packages are compared with those of the set-up.
Afterwards the program allocates more, and the check of its budget must fail while the report is still written."""
import json
import os
import re
import shutil
import subprocess
import sys

readme, recipe, build, work = sys.argv[1:]
STEP = re.compile(r"^      - (.*\n(?:(?:        .*)?\n)*)", re.M)


def fail(text):
    sys.exit(f"{os.path.basename(recipe)}: {text}")


def block(text, key):
    """Returns the value of a step's key: a line, or an indented block without its indentation."""
    found = re.search(rf"^(?:        )?{key}: (?:\|\n((?:          .*\n)+)|(.*)\n)", text, re.M)
    return found and (re.sub(r"^ {10}", "", found[1], flags=re.M) if found[1] else found[2])


def environment(text):
    """Returns the variables of a step."""
    found = re.search(r"^        env:\n((?:          .*\n)+)", text, re.M)
    pairs = re.findall(r"^ +(\w+): (.*)", found[1] if found else "", re.M)
    return {name: value.replace("${{ github.workspace }}", work) for name, value in pairs}


def run_steps(steps, path_file):
    """Runs the steps in order and returns the names of those that failed; after a failure only `if: always()` runs."""
    failed = []
    for step in steps:
        command, condition = block(step, "run"), block(step, "if")
        if not command or "apt-get" in command or (condition or "").startswith("steps.allocsite.") or (failed and condition != "always()"):
            continue
        with open(path_file) as file:
            path = os.pathsep.join([*reversed(file.read().split()), os.environ["PATH"]])
        done = subprocess.run(["sh", "-eu", "-c", command], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, env={**os.environ, "PATH": path, "GITHUB_PATH": path_file,
                                              "GITHUB_STEP_SUMMARY": os.path.join(work, "summary.md"), **environment(step)})
        if done.returncode:
            failed.append(block(step, "name"))
            print(f"exit status {done.returncode}:\n{command}\n{done.stdout}")
    return failed


def check_packages(steps):
    """The recipe installs what the set-up installs, and the clang that it says."""
    with open(os.path.join(os.path.dirname(readme), "cmake", "setup.sh")) as file:
        needed = set(re.search(r"^need_build.*?need (.*?)$", file.read(), re.M | re.S)[1].split())
    installed = next(command for command in (block(step, "run") for step in steps) if command and "apt-get" in command)
    missing = (needed | {"ccache", "clang-14", "llvm-14-dev", "libclang-14-dev"}) - set(re.findall(r"[\w+-][\w.+-]*", installed))
    if missing:
        fail(f"does not install {sorted(missing)}")


def main():
    if not shutil.which("ccache"):
        sys.exit(77)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(readme) as page, open(os.path.join(work, "app.c"), "w") as program:
        program.write(re.search(r"`app\.c`:\n\n```c\n(.*?)^```$", page.read(), re.M | re.S)[1])
    with open(recipe) as file:
        text = file.read()
    steps = STEP.findall(text + "\n")
    check_packages(steps)
    os.symlink(build, os.path.join(work, ".allocsite"))
    path_file = os.path.join(work, "path")
    open(path_file, "w").close()
    if run_steps(steps, path_file) != ["Check the budget"]:  # there is no budget yet
        fail("a step failed, or the check passed without a budget")
    write = re.search(r"^#     (allocsite-dump check --write-budget .*)", text, re.M)[1]
    subprocess.run(["sh", "-eu", "-c", write], check=True, cwd=work,
                   env={**os.environ, "PATH": os.path.join(work, ".allocsite", "bin") + os.pathsep + os.environ["PATH"]})
    for name in "app.profile.gz", "memory.html", "memory.sarif":
        os.remove(os.path.join(work, name))
    if run_steps(steps, path_file):
        fail("a step failed")
    written = [name for name in ("app.profile.gz", "memory.html", "summary.md") if not os.path.getsize(os.path.join(work, name))]
    with open(os.path.join(work, "memory.sarif")) as file:
        if json.load(file)["version"] != "2.1.0" or written:
            fail(f"these files are not as expected: memory.sarif {written}")
    os.remove(os.path.join(work, "app.profile.gz"))
    steps = [step.replace("./app one two", "./app 1 2 3 4 5 6 7 8 9") for step in steps]
    if run_steps(steps, path_file) != ["Check the budget"] or not os.path.exists(os.path.join(work, "app.profile.gz")):
        fail("the broken budget did not fail alone")


main()
