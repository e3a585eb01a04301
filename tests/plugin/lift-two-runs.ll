; The two stages need not run in one process: what the first finds out stands in the module, and the second takes it away.
; RUN: %opt -passes=allocsite-mark %s | %check --check-prefix=MARKED
; RUN: %opt -passes=allocsite-mark %s | %opt -passes=allocsite-rewrite | %check
; MARKED: "allocsite-wrapper"="0,0,1,0,0,0,0,0,0,0,0,0,"
; MARKED: !allocsite.wrappers = !{
; CHECK-NOT: allocsite-wrapper
; CHECK: @__allocsite_wrappers = private constant {{.*}} section "allocsite_wrappers"
; CHECK: define {{.*}}@xmalloc(
; CHECK: load volatile {{.*}}@__liballocsite_v1_lifted
; CHECK-NOT: allocsite-wrapper
; CHECK-NOT: !allocsite.wrappers
target triple = "x86_64-unknown-linux-gnu"
declare i8* @malloc(i64)
define i8* @xmalloc(i64 %n) !dbg !4 {
  %p = call i8* @malloc(i64 %n), !dbg !7
  ret i8* %p, !dbg !7
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "x.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "xmalloc", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 2, column: 3, scope: !4)
