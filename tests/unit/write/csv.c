/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report as CSV. */
#include "report_rows.h"

static void csv(void **state) {
    (void)state;
    struct report report = unprepared();
    report.reach = true;
    report_prepare(&report, &(struct report_limits){0});
    assert_string_equal(
        text_of(&report, FORMAT_CSV),
        "id,module,sited,function,file,line,column,callee,type,inlined,address,chunk,mapping,allocs,alloc_"
        "bytes,reallocs,"
        "realloc_bytes,realloc_old_bytes,frees,freed_bytes,moved,moved_bytes,live_blocks,live_bytes,failed,"
        "peak_bytes,peak_blocks,inherited_blocks,inherited_bytes,max_live_blocks,max_live_blocks_within,"
        "leaked_blocks,leaked_bytes,possibly_leaked_blocks,possibly_leaked_bytes\r\n"
        "0000000000000002,\"/bin/p\",1,\"g\",\"/src/a.c\",20,0,\"realloc\",\"\","
        "\"outer(int) at /src/a.c:30:2\",,0,0,1,10,4,4000,0,1,1000,4,3010,0,0,1,1000,1,0,0,1,0,0,0,0,0\r\n"
        "0000000000000001,\"/bin/p\",1,\"f\",\"/src/a.c\",10,5,\"malloc\",\"\",\"\","
        ",0,0,4,400,0,0,0,2,200,0,0,2,200,0,300,3,0,0,3,0,0,0,0,0\r\n"
        "0000000000000003,\"/lib/libc.so\",0,\"\",\"\",0,0,\"\",\"\",\"\","
        ",0,0,5,100,0,0,0,0,0,0,0,5,100,0,100,5,0,0,5,2,0,0,0,0\r\n");
}

static void hostile_names(void **state) {
    (void)state;
    struct report report = hostile_report();
    assert_non_null(strstr(text_of(&report, FORMAT_CSV), "1,\"f?[2J?1m\",\"/src/a|<b>`.c\",10,5,"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv),
        cmocka_unit_test(hostile_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
