/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks from operators new of the program and of the C++ library, which this program deletes. */
#include <cstdio>
#include <string>
#include <vector>

int main() {
    std::string text;
    for (int i = 0; i < 100; i++)
        text += "some text that grows";
    std::vector<int *> blocks;
    for (int i = 0; i < 10; i++)
        blocks.push_back(new int[i + 1]);
    for (int *p : blocks)
        delete[] p;
    printf("%zu\n", text.size());
    return 3;
}
