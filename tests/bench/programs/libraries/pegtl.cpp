/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Builds the syntax tree of a JSON file with PEGTL's JSON grammar, and counts its nodes.
#include "repeat.h"
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

static std::size_t parse(const std::string &text) {
    pegtl::memory_input<> input(text, "");
    return nodes(*pegtl::parse_tree::parse<Grammar, Kept>(input));
}

int main(int argc, char **argv) {
    return repeat(parse, argc, argv);
}
