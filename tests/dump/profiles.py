# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles without running programs: writes a report, as --format=json shows it, as a profile (rt/profile.h).

It shares no code with allocsite-dump, so reading it back tests two independent implementations."""
import json
import os
import struct

PAGE, STEP = 4096, 1 << 34
HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = 1
NAMES, RECORDS, SLOTS, TALLIES, EXTRAS, BLOCKS, PAIRS, SIZES, NOTES, LIFETIMES, PARTS, RARES, POSSIBLY = 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15
SITE, MODULE, CALLER, STACK, CHUNK, CUSTOM = range(1, 7)
# By kind: size of an element, and number of elements of chunk 0.
ARRAYS = {NAMES: (1, 16384), RECORDS: (64, 64), SLOTS: (64, 64), BLOCKS: (8, 512), PAIRS: (24, 4096), SIZES: (512, 32), LIFETIMES: (1024, 32),
          POSSIBLY: (16, 256)}
KINDS = ["free", "realloc", "double_free", "foreign", "mismatch", "array_mismatch"]
EXTRA, RARE = ("reallocs", "realloc_bytes", "realloc_old_bytes", "moved", "moved_bytes"), ("failed", "temporary")
ENDINGS = ["exit", "_exit", "quick_exit", "exec", "signal", "exit_group"]
MOST = "max_live_blocks", "max_live_blocks_within"
MASK = (1 << 64) - 1


def signed(number):
    number &= MASK
    return number - (1 << 64) if number >> 63 else number


def came_and_went(of):
    get = of.get
    return (get("allocs", 0) + get("reallocs", 0), get("alloc_bytes", 0) + get("realloc_bytes", 0),
            get("frees", 0) + get("moved", 0), get("freed_bytes", 0) + get("moved_bytes", 0))


def classes(pairs):
    """Returns counts by size class, which are powers of two: [[16, 2]] is 2 in the class that begins with 16."""
    counts = [0] * 48
    for start, count in pairs:
        counts[start.bit_length()] += count
    return struct.pack("<48Q", *counts)


def frames_of(stack):
    """Returns the walked frames: calls inlined into one another share a frame. None: the stack is only its site."""
    return [call for call in stack["frames"] if call["address"] and not call.get("inlined")]


def walked(report):
    """Returns whether stacks were walked. Those of a report that was read have a line, and without walks none has more
    than its site."""
    has_walks = report.get("walks", {}).get("depth")
    return [stack for stack in report.get("stacks", []) if (has_walks or "line" not in stack) and frames_of(stack)]


class Writer:
    def __init__(self, report):
        self.report, self.names, self.known, self.areas, self.bytes = report, bytearray(4), {}, [], bytearray(2 * PAGE)
        self.sites, self.stacks = report["sites"], walked(report)
        self.slots = {id(stack): 1 + len(self.sites) + number for number, stack in enumerate(self.stacks)}
        self.rows = {site["id"]: 1 + row for row, site in enumerate(self.sites)}
        self.records, self.modules = [b"", *self.sites, *self.stacks], {}
        self.build_ids = {module["path"]: module["build_id"] for module in report.get("modules", [])}

    def named(self, contents):
        """Adds each string once, never across two chunks."""
        if contents in self.known:
            return self.known[contents]
        self.names += bytes(-len(self.names) % 4)
        end = 16384
        while end <= len(self.names):
            end = 2 * end + 16384
        if len(self.names) + len(contents) > end:
            self.names += bytes(end - len(self.names))
        self.known[contents] = len(self.names)
        self.names += contents
        return self.known[contents]

    def name(self, text):
        return 0 if text is None else self.named(text.encode() + b"\0")

    def chain(self, places):
        caller = 0
        for place in reversed(places):
            caller = self.named(struct.pack("<5I", self.name(place["function"]), self.name(place.get("file")), place.get("line", 0),
                                            place.get("column", 0), caller))
        return caller

    def record(self, id_, what, module=0, place={}, callee=None, type=None, inlined=(), build_id=None, parent=0, stack=0, address=0):
        return struct.pack("<Q11IIQ", id_, module, place.get("line", 0), place.get("column", 0), self.name(place.get("function")),
                           self.name(place.get("file")), self.name(callee), self.name(type), self.chain(inlined),
                           self.name(build_id), what, parent, stack, address)

    def module(self, path):
        if path is None:
            return 0
        if path not in self.modules:
            self.modules[path] = len(self.records)
            self.records.append(self.record(0, MODULE, len(self.records), {"file": path}, build_id=self.build_ids.get(path)))
        return self.modules[path]

    def site(self, site):
        address = int(site.get("address", "0"), 16)
        return self.record(int(site["id"], 16), SITE if site["sited"] else CALLER, self.module(site["module"]), site, site["callee"],
                           site["type"], site["inlined"], address=address)

    def row(self, site):
        if site.get("chunk"):
            self.records.append(self.site(site))
            return self.record(int(site["id"], 16), CHUNK, parent=len(self.records) - 1)
        return self.site(site)

    def stack(self, stack):
        caller, parent = 0, self.rows[stack["site"]]
        for frame in reversed(frames_of(stack)):
            address = int(frame["address"], 16)
            back = self.named(struct.pack("<III", self.module(frame["module"]), address & 0xFFFFFFFF, address >> 32))
            caller = self.named(struct.pack("<II", caller, back))
        return self.record(0, STACK, self.module(self.sites[parent - 1]["module"]), parent=parent, stack=caller)

    def make_records(self):
        """Modules with counts of their own come first, because other records refer to them."""
        for slot, site in enumerate(self.sites, 1):
            if not site["sited"] and not site.get("address") and not site.get("chunk"):
                self.modules[site["module"]] = slot
                self.records[slot] = self.record(int(site["id"], 16), MODULE, slot, {"file": site["module"]},
                                                 build_id=self.build_ids.get(site["module"]))
        for slot, site in enumerate(self.sites, 1):
            if not isinstance(self.records[slot], bytes):
                self.records[slot] = self.row(site)
        for slot, stack in enumerate(self.stacks, 1 + len(self.sites)):
            self.records[slot] = self.stack(stack)
        for path in self.build_ids:
            self.module(path)
        self.records[0] = bytes(64)

    def counted(self):
        """Returns counts by slot: a site has the part that is in none of its stacks."""
        rows = [dict(site) for site in self.sites]
        for stack in self.stacks:
            row = rows[self.rows[stack["site"]] - 1]
            row["bound"] = row.get("bound", sum(row[name] for name in MOST)) - sum(stack[name] for name in MOST)
            for name, value in stack.items():
                if isinstance(value, int) and name in row:
                    row[name] = max(0, row[name] - value)
            row[MOST[1]] = max(0, row["bound"] - row[MOST[0]])
        return [{}, *rows, *self.stacks, *({} for _ in range(len(self.records) - 1 - len(rows) - len(self.stacks)))]

    def add(self, kind, contents, index=0, first=0):
        self.areas.append(struct.pack("<IIQQQ", kind, index, len(self.bytes), len(contents) + -len(contents) % PAGE, first))
        self.bytes += contents + bytes(-len(contents) % PAGE)

    def add_array(self, kind, contents):
        size, count = ARRAYS[kind]
        index, chunk = 0, size * count
        while contents:
            self.add(kind, contents[:chunk], index)
            contents, index, chunk = contents[chunk:], index + 1, 2 * chunk

    def add_tallies(self, counted):
        """The counts of a phase are in a separate block; everything else is in the first."""
        phases, tallies = {}, [list(came_and_went(of)) for of in counted]
        for phase in self.report.get("phases", []):
            stack = self.report["stacks"][phase["stack"]] if "stack" in phase else None
            slot = self.slots.get(id(stack), self.rows[phase["site"]])
            block = phases.setdefault(phase["phase"], {})
            block[slot] = [phase["calls"], phase["bytes"], 0, 0]
            tallies[slot][0] -= phase["calls"]
            tallies[slot][1] -= phase["bytes"]
        self.add_array(BLOCKS, b"".join(struct.pack("<II", self.name(phase), 0) for phase in (None, *phases)))
        blocks = [(tally, signed(of.get("peak_blocks", 0) - of.get("inherited_blocks", 0)) & (STEP - 1),
                   signed(of.get("peak_bytes", 0) - of.get("inherited_bytes", 0))) for tally, of in zip(tallies, counted)]
        self.add(TALLIES, b"".join(struct.pack("<4Q4q", *tally, 0, 0, STEP | blocks, size) for tally, blocks, size in blocks))
        for index, slots in enumerate(phases.values(), 1):
            self.add(TALLIES, b"".join(struct.pack("<4Q4q", *slots.get(slot, [0] * 4), 0, 0, STEP, 0) for slot in range(max(slots) + 1)), index)

    def add_counters(self):
        counted = self.counted()
        self.add_array(SLOTS, b"".join(struct.pack("<6QqII", *(of.get(name, 0) & MASK for name in (
            "inherited_blocks", "inherited_bytes", "leaked_blocks", "leaked_bytes")),
            of.get("max_live_blocks", 0) - of.get("inherited_blocks", 0) & MASK, of.get("max_live_blocks_within", 0), 0, 0, 0) for of in counted))
        self.add_tallies(counted)
        self.add(EXTRAS, b"".join(struct.pack("<8Q", *(of.get(name, 0) for name in EXTRA), 0, 0, 0) for of in counted))
        self.add(RARES, b"".join(struct.pack("<2Q", *(of.get(name, 0) for name in RARE)) for of in counted))
        if any(site.get("possibly_leaked_blocks") for site in self.sites):
            self.add_array(POSSIBLY, bytes(16) + b"".join(
                struct.pack("<QQ", site["possibly_leaked_blocks"], site["possibly_leaked_bytes"]) for site in self.sites))
        if any("sizes" in site for site in self.sites):
            self.add_array(SIZES, b"".join([bytes(512), *(classes(site.get("sizes", [])) + bytes(128) for site in self.sites)]))
        if any("lifetimes" in site for site in self.sites):
            self.add_array(LIFETIMES, b"".join([bytes(1024), *(self.lifetimes(site["lifetimes"]) for site in self.sites)]))

    def lifetimes(self, of):
        return struct.pack("<QQ", of["allocations"], of["nanoseconds"]) + classes(of["by_allocations"]) + classes(of["by_time"]) + bytes(240)

    def add_pairs(self):
        pairs = b""
        for pair in self.report.get("pairs", []) + self.report.get("faults", []):
            key = 1 << 63 | KINDS.index(pair["kind"]) << 56 | self.rows.get(pair["owner"], 0) << 28 | self.rows.get(pair["by"], 0)
            pairs += struct.pack("<QQQ", key, pair["count"], pair["bytes"])
        self.add_array(PAIRS, pairs)

    def add_parts(self):
        parts = b""
        for part in self.report.get("threads", []):
            parts += struct.pack("<QIIII", part["pid"], part.get("thread", 0), self.name(part.get("phase")), 1 if "thread" in part else 2, 0)
            parts += struct.pack("<11Q", *came_and_went(part), *(part.get(name, 0) for name in EXTRA + RARE))
        if "threads" in self.report:
            self.add(PARTS, parts + bytes(112))

    def header(self):
        report = self.report
        run, walks = report.get("run", {}), report.get("walks", {})
        flags = 16 | 1 * ("pairs" in report) | 2 * any("sizes" in site for site in self.sites) | 4 * ("leaked_bytes" in report["totals"]) | \
            128 * any("lifetimes" in site for site in self.sites) | 8 * bool(report.get("forked"))
        peak = sum(site["peak_bytes"] - site.get("inherited_bytes", 0) for site in self.sites if not site.get("chunk"))
        first = struct.pack("<8sII8QIIIIIIQ", b"\x89ALSITE\n", VERSION, 0x01020304, report["pid"], 0, run.get("begun_ms", 0) * 10**6,
                            run.get("ended_ms", 0) * 10**6, report.get("processes", 1), report.get("unfinished", not report["finished"]), 0, 0,
                            0, flags, self.name(report["program"]), 0, 0, self.name(report.get("leaked_unknown")), 0)
        first += struct.pack("<qqQqqII", peak, STEP, report["peak_within"], STEP, 0, 0, 0) + bytes(72)
        first += struct.pack("<4Q", *(walks.get(name, 0) for name in ("depth", "ended_early", "without_stack", "without_caller")))
        ending = 1 + ENDINGS.index(run["ending"]) if run.get("ending") in ENDINGS else 0
        return first + struct.pack("<4QIIIIQQ", 0, 0, 0, run.get("max_resident_bytes", 0), ending, run.get("status", 0),
                                   self.name(run.get("command")), 0, 0, len(RARE))

    def profile(self):
        self.make_records()
        self.add_counters()
        self.add_pairs()
        self.add_parts()
        self.add(NOTES, b"".join(struct.pack("<IIQ", 1, self.name(reason), self.report.get("processes", 1))
                                 for reason in self.report["inexact_reasons"]) + bytes(16))
        header = self.header()
        self.bytes[:len(header)] = header
        self.add_array(RECORDS, b"".join(self.records))
        self.add_array(NAMES, bytes(self.names))
        assert len(self.areas) <= 64
        areas = b"".join(self.areas)
        self.bytes[PAGE:PAGE + 4] = struct.pack("<I", len(self.areas))
        self.bytes[PAGE + 2048:PAGE + 2048 + len(areas)] = areas
        return bytes(self.bytes)


def profile(report):
    """Returns the bytes of the profile. The totals are always the sums of the sites."""
    return Writer(report).profile()


def words():
    """Returns a report with pairs, faults, sizes, leaked blocks and inlined callers."""
    with open(os.path.join(HERE, "words.json")) as file:
        return json.load(file)


def write(path, report):
    with open(path, "wb") as file:
        file.write(profile(report))
    return path
