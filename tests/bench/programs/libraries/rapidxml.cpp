/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Parses an XML file with RapidXml, which allocates nodes in chunks of 64 KiB, and counts them.
#include "repeat.h"
#include <rapidxml/rapidxml.hpp>

static std::size_t nodes(const rapidxml::xml_node<> &node) {
    std::size_t count = 1;
    for (auto child = node.first_node(); child; child = child->next_sibling())
        count += nodes(*child);
    return count;
}

static std::size_t parse(const std::string &text) {
    std::string parsed = text;
    rapidxml::xml_document<> document;
    document.parse<0>(parsed.data());
    return nodes(document);
}

int main(int argc, char **argv) {
    return repeat(parse, argc, argv);
}
