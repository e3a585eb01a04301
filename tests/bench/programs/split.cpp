/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Splits a file into lines and fields, sorts the lines by a field and joins them: vectors of strings.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using Fields = std::vector<std::string>;

static Fields split(const std::string &text, char separator) {
    Fields fields;
    for (std::size_t from = 0, to; from <= text.size(); from = to + 1) {
        to = std::min(text.find(separator, from), text.size());
        fields.push_back(text.substr(from, to - from));
    }
    return fields;
}

static std::string join(const Fields &fields, char separator) {
    std::string text;
    for (const std::string &field : fields)
        text += field + separator;
    return text;
}

static std::size_t sort_lines(const std::string &text) {
    std::vector<Fields> lines;
    for (const std::string &line : split(text, '\n'))
        lines.push_back(split(line, '"'));
    std::sort(lines.begin(), lines.end(),
              [](const Fields &a, const Fields &b) { return a.back() < b.back(); });
    std::size_t size = 0;
    for (const Fields &line : lines)
        size += join(line, '"').size();
    return size;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    std::ifstream file(argv[2]);
    std::string text(std::istreambuf_iterator<char>(file), {});
    std::size_t total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--)
        total += sort_lines(text);
    printf("%zu\n", total);
}
