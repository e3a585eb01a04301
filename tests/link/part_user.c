/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls a library with known allocations.
void part_allocate(void);

int main(void) {
    for (int i = 0; i < 4; i++)
        part_allocate();
    return 0;
}
