// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What C++ programs do with the heap: nodes, strings, growing vectors.
#include <cstdlib>
#include <list>
#include <map>
#include <string>
#include <vector>

int main(int count, char **arguments) {
    long rounds = count > 1 ? atol(arguments[1]) : 40;
    size_t total = 0;
    for (long round = 0; round < rounds; round++) {
        std::map<std::string, std::vector<int>> index;
        std::list<std::string> order;
        for (int i = 0; i < 20000; i++) {
            std::string key = "a key that is too long for the string itself " + std::to_string(i * 7919 % 4001);
            index[key].push_back(i);
            order.push_back(std::move(key));
        }
        total += index.size() + order.size();
    }
    return total == 0;
}
