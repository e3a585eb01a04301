// Reads a JSON list of languages into Boost's property tree, writes it as XML and reads that.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file.h"
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstdio>
#include <cstdlib>
#include <sstream>

using boost::property_tree::ptree;

static std::size_t convert(const std::string &text) {
    std::istringstream json(text);
    ptree read, again, document;
    boost::property_tree::read_json(json, read);
    for (const auto &language : read.get_child("639-3"))
        document.add_child("languages.language", language.second);
    std::stringstream xml;
    boost::property_tree::write_xml(xml, document);
    std::size_t size = xml.str().size();
    boost::property_tree::read_xml(xml, again);
    return size + again.get_child("languages").size();
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    std::string text = contents(argv[2]);
    std::size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--)
        total += convert(text);
    printf("%zu\n", total);
}
