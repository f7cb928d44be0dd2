// Tables for spreadsheets and scripts: a header with units, numbers that read back to the same
// bits.
#include "io/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/json.h"
#include "io/layout.h"
#include "io/written.h"

static void put_number(FILE *out, double value) {
    char text[40];
    format_exact(text, sizeof text, value);
    fprintf(out, ",%s", text);
}

static void put_numbers(FILE *out, const double *values, int n) {
    for (int i = 0; i < n; i++) put_number(out, values[i]);
}

static void put_letters(FILE *out, const char *text, bool quoted) {
    for (const char *c = text; *c; c++) {
        if (quoted && *c == '"') fputc('"', out);
        fputc(*c, out);
    }
}

void csv_text(FILE *out, const char *text) {
    fputc('"', out);
    put_letters(out, text, true);
    fputc('"', out);
}

// A cell after the first; quoted when it must be (RFC 4180).
static void put_cell(FILE *out, const char *text, const char *unit) {
    bool quote = strpbrk(text, ",\"\n\r") != NULL;
    fputs(quote ? ",\"" : ",", out);
    put_letters(out, text, quote);
    if (unit && unit[0]) fprintf(out, " [%s]", unit);
    if (quote) fputc('"', out);
}

static void put_time(FILE *out, double t) {
    char text[40];
    format_exact(text, sizeof text, t);
    fputs(text, out);
}

// Pose of every rod's tip, one row per time: "arm.x [m]".
static void write_tip(FILE *out, const result *r) {
    fputs("time [s]", out);
    for (int i = 0; i < r->n_rods; i++) {
        for (int k = 0; k < 7; k++) {
            char name[160];
            snprintf(name, sizeof name, "%s.%s", r->rods[i].name,
                     k < 3 ? rod_fields[0].columns[k] : rod_fields[1].columns[k - 3]);
            put_cell(out, name, k < 3 ? "m" : "");
        }
    }
    fputc('\n', out);
    for (int t = 0; t < r->n_times; t++) {
        put_time(out, r->time[t]);
        for (int i = 0; i < r->n_rods; i++) {
            const result_rod *rod = &r->rods[i];
            long tip = (long)(t + 1) * rod->n_points - 1;
            put_numbers(out, rod->position + 3 * tip, 3);
            put_numbers(out, rod->orientation + 4 * tip, 4);
        }
        fputc('\n', out);
    }
}

static void write_shape_header(FILE *out, const result_rod *rod) {
    fputs("time [s],rod,s [m]", out);
    for (int k = 0; k < n_rod_fields; k++) {
        const field *f = &rod_fields[k];
        for (int c = 0; *rod_field(rod, f) && c < f->components; c++)
            put_cell(out, f->columns[c], f->units[c >= 3]);
    }
    fputc('\n', out);
}

static void write_point(FILE *out, const result *r, const result_rod *rod, int t, int p) {
    const long row = (long)t * rod->n_points + p;
    put_time(out, r->time[t]);
    put_cell(out, rod->name, NULL);
    put_number(out, rod_point(rod, t, p));
    for (int k = 0; k < n_rod_fields; k++) {
        const int n = rod_fields[k].components;
        const double *values = *rod_field(rod, &rod_fields[k]);
        if (values) put_numbers(out, values + row * n, n);
    }
    fputc('\n', out);
}

// One row per time, rod and point; every field that was recorded.
static void write_shape(FILE *out, const result *r) {
    write_shape_header(out, &r->rods[0]);
    for (int t = 0; t < r->n_times; t++)
        for (int i = 0; i < r->n_rods; i++)
            for (int p = 0; p < r->rods[i].n_points; p++) write_point(out, r, &r->rods[i], t, p);
}

static bool is_reaction(const char *name) {
    return strstr(name, "reaction.moment_") || strstr(name, "reaction.force_");
}

// A table over time of columns of scalars whose names begin with `prefix`, which is left out: of
// "tendon.east.tension" the header says "east.tension [N]". Reactions have a table of their own.
static void write_scalars(FILE *out, const result *r, const char *prefix, bool reactions) {
    const size_t length = strlen(prefix);
    int n = 0, kept = 0;
    result_scalar *list = scalars_of(r, &n);
    for (int i = 0; list && i < n; i++)
        if (!strncmp(list[i].name, prefix, length) && is_reaction(list[i].name) == reactions)
            list[kept++] = list[i];
    fputs("time [s]", out);
    for (int i = 0; i < kept; i++) put_cell(out, list[i].name + length, list[i].unit);
    fputc('\n', out);
    for (int t = 0; t < r->n_times; t++) {
        put_time(out, r->time[t]);
        for (int i = 0; i < kept; i++) put_number(out, scalar_at(&list[i], t));
        fputc('\n', out);
    }
    free(list);
}

static td_status open_table(const char *folder, const char *name, char path[640], FILE **out,
                            td_error *err) {
    snprintf(path, 640, "%s/%s.csv", folder, name);
    *out = whole_open(path, err);
    return *out ? TD_OK : TD_ERR_FILE;
}

static td_status write_table(const result *r, const char *folder, const char *name,
                             void (*write)(FILE *, const result *), td_error *err) {
    char path[640];
    FILE *out;
    td_status status = open_table(folder, name, path, &out, err);
    if (status < 0) return status;
    write(out, r);
    return written_close(out, path, err);
}

static td_status write_over_time(const result *r, const char *folder, const char *name,
                                 const char *prefix, bool reactions, td_error *err) {
    char path[640];
    FILE *out;
    td_status status = open_table(folder, name, path, &out, err);
    if (status < 0) return status;
    write_scalars(out, r, prefix, reactions);
    return written_close(out, path, err);
}

// One table for each kind: "tendons.csv" with "east.tension [N]".
static td_status write_actuators(const result *r, const char *folder, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < r->n_actuators && status == TD_OK; i++) {
        const td_actuator_kind *kind = r->actuators[i].kind;
        char prefix[32];
        if (i > 0 && r->actuators[i - 1].kind == kind) continue;
        snprintf(prefix, sizeof prefix, "%s.", kind->word);
        status = write_over_time(r, folder, kind->plural, prefix, false, err);
    }
    return status;
}

td_status csv_export(const result *r, const char *folder, td_error *err) {
    bool pose = r->n_rods > 0, energy = true;
    for (int i = 0; i < r->n_rods; i++)
        pose = pose && r->rods[i].position && r->rods[i].orientation;
    for (int i = 0; i < N_ENERGY; i++) energy = energy && r->energy[i];
    const struct {
        bool there;
        const char *name, *prefix;
        bool reactions;  // all of them: "rod.arm.base_reaction.force_x [N]"
    } tables[] = {{r->n_bodies > 0, "bodies", "body.", false},
                  {r->n_obstacles > 0, "obstacles", "obstacle.", false},
                  {r->n_rods > 0 && r->rods[0].base_reaction, "reactions", "", true},
                  {energy, "energy", "energy.", false},
                  {r->n_inputs > 0, "inputs", "input.", false},
                  {r->n_sensors > 0, "sensors", "sensor.", false}};
    td_status status = pose ? write_table(r, folder, "tip", write_tip, err) : TD_OK;
    if (status == TD_OK && r->n_rods > 0)
        status = write_table(r, folder, "shape", write_shape, err);
    if (status == TD_OK) status = write_actuators(r, folder, err);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == TD_OK; i++)
        if (tables[i].there)
            status = write_over_time(r, folder, tables[i].name, tables[i].prefix,
                                     tables[i].reactions, err);
    return status;
}
