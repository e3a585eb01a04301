/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reads a JSON list of languages with nlohmann/json, groups it by a field, and converts the result to CBOR
// and back.
#include "repeat.h"
#include <nlohmann/json.hpp>

using nlohmann::json;

static json by_type(const json &languages) {
    json types;
    for (const json &language : languages)
        types[language["type"].get<std::string>()][language["alpha_3"].get<std::string>()] = language["name"];
    return types;
}

static std::size_t convert(const std::string &text) {
    std::vector<std::uint8_t> packed = json::to_cbor(by_type(json::parse(text)["639-3"]));
    return packed.size() + json::from_cbor(packed).dump().size();
}

int main(int argc, char **argv) {
    return repeat(convert, argc, argv);
}
