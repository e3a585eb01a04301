/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reads a JSON list of languages into Boost's property tree, writes it as XML and reads that.
#include "repeat.h"
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
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
    return repeat(convert, argc, argv);
}
