/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of descriptors. */
#include "lib/registry/descriptor.h"

#include <cmocka.h>
#include <string.h>

struct module {
    struct allocsite_site leader, between, site;
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

static void pack(allocsite_ref *field, const void *target, const struct module *module, uint32_t upper) {
    *field = (allocsite_ref)((uint32_t)((const char *)target - (const char *)&module->scope) + (upper << 24));
}

/* Encodes the site as joined to a leader that is `back` descriptors before; its scope follows the
 * leader's. */
static void join(struct module *module, uint32_t back) {
    module->site.kind = ALLOCSITE_JOINED;
    REF(module->leader.scope, module->outer);
    if (back)
        module->site.scope = (allocsite_ref)((char *)&module->scope - (char *)&module->outer);
    pack(&module->site.caller, &module->frame, module, back & 0xFF);
    pack(&module->site.request, &module->request, module, back >> 8);
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
    struct place at = descriptor_at(copy);
    assert_string_equal(at.function, "f(int)");
    assert_string_equal(at.file, "a.c");
    assert_string_equal(descriptor_request(copy, false), "malloc");
    assert_string_equal(descriptor_request(copy, true), "int");
    const struct allocsite_frame *frame = descriptor_frame(&copy->caller);
    assert_int_equal(frame->line, 8);
    struct place outer = descriptor_place(frame);
    assert_null(outer.function);
    assert_string_equal(outer.file, "a.c");
    assert_null(descriptor_frame(&frame->caller));
    for (size_t i = size; i < sizeof memory; i++)
        assert_int_equal(memory[i], 0);
}

static void a_copy_stands_alone(void **state) {
    (void)state;
    check_copy(filled());
    for (uint32_t back = 0; back <= 2; back += 2) {
        struct module *module = filled();
        join(module, back);
        check_copy(module);
    }
}

static void joined_references_equal_plain_ones(void **state) {
    (void)state;
    struct module *module = filled();
    struct allocsite_refs plain = allocsite_refs_of(&module->site, &module->site);
    join(module, 2);
    assert_int_equal(allocsite_to_leader(&module->site), 2);
    struct allocsite_refs refs = allocsite_refs_of(&module->site, &module->leader);
    assert_memory_equal(&refs, &plain, sizeof plain);
    module->site.caller = 2 << 24;
    assert_null(descriptor_caller(&module->site));
    assert_string_equal(descriptor_request(&module->site, false), "malloc");
    join(module, 0xFEDC);
    assert_int_equal(allocsite_to_leader(&module->site), 0xFEDC);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_references_equal_plain_ones),
        cmocka_unit_test(a_copy_stands_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
