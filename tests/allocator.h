// tests/allocator.h - a trapping allocator. A test that includes this replaces malloc and its kin in its
// own program: every allocation of the process passes here (not under a sanitizer, which brings its own).
#pragma once

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRAPPING 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TRAPPING 0
#endif
#endif
#ifndef TRAPPING
#define TRAPPING 1
#endif

static long allocations;                           // since the start
static long live __attribute__((unused));          // allocated and not freed
static long fail_at __attribute__((unused)) = -1;  // this allocation fails; -1: none

#if TRAPPING
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void __libc_free(void *p);

static bool refuse(void) {
    return allocations++ == fail_at;
}

static void *counted(void *p) {
    live += p != NULL;
    return p;
}

void *malloc(size_t bytes) {
    return refuse() ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t n, size_t bytes) {
    return refuse() ? NULL : counted(__libc_calloc(n, bytes));
}

void *realloc(void *p, size_t bytes) {
    if (refuse()) return NULL;
    return p ? __libc_realloc(p, bytes) : counted(__libc_malloc(bytes));
}

void free(void *p) {
    live -= p != NULL;
    __libc_free(p);
}
#endif
