/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Containers and strings: rows are lines of the program, in whatever library code the allocator is called. "@
 * CALLS" has a line's calls. */
#include <deque>
#include <memory>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

struct Word {
    std::string text;
};

class Numbers {
    std::vector<int> list;

  public:
    NOINLINE void push(int number) {
        list.push_back(number); /* @ 4 */
    }
};

class Queue {
    std::deque<int> numbers;

  public:
    NOINLINE Queue() {} /* @ 2 */
};

class Array {
    std::unique_ptr<int[]> owned;

  public:
    NOINLINE Array(int size) : owned(new int[size]) {} /* @ 1 */
};

NOINLINE static void convert(std::vector<Word> &words, const std::string &text) {
    words.resize(text.size()); /* @ 1 */
}

static std::string early(100, 'y'); /* @ 1 */

int main() {
    std::string text(100, 'x'); /* @ 1 */
    text += text;               /* @ 1 */
    Numbers numbers;
    for (int i = 0; i < 8; i++)
        numbers.push(i);
    Queue queue;
    Array array(10);
    std::vector<Word> words;
    convert(words, text);
    return 0;
}
