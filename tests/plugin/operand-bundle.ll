; A rewritten call keeps its operand bundles, calling convention, tail-call kind, attributes and metadata.
; RUN: %opt -passes=allocsite-rewrite %s | %check
; RUN: %opt -passes='default<O2>' %s | %check
; CHECK: %p = notail call noalias align 16 {{.*}}@__liballocsite_v1_malloc{{(_by_context)?}}(i64 noundef 8, {{.*}}@__allocsite_sites.bundle{{.*}}) #[[ATTR:[0-9]+]] [ "deopt"(i32 7) ], !dbg !{{[0-9]+}}, !kept ![[KEPT:[0-9]+]]
; CHECK: attributes #[[ATTR]] = { {{.*}}nounwind "mine" }
target triple = "x86_64-pc-linux-gnu"

declare noalias i8* @malloc(i64)

define i8* @bundle() !dbg !3 {
  %p = notail call noalias align 16 i8* @malloc(i64 noundef 8) nounwind "mine" [ "deopt"(i32 7) ], !dbg !5, !kept !6
  ret i8* %p
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/x")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "bundle", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !7)
!5 = !DILocation(line: 2, column: 3, scope: !3)
!6 = !{!"kept"}
!7 = !{}
