; An attribute that names a function with the same signature is removed from an entry point, which also takes the site.
; LLVM 22 rejects the module otherwise.
; REQUIRES: llvm-22
; RUN: %opt -passes='default<O2>,verify' %s | %check
; CHECK: call {{.*}}@__liballocsite_v1_malloc_by_context(i64 %n, ptr @__allocsite_sites.use, i64 %allocsite.context){{$}}
; CHECK: declare noalias {{.*}}ptr @__liballocsite_v1_malloc_by_context({{.*}}) [[ENTRY:#[0-9]+]]
; CHECK: attributes [[ENTRY]] = { {{.*}}allockind("alloc,uninitialized") allocsize(0) "alloc-family"="malloc" }
target triple = "x86_64-pc-linux-gnu"

@place = external global ptr

declare noalias ptr @malloc(i64) allockind("alloc,uninitialized") allocsize(0) "alloc-family"="malloc" "alloc-variant-zeroed"="calloc_like"
declare noalias ptr @calloc_like(i64) allockind("alloc,zeroed") allocsize(0) "alloc-family"="malloc"

define void @use(i64 %n) {
  %c = call noalias ptr @malloc(i64 %n) "alloc-variant-zeroed"="calloc_like"
  store volatile ptr %c, ptr @place
  %e = call noalias ptr @calloc_like(i64 4)
  store volatile ptr %e, ptr @place
  ret void
}
