# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command accepts the names that reports show.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment."""
import json
import os
import re
import shutil
import subprocess
import unittest

from runs import CC, DUMP, WORK, dump, work

HERE = os.path.dirname(os.path.abspath(__file__))
REFCOUNTED = "std::_Sp_counted_ptr_inplace<Node>"


def shown(*arguments, status=0):
    result = dump(*arguments)
    if result.returncode != status or result.stderr:
        raise AssertionError(f"{arguments}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def run_program(name, options=""):
    """Returns the snapshot that the program wrote, and its profile."""
    shutil.rmtree(WORK, ignore_errors=True)
    subprocess.run([CC + "++", "-std=c++17", "-O1", "-g", "-I" + os.path.join(HERE, "../../rt/lib"),
                    "-fallocsite-contexts=0", os.path.join(HERE, f"{name}.cpp"), "-o", work(name)], check=True)
    subprocess.run([work(name)], check=True, cwd=WORK,
                   env={**os.environ, "ALLOCSITE_OPTIONS": f"report=none:profile={name}.profile{options}"})
    return work(f"{name}.graph"), work(f"{name}.profile")


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph, cls.profile = run_program("names", ":stack=16")

    def types(self):
        """Returns the types as the graph's table shows them."""
        rows = [re.split(r"  +", row.strip()) for row in shown("graph", "--top=0", self.graph).splitlines()]
        return [row[-1] for row in rows if len(row) == 6 and row[-1] not in ("type", "total")]

    def test_types_of_the_graph(self):
        self.assertIn(REFCOUNTED, self.types())
        for name in self.types():
            self.assertIn(" -> 0x", shown("graph", self.graph, "why", name), name)
            self.assertGreater(shown("graph", "--type=" + name, self.graph).count("\n"), 2, name)
            self.assertIn(" --> ", shown("graph", "--type=" + name, "--format=mermaid", self.graph))
            self.assertIn('["0x', shown("graph", "--type=" + name, "--objects", "--format=mermaid", self.graph))
            if name != "bytes":  # memory that the C++ library reserves has no type
                self.assertIn(" live ", shown("report", "--filter=type=" + name, self.profile))

    def test_globs_of_the_graph(self):
        for pattern in "std::_Sp*<Node>", "std::_Sp_counted_ptr_inplace<...>", "*ptr_inplace<Node, *>", "Cell", "Cel?":
            self.assertIn(" -> 0x", shown("graph", self.graph, "why", pattern), pattern)
            self.assertGreater(shown("graph", "--type=" + pattern, self.graph).count("\n"), 2, pattern)
        several = shown("graph", "--type=*e*", self.graph)
        self.assertIn("Link.cell -> Cell\n", several)
        self.assertEqual(dump("graph", self.graph, "why", "absent*").returncode, 1)

    def test_functions_and_types_of_the_report(self):
        text = dump("report", "--by=function", "--top=0", self.profile).stdout
        lines = [line for line in text.splitlines() if "::" in line or line.endswith("main")]
        for line in lines:
            name = line.split("  ")[-1].strip()
            self.assertIn(" live ", shown("report", "--focus=" + name, self.profile), name)
        names = [line.split("  ")[-1].strip() for line in lines if line.split()[0] != "0"]  # the others allocate nothing themselves
        self.assertGreater(len(names), 2)
        with open(work("budget"), "w") as file:
            file.writelines(f'function "{name}" allocs <= 0\n' for name in names)
            file.writelines(f'type "{name}" allocs <= 0\n' for name in self.types() if name != "bytes")
        for name in names:
            self.assertIn(" live ", shown("report", "--filter=function=" + name, self.profile), name)
        checked = dump("check", "--budget=" + work("budget"), self.profile)
        self.assertEqual((checked.returncode, checked.stderr), (1, ""))
        self.assertRegex(checked.stdout, r": (\d+) of \1 limits broken\n$")

    def test_rows_by_site_of_the_graph(self):
        self.assertIn(" -> 0x", shown("graph", self.graph, "why", "names.cpp:" + self.line("new Cell")))
        self.assertIn(" -> 0x", shown("graph", self.graph, "why", "main"))
        self.assertIn(" -> 0x", shown("graph", self.graph, "why", "*::Cache<...>::make"))

    def line(self, text):
        with open(os.path.join(HERE, "names.cpp")) as file:
            return str([text in line for line in file].index(True) + 1)

    def test_a_long_list_is_folded(self):
        """The object at the end of the folded path is the one at that end of the list."""
        edges = [line.split("\t") for line in shown("graph", "--edges", self.graph).splitlines()]
        next_of = {edge[0]: edge[2] for edge in edges if edge[1].endswith("next._M_ptr")}
        # An interior pointer leads to the block that contains the address.
        last = next(block for block in next_of.values() if block not in next_of)
        way = shown("graph", self.graph, "why", last)
        self.assertRegex(way, rf"_M_ptr x 998 -> {last} ")
        self.assertLess(way.count("\n"), 6)

    def test_steps_that_alternate_are_folded(self):
        edges = [line.split("\t") for line in shown("graph", "--edges", self.graph).splitlines()]
        cell_of, link_of = ({edge[0]: edge[2] for edge in edges if edge[1] == field} for field in ("cell", "link"))
        last = next(block for block in link_of.values() if block not in cell_of)
        way = shown("graph", self.graph, "why", last)
        self.assertRegex(way, r"\n    link, cell x 98 -> 0x")
        self.assertRegex(way, rf"\n    link -> {last} ")
        self.assertLess(way.count("\n"), 8)


def rows(text):
    """Returns the names in the last column; wrapped lines are joined."""
    lines = []
    for line in text.splitlines():
        if line.startswith(" " * 12) and lines:
            lines[-1] += ("" if lines[-1].endswith("  ") else " ") + line.strip()
        else:
            lines.append(line)
    return [re.split(r"  +", line)[-1] for line in lines]


class Apart(unittest.TestCase):
    """Names that would be shortened to the same text keep a part in which they differ."""

    @classmethod
    def setUpClass(cls):
        cls.graph, cls.profile = run_program("apart", ":stack=16")

    def shown(self, columns, *arguments):
        result = subprocess.run([DUMP, *arguments], env={**os.environ, "COLUMNS": str(columns)}, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def selected(self, filter):
        """Returns the number of the program's sites that the filter selects."""
        return len([site for site in json.loads(shown("report", "--format=json", f"--filter={filter}", self.profile))["sites"]
                    if site["sited"]])

    def test_rows(self):
        for columns in 80, 120:
            for by in "type", "function", "site":
                names = [name for name in rows(self.shown(columns, "report", f"--by={by}", self.profile))
                         if "Holder<" in name or "make" in name]
                self.assertGreaterEqual(len(names), 4, (columns, by))
                self.assertEqual(len(names), len(set(names)), "\n".join(names))
                if by != "site":
                    for name in names:
                        self.assertEqual(self.selected(f"{by}={name}"), 1, name)
            for name in [name for name in rows(self.shown(columns, "graph", self.graph)) if "Holder<" in name]:
                one = shown("graph", self.graph, "why", name)
                self.assertEqual(one.count(" -> 0x"), 1, one)

    def test_calls_of_the_tree(self):
        for columns in 80, 120:
            tree = self.shown(columns, "report", "--tree", "--prune=0", self.profile)
            names = [name for name in re.findall(r"[├└]─ (.*)", tree) if "make" in name]
            self.assertEqual((len(names), len(set(names))), (6, 6), tree)


if __name__ == "__main__":
    unittest.main()
