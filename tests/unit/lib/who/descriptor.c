/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of descriptors. */
#include "lib/who/descriptor.h"

#include <cmocka.h>
#include <string.h>

struct module {
    struct allocsite_site site;
    struct allocsite_request request;
    struct allocsite_scope scope, outer;
    struct allocsite_frame frame;
    char function[8], file[8], callee[8], type[8];
};

#define REF(field, target) (field) = (allocsite_ref)((char *)&(target) - (char *)&(field))

static struct module *filled(void) {
    static struct module module;
    module = (struct module){.site = {.hash = 5, .line = 3, .column = 4, .version = ALLOCSITE_FORMAT_VERSION},
                             .frame = {.line = 8, .column = 9},
                             .function = "f(int)",
                             .file = "a.c",
                             .callee = "malloc",
                             .type = "int"};
    REF(module.site.scope, module.scope);
    REF(module.site.request, module.request);
    REF(module.site.caller, module.frame);
    REF(module.scope.function, module.function);
    REF(module.scope.file, module.file);
    REF(module.outer.file, module.file);
    REF(module.frame.scope, module.outer);
    REF(module.request.callee, module.callee);
    REF(module.request.type, module.type);
    return &module;
}

static void count_from_scope(struct module *module) {
    module->site.kind = ALLOCSITE_FROM_SCOPE;
    module->site.request = (allocsite_ref)((char *)&module->request - (char *)&module->scope);
    module->site.caller = (allocsite_ref)((char *)&module->frame - (char *)&module->scope);
}

static void check_copy(struct module *module) {
    _Alignas(16) char memory[512] = {0};
    size_t size = descriptor_copy_size(&module->site);
    assert_true(size < sizeof memory);
    struct allocsite_site *copy = descriptor_copy(&module->site, memory);
    assert_int_equal(copy->key, ALLOCSITE_KEY_NONE);
    assert_int_equal(copy->kind, ALLOCSITE_ALLOC);
    assert_true(descriptor_same(copy, &module->site));
    memset(module, 0xEE, sizeof *module);
    struct place at = descriptor_place(&copy->scope, copy->line, copy->column);
    assert_string_equal(at.function, "f(int)");
    assert_string_equal(at.file, "a.c");
    assert_string_equal(descriptor_request(copy, false), "malloc");
    assert_string_equal(descriptor_request(copy, true), "int");
    const struct allocsite_frame *frame = descriptor_frame(&copy->caller);
    assert_int_equal(frame->line, 8);
    struct place outer = descriptor_place(&frame->scope, frame->line, frame->column);
    assert_null(outer.function);
    assert_string_equal(outer.file, "a.c");
    assert_null(descriptor_frame(&frame->caller));
    for (size_t i = size; i < sizeof memory; i++)
        assert_int_equal(memory[i], 0);
}

static void a_copy_stands_alone(void **state) {
    (void)state;
    check_copy(filled());
    struct module *module = filled();
    count_from_scope(module);
    check_copy(module);
}

static void plain_references_lead_where_those_from_the_scope_do(void **state) {
    (void)state;
    struct module *module = filled();
    struct allocsite_site plain = module->site;
    count_from_scope(module);
    struct allocsite_site made = allocsite_site_plain(module->site);
    assert_memory_equal(&made, &plain, sizeof plain);
    module->site.caller = 0;
    assert_int_equal(allocsite_site_plain(module->site).caller, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_references_lead_where_those_from_the_scope_do),
        cmocka_unit_test(a_copy_stands_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
