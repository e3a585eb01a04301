target triple = "amdgcn-amd-amdhsa"

declare i8* @device_malloc(i64)
declare i8* @malloc(i64)

define void @take(i8** %place) {
  %p = call i8* @device_malloc(i64 8)
  store i8* %p, i8** %place
  ret void
}
