/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Parses a JSON file into a RapidJSON document with one block per value, and writes it again.
#include "repeat.h"
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

using Document = rapidjson::GenericDocument<rapidjson::UTF8<>, rapidjson::CrtAllocator>;

static std::size_t parse_and_write(const std::string &text) {
    Document document;
    document.Parse(text.c_str(), text.size());
    rapidjson::StringBuffer written;
    rapidjson::Writer<rapidjson::StringBuffer> writer(written);
    document.Accept(writer);
    return written.GetSize();
}

int main(int argc, char **argv) {
    return repeat(parse_and_write, argc, argv);
}
