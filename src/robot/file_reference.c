// robot/file_reference.c - the reference of the file format, from the reader's own tables.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "robot/file.h"
#include "robot/file_read.h"

static const mapping *const mappings[] = {
    &root_mapping,
    &material_mapping,
    &rod_mapping,
    &section_mapping,
    &stiffness_mapping,
    &damping_mapping,
    &rest_mapping,
    &piece_mapping,
    &base_mapping,
    &motion_mapping,
    &tip_mapping,
    &body_mapping,
    &shape_mapping,
    &cylinder_mapping,
    &sphere_mapping,
    NULL,  // the kinds of actuators
    &load_mapping,
    &signal_mapping,
    &step_mapping,
    &ramp_mapping,
    &hat_mapping,
    &sine_mapping,
    &table_mapping,
    &simulation_mapping,
    &time_mapping,
    &space_mapping,
    &solver_mapping,
    &integration_mapping,
    &virtual_power_mapping,
    &lumped_mapping,
    &constant_curvature_mapping,
    &rom_mapping,
    &record_mapping,
};
enum { N_MAPPINGS = sizeof mappings / sizeof *mappings };

// Number i of all, with those of the actuators in their place; NULL past the last.
static const mapping *mapping_at(int i) {
    for (int k = 0; k < N_MAPPINGS; k++) {
        if (mappings[k] && i-- == 0) return mappings[k];
        for (int a = 0; !mappings[k] && a < N_ACTUATOR_KINDS; a++) {
            const actuator_reader *of = actuator_readers[a];
            if (i < of->n_mappings) return of->mappings[i];
            i -= of->n_mappings;
        }
    }
    return NULL;
}

typedef struct page {
    char *text;
    size_t size, used;  // `used` goes on counting when the page is full
} page;

__attribute__((format(printf, 2, 3))) static void put(page *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t room = p->used < p->size ? p->size - p->used : 0;
    int n = vsnprintf(room ? p->text + p->used : NULL, room, format, args);
    va_end(args);
    if (n > 0) p->used += (size_t)n;
}

static void put_type(page *p, const key *k) {
    put(p, "%s", k->type->words);
    for (const choice *c = k->choices; c && c->name; c++)
        put(p, "%s `%s`", c == k->choices ? "" : ",", c->name);
    if (!k->unit) return;
    if (strcmp(k->unit, SIGNAL_UNIT) == 0) put(p, ", in the unit of its place");
    else if (*k->unit) put(p, ", %s", k->unit);
    else put(p, ", no unit");
}

static void put_mapping(page *p, const mapping *m) {
    put(p, "\n### %s\n\n%s\n\n", m->path, m->title);
    put(p, "| key | value | when left out | meaning |\n|---|---|---|---|\n");
    key k;
    for (int i = 0; mapping_key(m, i, &k); i++) {
        put(p, "| `%s` | ", k.name);
        put_type(p, &k);
        put(p, " | %s | %s |\n", k.fallback ? k.fallback : "**required**", k.text);
    }
}

size_t file_reference(char *buffer, size_t size) {
    page p = {.text = buffer, .size = size};
    const mapping *m;
    for (int i = 0; (m = mapping_at(i)); i++) put_mapping(&p, m);
    return p.used;
}

int file_key_at(int index, file_key *out) {
    key k;
    const mapping *m;
    for (int i = 0; (m = mapping_at(i)); i++)
        for (int n = 0; mapping_key(m, n, &k); n++) {
            *out = (file_key){m->path, k.name};
            if (index-- == 0) return 1;
        }
    return 0;
}
