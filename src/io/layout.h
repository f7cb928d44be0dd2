// io/layout.h - the fields of a record, for those who fill one. Included only by src/io.
#pragma once

#include "io/result.h"

typedef struct field {
    unsigned flag;
    const char *name, *unit, *about;
    int components;
    bool whole;  // 0, 1, 2, ...
} field;

enum { N_ROD_FIELDS = 5 };
extern const field rod_fields[N_ROD_FIELDS];
