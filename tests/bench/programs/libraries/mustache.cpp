/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Fills a page from the lines of a file (code, tab, name) with kainjow's Mustache.
#include "repeat.h"
#include <kainjow/mustache.hpp>
#include <sstream>

namespace mustache = kainjow::mustache;

static const char page[] =
    "<html><body><h1>{{title}}</h1><table>\n"
    "{{#languages}}<tr id='{{code}}'><td>{{code}}</td><td>{{name}}</td></tr>\n{{/languages}}"
    "{{^languages}}<tr><td>none</td></tr>{{/languages}}</table></body></html>\n";

static mustache::data languages(const std::string &text) {
    mustache::data list(mustache::data::type::list);
    std::istringstream lines(text);
    for (std::string code, name; std::getline(lines, code, '\t') && std::getline(lines, name);) {
        mustache::data language;
        language["code"] = code;
        language["name"] = name;
        list << language;
    }
    return list;
}

static std::size_t fill(const std::string &text) {
    mustache::mustache view(page);
    mustache::data data;
    data["title"] = "Languages";
    data["languages"] = languages(text);
    return view.render(data).size();
}

int main(int argc, char **argv) {
    return repeat(fill, argc, argv);
}
