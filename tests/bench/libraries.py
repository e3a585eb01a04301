# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Header-only libraries of Debian, which users compile themselves. One short program per library does a typical task
with data that Debian ships. The libraries were chosen, and their programs written, before any of them was measured. times.py
has further
programs with nlohmann/json and uthash."""
import json
import os
from dataclasses import dataclass
from xml.sax.saxutils import escape

from interleave import Job
from times import TABLE, Subject

SCHEMA = "/usr/share/iso-codes/json/schema-639-3.json"
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


@dataclass
class Library:
    source: str
    work: int  # repetitions in a full run, for about a fifth of a second
    header: str
    data: tuple  # files, or notations of TABLE in NOTATIONS


LIBRARIES = [
    Library("nlohmann.cpp", 8, "nlohmann/json.hpp", (TABLE,)),
    Library("rapidjson.cpp", 40, "rapidjson/document.h", (TABLE,)),
    Library("picojson.cpp", 16, "picojson.h", (TABLE,)),
    Library("valijson.cpp", 8, "valijson/validator.hpp", (TABLE, SCHEMA)),
    Library("pegtl.cpp", 4, "tao/pegtl/contrib/parse_tree.hpp", (TABLE,)),
    Library("ptree.cpp", 2, "boost/property_tree/ptree.hpp", (TABLE,)),
    Library("rapidxml.cpp", 25, "rapidxml/rapidxml.hpp", ("xml",)),
    Library("toml11.cpp", 1, "toml.hpp", ("toml",)),
    Library("tomlplusplus.cpp", 4, "toml++/toml.h", ("toml",)),
    Library("mustache.cpp", 10, "kainjow/mustache.hpp", ("tsv",)),
    Library("truetype.c", 40, "stb/stb_truetype.h", (FONT,)),
]


def toml(languages):
    # A JSON string is a valid TOML string.
    for language in languages:
        yield "[[languages]]\n"
        yield from (f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in language.items())


def xml(languages):
    yield "<languages>\n"
    for language in languages:
        fields = (f"<{key}>{escape(value)}</{key}>" for key, value in language.items())
        yield f"<language>{''.join(fields)}</language>\n"
    yield "</languages>\n"


def tsv(languages):
    return (f"{language['alpha_3']}\t{language['name']}\n" for language in languages)


NOTATIONS = {"toml": toml, "xml": xml, "tsv": tsv}


def data_file(builder, data):
    """Returns the path of the data. Writes the file if it is a notation."""
    if data not in NOTATIONS:
        return data
    path = os.path.join(builder.work, f"languages.{data}")
    with open(TABLE) as table, open(path, "w") as file:
        file.writelines(NOTATIONS[data](json.load(table)["639-3"]))
    return path


def missing(library):
    paths = [f"/usr/include/{library.header}", TABLE, *(path for path in library.data if path not in NOTATIONS)]
    return next((path for path in paths if not os.path.exists(path)), None)


def subject(builder, library, quick):
    work = 1 if quick else library.work
    arguments = [str(work), *(data_file(builder, data) for data in library.data)]
    return Subject(os.path.splitext(library.source)[0], builder, Job(f"libraries/{library.source}", arguments))


def candidates(builder, quick):
    """Returns (subjects that can be built here, reasons for the others)."""
    lacking = {library.source: missing(library) for library in LIBRARIES}
    present = [library for library in LIBRARIES if not lacking[library.source]]
    return ([subject(builder, library, quick) for library in present],
            {source: f"there is no {path}" for source, path in lacking.items() if path})
