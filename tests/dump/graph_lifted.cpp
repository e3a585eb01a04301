/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A tree of containers that one line makes: all its blocks have one site and many types.
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

struct leaf {
    std::string name;
    std::set<long> numbers;
};

using branch = std::map<std::string, std::vector<std::list<leaf>>>;

struct tree {
    std::map<int, branch> branches;
    std::deque<leaf> more;
};

int main() {
    tree made;
    for (int i = 0; i < 4; i++) {
        leaf one{"a name that is longer than what fits, number " + std::to_string(i), {1, 2, 3}};
        made.branches[i]["a branch that has a rather long name as well"] = {{one, one}, {one}, {}};
        made.more.push_back(one);
    }
    static tree &copy = *new tree(made); // stays until the end
    made = {};
    printf("made %p\nready\n", static_cast<void *>(&copy));
    fflush(stdout);
    getchar();
    printf("%zu\n", copy.branches.size());
}
