/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// C++20 coroutines: each is resumed from several places, and allocates before and after its suspensions, directly and
// in functions that it calls.
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <exception>

#define APART __attribute__((noinline))
#define HERE  __asm__ volatile("")

APART static void use(size_t bytes) {
    free(malloc(bytes));
    HERE;
}

struct Steps {
    struct promise_type {
        Steps get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept {
            use(8);
            return {};
        }
        std::suspend_always final_suspend() noexcept {
            use(16);
            return {};
        }
        std::suspend_always yield_value(int) {
            use(24);
            return {};
        }
        void return_void() {}
        void unhandled_exception() {
            use(32);
        }
    };
    std::coroutine_handle<promise_type> handle;

    APART bool next() {
        use(40);
        handle.resume();
        HERE;
        return !handle.done();
    }
};

APART static Steps count(int most) {
    for (int i = 0; i < most; i++) {
        use(48);
        co_yield i;
        use(56);
    }
    if (most > 3)
        throw most;
}

// Resumes another coroutine between its own suspensions.
APART static Steps nested(int most) {
    Steps inner = count(most);
    while (inner.next()) {
        use(64);
        co_yield 1;
        use(72);
    }
    inner.handle.destroy();
}

APART static void left(Steps &steps) {
    steps.next();
    use(80);
}

APART static void right(Steps &steps) {
    steps.next();
    use(80);
}

APART static void deeply(Steps &steps, int depth) {
    if (depth)
        deeply(steps, depth - 1);
    else
        steps.next();
    use(88);
    HERE;
}

APART static void run(Steps steps) {
    for (int i = 0; !steps.handle.done(); i++) {
        if (i % 3 == 0)
            left(steps);
        else if (i % 3 == 1)
            right(steps);
        else
            deeply(steps, i);
    }
    steps.handle.destroy();
}

// Transfers control to the coroutine that it awaits, and back at the end, by tail calls if the compiler makes
// them.
struct Task {
    struct promise_type {
        std::coroutine_handle<> waiting;

        struct Final {
            bool await_ready() noexcept {
                return false;
            }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
                use(96);
                return self.promise().waiting ? self.promise().waiting : std::noop_coroutine();
            }
            void await_resume() noexcept {}
        };
        Task get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept {
            return {};
        }
        Final final_suspend() noexcept {
            return {};
        }
        void return_void() {}
        void unhandled_exception() {
            abort();
        }
    };
    std::coroutine_handle<promise_type> handle;

    bool await_ready() {
        return false;
    }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) {
        handle.promise().waiting = waiting;
        use(104);
        return handle;
    }
    void await_resume() {
        handle.destroy();
    }
};

static Task innermost(int i) {
    use(112);
    if (i % 2)
        use(120);
    co_return;
}

static Task waits_twice(int i) {
    co_await innermost(i);
    use(128);
    co_await innermost(i + 1);
    use(136);
}

static Task waits_often(int most) {
    for (int i = 0; i < most; i++)
        co_await waits_twice(i);
}

APART static void hand_over(int most) {
    Task task = waits_often(most);
    task.handle.resume();
    task.handle.destroy();
    HERE;
}

int main() {
    for (int i = 0; i < 20; i++) {
        run(count(i));
        run(nested(i));
        hand_over(i);
    }
    puts("done");
    return 3;
}
