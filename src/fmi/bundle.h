// fmi/bundle.h - which shared libraries a library needs beside those that every Linux has.
#pragma once

#include "tendril/status.h"

enum { MOST_LIBRARIES = 32 };

typedef struct library_list {
    int n;
    struct {
        char name[64];   // "libcminpack.so.1"
        char path[512];  // where it was found
    } all[MOST_LIBRARIES];
    char left_out[256];  // "libm.so.6 libc.so.6": those that are everywhere
} library_list;

// Of a library and of all that it needs, as they are found when it is loaded here. TD_ERR_FILE: err says what is not found.
td_status libraries_of(const char *path, library_list *list, td_error *err);
