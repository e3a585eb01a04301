/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Checks a JSON file against its schema with Valijson.
#include "repeat.h"
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

using Adapter = valijson::adapters::NlohmannJsonAdapter;

static bool is_valid(const nlohmann::json &schema_text, const nlohmann::json &document) {
    valijson::Schema schema;
    valijson::SchemaParser(valijson::SchemaParser::kDraft4).populateSchema(Adapter(schema_text), schema);
    return valijson::Validator().validate(schema, Adapter(document), nullptr);
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    auto document = nlohmann::json::parse(contents(argv[2]));
    auto schema = nlohmann::json::parse(contents(argv[3]));
    int valid = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--)
        valid += is_valid(schema, document);
    printf("%d\n", valid);
}
