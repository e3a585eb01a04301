// Makes the syntax tree of a JSON file with PEGTL and its grammar of JSON, and counts what stands in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "file.h"
#include <cstdio>
#include <cstdlib>
#include <tao/pegtl.hpp>
#include <tao/pegtl/contrib/json.hpp>
#include <tao/pegtl/contrib/parse_tree.hpp>

namespace pegtl = tao::pegtl;

struct Grammar : pegtl::must<pegtl::json::text, pegtl::eof> {};

template <typename Rule>
using Kept = pegtl::parse_tree::selector<
    Rule, pegtl::parse_tree::store_content::on<pegtl::json::string_content, pegtl::json::key_content,
                                               pegtl::json::array, pegtl::json::object, pegtl::json::member>>;

static std::size_t nodes(const pegtl::parse_tree::node &node) {
    std::size_t count = 1;
    for (const auto &child : node.children)
        count += nodes(*child);
    return count;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    std::string text = contents(argv[2]);
    std::size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--) {
        pegtl::memory_input<> input(text, argv[2]);
        total += nodes(*pegtl::parse_tree::parse<Grammar, Kept>(input));
    }
    printf("%zu\n", total);
}
