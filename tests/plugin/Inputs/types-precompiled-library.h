#include <vector>

struct Item {
    int x;
};
