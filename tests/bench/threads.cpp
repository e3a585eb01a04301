// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four threads that allocate at the same sites at once.
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

static void work(long pairs) {
    for (long i = 0; i < pairs; i++) {
        std::unique_ptr<long[]> volatile_array(new long[1 + i % 32]);
        volatile_array[0] = i;
        asm volatile("" : : "r"(volatile_array.get()) : "memory");
    }
}

int main(int count, char **arguments) {
    long pairs = count > 1 ? atol(arguments[1]) : 5000000;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, pairs);
    for (auto &thread : threads)
        thread.join();
    return 0;
}
