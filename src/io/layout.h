// io/layout.h - the fields of a record, for those who fill one. Included only by src/io.
#pragma once

#include "io/result.h"
#include "tendril/loop.h"

typedef struct field {
    unsigned flag;
    const char *name, *unit, *about;
    int components;
    bool whole;  // 0, 1, 2, ...
    // Of what is recorded along rods: where it stands in td_sample and in result_rod, what its
    // components are called in tables, and the units of the first three and of the others.
    size_t from, to;
    const char *const *columns;
    const char *units[2];
} field;

extern const field rod_fields[];
extern const int n_rod_fields;

// Contact is recorded where there is something to touch.
static inline unsigned layout_along(const td_system *system, unsigned fields) {
    return td_n_obstacles(system) + td_n_contacts(system) > 0 ? fields
                                                              : fields & ~TD_RECORD_CONTACT;
}

static inline const double *sample_field(const td_sample *sample, const field *f) {
    return (const double *)((const char *)sample + f->from);
}
static inline double **rod_field(const result_rod *rod, const field *f) {
    return (double **)((char *)(size_t)rod + f->to);
}
