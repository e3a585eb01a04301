# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The man pages are complete and well formed: pages.py SOURCE BIN WORK."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

source, bin, work = sys.argv[1:]
sys.argv[1:] = []
import unittest  # noqa: E402

PROGRAM = """
#include <allocsite.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    void *volatile twice = malloc(40);
    allocsite_phase_push("begin");
    char *volatile text = strdup("text");
    text = realloc(text, 100);
    allocsite_phase_pop();
    free(twice);
    return text == NULL;
}
"""
PAGES = {"sites": "sites", "report": "report", "annotate": "report", "merge": "report", "export": "export", "diff": "diff",
         "check": "diff", "graph": "graph", "top": "top", "record": "top", "serve": "top"}


def page(name):
    """Returns the text of a page without requests that only concern the formatter."""
    path, = glob.glob(os.path.join(source, "plugin", "driver", name)) or glob.glob(os.path.join(source, "rt", "**", name), recursive=True)
    with open(path) as file:
        text = re.sub(r"\\f.|\\&", "", file.read().replace("\\-", "-"))
    return re.sub(r"^\..*\bFl\b.*", lambda line: re.sub(r" -(?=\w)", " --", line[0]), text, flags=re.M)


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=work, **options).stdout


def has(text, word):
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)


def members(value):
    """Returns the names of all members of a document, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from members(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner)


class Pages(unittest.TestCase):
    def setUp(self):
        os.makedirs(work, exist_ok=True)

    def assert_has(self, name, words):
        text = page(name)
        self.assertEqual([word for word in words if not has(text, word)], [], name)

    def dump(self, *arguments):
        return output(os.path.join(bin, "allocsite-dump"), *arguments)

    def test_members_of_json(self):
        with open(os.path.join(work, "members.c"), "w") as file:
            file.write(PROGRAM)
        output(os.path.join(bin, "allocsite-clang"), "-g", "members.c", "-o", "members")
        for options in "stack=4:pairs=1:sizes=1:lifetime=1:reach=1", "temporary=1":
            paths = [f"members.{i}.{len(options)}" for i in range(2)]
            for path in paths:
                output("./members", env={**os.environ, "ALLOCSITE_OPTIONS": f"report=none:profile={path}:{options}"})
            for files in paths[:1], paths:
                report = json.loads(self.dump("report", "--format=json", *files))
                self.assertIn("phases", report)
                self.assert_has("allocsite-report.5", set(members(report)))
            for by in "line", "function", "file", "type", "module", "thread", "phase":
                report = json.loads(self.dump("report", f"--by={by}", "--format=json", *paths))
                del report["totals"]
                known = page("allocsite-dump-report.1") + page("allocsite-report.5")
                self.assertEqual([name for name in set(members(report)) if not has(known, name)], [], by)

    def test_all_members_that_the_writer_has(self):
        with open(os.path.join(source, "rt", "write", "json.c")) as file:
            self.assert_has("allocsite-report.5", set(re.findall(r'"([a-z]\w+)"', file.read())))

    def test_options_of_commands(self):
        for command, name in PAGES.items():
            known = page(f"allocsite-dump-{name}.1") + page("allocsite-dump.1")
            options = set(re.findall(r"^ +(?:-o \w+, )?(--[a-z-]+)", self.dump(command, "--help"), re.M))
            self.assertEqual([option for option in options if not has(known, option)], [], command)
        self.assert_has("allocsite-run.1", set(re.findall(r"^ +(?:-o \w+, )?(--?[a-z-]+)", output(os.path.join(bin, "allocsite-run"), "--help"), re.M)))
        sweep = output(os.path.join(bin, "allocsite-run"), "--fail-each", "--help")
        self.assert_has("allocsite-fail.1", set(re.findall(r"^ +(?:-o \w+, )?(--[a-z-]+)", sweep, re.M)))
        with open(os.path.join(source, "rt", "dump", "run", "sweep_point.c")) as file:
            self.assert_has("allocsite-fail.1", set(re.findall(r"MEMBER\((\w+), [A-Z]", file.read())))

    def test_options_of_the_compiler(self):
        told = output(os.path.join(bin, "allocsite-clang"), "--help").split("OVERVIEW", 1)[0]
        names = re.findall(r"^  -(fallocsite-\w+)", told, re.M)
        self.assertIn("fallocsite-contexts", names)
        self.assert_has("allocsite-clang.1", names)

    def test_messages_of_the_runtime(self):
        """Users search the page for the beginning of a message."""
        text = " ".join(re.sub(r'^\.\w+|"|\b(?:Ar|Sy|Fn|Dq)\b', " ", page("allocsite.7"), flags=re.M).split())
        begun = []
        for path in glob.glob(os.path.join(source, "rt", "lib", "**", "*.c"), recursive=True):
            with open(path) as file:
                begun += re.findall(r'os_say\(\s*"([^":]+)', file.read())
        with open(os.path.join(source, "rt", "model", "gaps.c")) as file:
            for pieces in re.findall(r'\[GAP_\w+\] =\s*((?:"[^"]*"\s*)+)', file.read()):
                begun += re.match("[^:(]+", "".join(re.findall('"([^"]*)"', pieces)))[0].split("@")
        self.assertGreater(len(begun), 40)
        self.assertEqual("".join(words + "\n" for words in begun if words.strip(" ,") not in text), "")

    def test_keys(self):
        keys = re.findall(r"^  (\w+)=", self.dump("help", "options"), re.M)
        self.assertGreater(len(keys), 20)
        for key in keys:
            self.assertTrue(re.search(rf"^\.It Sy {key} Ta", page("allocsite.7"), re.M), key)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_form(self):
        for path in glob.glob(os.path.join(source, "plugin", "**", "*.[1-8]"), recursive=True) + glob.glob(os.path.join(source, "rt", "**", "*.[1-8]"), recursive=True):
            self.assertEqual(subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path], capture_output=True, text=True).stdout, "")
            self.assertIn("SEE ALSO", page(os.path.basename(path)), path)

    def test_man_finds_each_page_of_the_build_tree(self):
        """man searches share/man next to each folder in PATH."""
        pages = [path for folder in ("plugin", "rt") for path in glob.glob(os.path.join(source, folder, "**", "*.[1-8]"), recursive=True)]
        names = {os.path.basename(path) for path in pages} | {f"allocsite-dump-{command}.1" for command in [*PAGES, "start", "stop", "reset"]}
        self.maxDiff = None
        manuals = os.path.join(os.path.dirname(bin), "share", "man")
        self.assertEqual([name for name in names if not os.path.exists(os.path.join(manuals, f"man{name[-1]}", name))], [])
        for path in pages:
            copy = os.path.join(manuals, f"man{path[-1]}", os.path.basename(path))
            with open(path) as page, open(copy) as copied:
                self.assertEqual(page.read(), copied.read(), copy)
        if shutil.which("man"):
            environment = {key: value for key, value in os.environ.items() if key != "MANPATH"}
            environment["PATH"] = f"{bin}:{environment['PATH']}"
            for name, found in ("allocsite", "man7/allocsite.7"), ("allocsite-clang++", "man1/allocsite-clang.1"):
                self.assertEqual(output("man", "-w", name, env=environment).strip(), os.path.join(manuals, found))

    def test_tasks_begin_with_a_command(self):
        sections = dict(re.findall(r"^\.Sh (.*)\n(.*)", page("allocsite.7"), re.M))
        tasks = list(sections)[3:list(sections).index("OPTIONS")]
        self.assertGreater(len(tasks), 10)
        self.assertEqual([task for task in tasks if not sections[task].startswith(".Dl ")], [])

    def test_references(self):
        """Pages that are named exist, and so do the sections that are named in them."""
        missing = []
        for path in (path for folder in ("plugin", "rt") for path in glob.glob(os.path.join(source, folder, "**", "*.[1-8]"), recursive=True)):
            with open(path) as file:
                text = file.read()
            for section, name, number in re.findall(r"(?:\b([A-Z][A-Z ]+) in\s+)?(?:\.Pq )?(?:\.?Xr|\.BR) (allocsite[\w+-]*) \(?([1-8])", text):
                if not glob.glob(os.path.join(os.path.dirname(bin), "share", "man", f"man{number}", f"{name}.{number}")):
                    missing.append(f"{os.path.basename(path)}: {name}({number})")
                elif section and not re.search(rf"^\.S[hHsS] {section.strip()}$", page(f"{name}.{number}"), re.M):
                    missing.append(f"{os.path.basename(path)}: {section} in {name}({number})")
            for line in re.findall(r"^\.Sx (.*)", text, re.M):
                for section in re.split(r" , ", re.sub(r" [,.;)]+$", "", line).strip('"')):
                    if not re.search(rf"^\.S[hs] {re.escape(section.strip())}$", text, re.M):
                        missing.append(f"{os.path.basename(path)}: {section}")
        self.assertEqual(missing, [])

    def test_links_of_markdown(self):
        """Files and headings that Markdown files link exist."""
        missing = []
        for path in ["README.md", *(path for folder in (".github", "plugin", "rt", "tests")
                                    for path in glob.glob(os.path.join(folder, "**", "*.md"), root_dir=source, recursive=True))]:
            with open(os.path.join(source, path)) as file:
                links = re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", file.read())
            for linked, heading in links:
                target = os.path.join(source, os.path.dirname(path), linked) if linked else os.path.join(source, path)
                if not os.path.exists(target):
                    missing.append(f"{path}: {linked}")
                elif heading:
                    with open(target) as file:
                        headings = re.findall(r"(?m)^#+ (.*)", file.read())
                    if heading not in [re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings]:
                        missing.append(f"{path}: {linked}#{heading}")
        self.assertEqual(missing, [])

    def test_every_program_has_a_page(self):
        for program in "allocsite-clang", "allocsite-dump", "allocsite-run":
            for section in "SYNOPSIS", "DESCRIPTION", "(OPTIONS|COMMANDS)", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES":
                self.assertTrue(re.search(rf"^\.(SH|Sh) {section}$", page(program + ".1"), re.M), f"{program}: {section}")


unittest.main()
