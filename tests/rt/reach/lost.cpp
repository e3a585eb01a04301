/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Blocks that objects keep reachable, and blocks that they leak.
#include "common.h"

#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Left {
    long left = 1;
    virtual ~Left() {}
};

struct Right {
    long right = 2;
    virtual ~Right() {}
};

struct Both : Left, Right {
    long both = 3;
    std::unique_ptr<int> own{new int(5)}; // @ lost 1 4
};

struct Counted {
    int *value = new int(7); // @ lost 4 16
    ~Counted() {
        delete value;
    }
};

struct Keeper {
    std::map<int, std::string> map;
    std::unordered_map<int, std::vector<int>> hash;
    std::list<std::shared_ptr<Both>> list;
};

static Keeper *keeper;
static Right *second_base;
static Counted *array, *empty;

NOINLINE static void keep() {
    keeper = new Keeper;
    for (int i = 0; i < 1000; i++) {
        keeper->map[i] = std::string(100, 'x');
        keeper->hash[i % 10].push_back(i);
    }
    keeper->list.push_back(std::make_shared<Both>());
    second_base = new Both;
    array = new Counted[3];
    empty = new Counted[0];
}

NOINLINE static void lose_all() {
    lose(new Both);                        // @ lost 1 48
    lose(new Counted[4]);                  // @ lost 1 40
    lose(new std::string("short"));        // @ lost 1 32
    lose(new std::vector<int>);            // @ lost 1 24
    lose(new (std::align_val_t(128)) int); // @ lost 1 4
    try {
        throw std::string(1000, 'y');
    } catch (std::string &) {
    }
}

int main() {
    keep();
    lose_all();
    clear_stack();
    std::puts("done");
    clear_stack();
    return 3;
}
