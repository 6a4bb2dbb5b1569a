; What Numba's code calls for the memory of arrays, in the words of LLVM.
;
; An array is made, used and dropped within one call of a kernel, on one thread: its count needs no lock.
; A record and the data lie in one piece: count of references, two places that are not used, the address of
; the data, their size, and one more such place.

declare i8* @malloc(i64)
declare void @free(i8*)

define i8* @NRT_Allocate(i64 %size) {
  %memory = call i8* @malloc(i64 %size)
  ret i8* %memory
}

define void @NRT_Free(i8* %memory) {
  call void @free(i8* %memory)
  ret void
}

define i8* @NRT_MemInfo_alloc_aligned(i64 %size, i32 %alignment) {
  %align = zext i32 %alignment to i64
  %beside = add i64 %align, 48
  %whole = add i64 %size, %beside
  %record = call i8* @malloc(i64 %whole)
  %failed = icmp eq i8* %record, null
  br i1 %failed, label %end, label %fill, !prof !0
fill:
  %start = ptrtoint i8* %record to i64
  %after = add i64 %start, 47
  %above = add i64 %after, %align
  %mask = sub i64 0, %align
  %aligned = and i64 %above, %mask
  %data = inttoptr i64 %aligned to i8*
  %words = bitcast i8* %record to i64*
  %data_word = getelementptr i64, i64* %words, i64 3
  %data_place = bitcast i64* %data_word to i8**
  %size_place = getelementptr i64, i64* %words, i64 4
  store i64 1, i64* %words
  store i8* %data, i8** %data_place
  store i64 %size, i64* %size_place
  br label %end
end:
  ret i8* %record
}

define i8* @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %alignment) {
  %record = call i8* @NRT_MemInfo_alloc_aligned(i64 %size, i32 %alignment)
  ret i8* %record
}

define i8* @NRT_MemInfo_data_fast(i8* %record) {
  %words = bitcast i8* %record to i8**
  %data_place = getelementptr i8*, i8** %words, i64 3
  %data = load i8*, i8** %data_place
  ret i8* %data
}

define void @NRT_incref(i8* %record) {
  %is_none = icmp eq i8* %record, null
  br i1 %is_none, label %end, label %count
count:
  %place = bitcast i8* %record to i64*
  %before = load i64, i64* %place
  %now = add i64 %before, 1
  store i64 %now, i64* %place
  br label %end
end:
  ret void
}

define void @NRT_decref(i8* %record) {
  %is_none = icmp eq i8* %record, null
  br i1 %is_none, label %end, label %count
count:
  %place = bitcast i8* %record to i64*
  %before = load i64, i64* %place
  %now = sub i64 %before, 1
  store i64 %now, i64* %place
  %is_last = icmp eq i64 %now, 0
  br i1 %is_last, label %drop, label %end, !prof !0
drop:
  call void @free(i8* %record)
  br label %end
end:
  ret void
}

!0 = !{!"branch_weights", i32 1, i32 99}
