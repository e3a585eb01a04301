// Parses an XML file with RapidXml, which takes its nodes from chunks of 64 KiB, and counts them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file.h"
#include <cstdio>
#include <cstdlib>
#include <rapidxml/rapidxml.hpp>

static std::size_t nodes(const rapidxml::xml_node<> &node) {
    std::size_t count = 1;
    for (auto child = node.first_node(); child; child = child->next_sibling())
        count += nodes(*child);
    return count;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    const std::string text = contents(argv[2]);
    std::size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--) {
        std::string parsed = text;
        rapidxml::xml_document<> document;
        document.parse<0>(parsed.data());
        total += nodes(document);
    }
    printf("%zu\n", total);
}
