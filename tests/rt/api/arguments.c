/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every function of allocsite.h with NULL, and calls in the wrong order. Argument "asleep": the runtime is off until
 * allocsite_start is called; "absent": there is no runtime. */
#include <allocsite.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;
static int is_off, is_absent;

#define EXPECT(left, right)                                                                                  \
    do {                                                                                                     \
        long long l_ = (long long)(left), r_ = (long long)(right);                                           \
        if (l_ != r_ || errno != 77) {                                                                       \
            fprintf(stderr, "line %d: " #left " is %lld, not %lld; errno %d\n", __LINE__, l_, r_, errno);    \
            failed = 1;                                                                                      \
        }                                                                                                    \
        errno = 77;                                                                                          \
    } while (0)

/* A function without a result. */
#define CALL(call) EXPECT(((call), 0), 0)

#define WRONG      (is_off ? ENOSYS : EINVAL)

static void ignore(const struct allocsite_event *event, void *data) {
    (void)event;
    (void)data;
}

static void pass_null(void) {
    struct allocsite_totals totals;
    EXPECT(allocsite_start_profile(NULL), is_absent ? ENOSYS : EINVAL);
    EXPECT(allocsite_report(NULL, NULL), WRONG);
    EXPECT(allocsite_report(NULL, "json"), WRONG);
    EXPECT(allocsite_report("never.json", "no such format"), WRONG);
    EXPECT(allocsite_report_fd(-1, "no such format"), is_off ? ENOSYS : EBADF);
    EXPECT(allocsite_report_fd(-1, NULL), is_off ? ENOSYS : EBADF);
    EXPECT(allocsite_report_to(-1, NULL), is_off ? ENOSYS : EBADF);
    EXPECT(allocsite_profile(NULL), WRONG);
    EXPECT(allocsite_profile_fd(-1), is_off ? ENOSYS : EBADF);
    EXPECT(allocsite_graph(NULL), WRONG);
    EXPECT(allocsite_deep_size(NULL), 0);
    EXPECT(allocsite_register_root(NULL, 8), is_absent ? ENOSYS : EINVAL); /* remembered until counting begins */
    EXPECT(allocsite_unregister_root(&totals, sizeof totals), is_absent ? ENOSYS : ENOENT);
    EXPECT(allocsite_totals(NULL), WRONG);
    EXPECT(allocsite_thread_totals(NULL), WRONG);
    EXPECT(allocsite_totals(&totals), is_off ? ENOSYS : 0);
    EXPECT(allocsite_thread_totals(&totals), is_off ? ENOSYS : 0);
    EXPECT(allocsite_on_event(NULL, NULL, NULL), WRONG);
    EXPECT(allocsite_off_event(NULL, NULL), is_off ? ENOSYS : ENOENT);
    CALL(allocsite_mark(NULL, 10));
    CALL(allocsite_mark(NULL, 0));
    CALL(allocsite_unmark(NULL));
    EXPECT(allocsite_check_begin(NULL), EINVAL);
    EXPECT(allocsite_check_end(NULL, NULL, 0), 0);
}

/* A region without a beginning, and a buffer without a size or vice versa, are invalid. */
static void check_out_of_order(void) {
    char text[100] = "before";
    struct allocsite_check check, copy, inner;
    memset(&check, 0xA5, sizeof check);
    EXPECT(allocsite_check_end(&check, text, sizeof text), 0);
    EXPECT(text[0], 0);
    memset(&check, 0, sizeof check);
    EXPECT(allocsite_check_end(&check, NULL, 0), 0);
    check.state = &check; /* readable memory that is no region */
    check.size = sizeof check;
    EXPECT(allocsite_check_end(&check, NULL, 100), 0);
    EXPECT(allocsite_check_begin(&check), is_off ? ENOSYS : 0);
    copy = check;
    EXPECT(allocsite_check_begin(&inner), is_off ? ENOSYS : 0);
    void *volatile p = malloc(10);
    free(p);
    EXPECT(allocsite_check_end(&check, NULL, 100), !is_off);
    EXPECT(allocsite_check_end(&inner, text, 1), !is_off);
    EXPECT(allocsite_check_end(&inner, text, sizeof text), 0);
    EXPECT(allocsite_check_end(&copy, text, sizeof text), 0);
}

static void phases_out_of_order(void) {
    CALL(allocsite_phase_pop());
    CALL(allocsite_phase_push(NULL));
    CALL(allocsite_phase_push("phase"));
    for (int i = 0; i < 3; i++)
        CALL(allocsite_phase_pop());
}

static void events_out_of_order(void) {
    EXPECT(allocsite_off_event(ignore, NULL), is_off ? ENOSYS : ENOENT);
    EXPECT(allocsite_on_event(ignore, NULL, "no such key=1"), WRONG);
    EXPECT(allocsite_on_event(ignore, NULL, NULL), is_off ? ENOSYS : 0);
    EXPECT(allocsite_off_event(ignore, NULL), is_off ? ENOSYS : 0);
    EXPECT(allocsite_off_event(ignore, NULL), is_off ? ENOSYS : ENOENT);
}

static void counting_out_of_order(void) {
    EXPECT(allocsite_start(), is_off ? ENOSYS : EALREADY);
    EXPECT(allocsite_stop(), is_off ? ENOSYS : 0);
    EXPECT(allocsite_stop(), is_off ? ENOSYS : EALREADY);
    EXPECT(allocsite_is_counting(), 0);
    EXPECT(allocsite_start(), is_off ? ENOSYS : 0);
    EXPECT(allocsite_is_counting(), !is_off);
}

static void *do_all(void *unused) {
    errno = 77;
    pass_null();
    check_out_of_order();
    phases_out_of_order();
    events_out_of_order();
    if (!is_off || is_absent)
        counting_out_of_order();
    CALL(allocsite_reset());
    return unused;
}

int main(int count, char **arguments) {
    pthread_t thread;
    is_off = count > 1;
    is_absent = is_off && strcmp(arguments[1], "absent") == 0;
    do_all(NULL);
    pthread_create(&thread, NULL, do_all, NULL);
    pthread_join(thread, NULL);
    do_all(NULL);
    if (!failed)
        puts("done");
    return failed;
}
