; What names a function of the same signature, or arguments by their numbers, does not go along to one that takes the site as
; well: LLVM 22 rejects the module. Here an allocator's entry, a wrapper that is declared, as Rust does its own, and one that is defined.
; REQUIRES: llvm-22
; RUN: %opt -passes='default<O2>,verify' %s | %check
; CHECK: call {{.*}}@rust_alloc.sited.pll(i64 32, i64 allocalign 8, ptr @__allocsite_sites.use)
; CHECK: declare noalias {{.*}}ptr @__liballocsite_v1_malloc({{.*}}) [[ENTRY:#[0-9]+]]
; CHECK: define weak {{.*}}@rust_alloc.sited.pll({{.*}}) [[TWIN:#[0-9]+]]
; CHECK: attributes [[ENTRY]] = { {{.*}}allockind("alloc,uninitialized") allocsize(0) {{.*}}"alloc-family"="malloc" }
; CHECK: attributes [[TWIN]] = { {{.*}}allockind("alloc,uninitialized,aligned") allocsize(0) "alloc-family"="rust" }
target triple = "x86_64-pc-linux-gnu"

@place = external global ptr

declare noalias ptr @malloc(i64) allockind("alloc,uninitialized") allocsize(0) "alloc-family"="malloc" "alloc-variant-zeroed"="calloc_like"
declare noalias ptr @calloc_like(i64) allockind("alloc,zeroed") allocsize(0) "alloc-family"="malloc"
declare noalias ptr @rust_alloc(i64, i64 allocalign) allockind("alloc,uninitialized,aligned") allocsize(0) "alloc-family"="rust" "alloc-variant-zeroed"="rust_alloc_zeroed"
declare noalias ptr @rust_alloc_zeroed(i64, i64 allocalign) allockind("alloc,zeroed,aligned") allocsize(0) "alloc-family"="rust"

define noalias ptr @own_alloc(i64 %n) noinline allockind("alloc,uninitialized") allocsize(0) "alloc-family"="malloc" "alloc-variant-zeroed"="calloc_like" {
  %p = call noalias ptr @malloc(i64 %n)
  ret ptr %p
}

define void @use(i64 %n) {
  %a = call noalias ptr @own_alloc(i64 16)
  store volatile ptr %a, ptr @place
  %b = call noalias ptr @rust_alloc(i64 32, i64 allocalign 8) "alloc-variant-zeroed"="rust_alloc_zeroed"
  store volatile ptr %b, ptr @place
  %c = call noalias ptr @malloc(i64 %n) "alloc-variant-zeroed"="calloc_like"
  store volatile ptr %c, ptr @place
  %d = call noalias ptr @rust_alloc_zeroed(i64 32, i64 allocalign 8)
  store volatile ptr %d, ptr @place
  %e = call noalias ptr @calloc_like(i64 4)
  store volatile ptr %e, ptr @place
  ret void
}
