// cli/fit_data.c - see fit_data.h.
#include "cli/fit_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "robot/suggest.h"
#include "robot/units.h"
#include "tendril/loop.h"

// ---------------------------------------------------------------- the map
static void copy_trimmed(char *to, size_t size, const char *from, size_t length) {
    while (length > 0 && *from == ' ') from++, length--;
    while (length > 0 && from[length - 1] == ' ') length--;
    snprintf(to, size, "%.*s", (int)length, from);
}

// "x=tip.x:mm"
static bool parse_entry(const char *text, size_t length, fit_map *m) {
    const char *sign = memchr(text, '=', length), *end = text + length, *colon = end;
    if (!sign)
        return print_error("--map", "'%.*s' is not COLUMN=NAME or COLUMN=NAME:UNIT", (int)length,
                           text);
    for (const char *c = sign; c < end; c++)
        if (*c == ':') colon = c;
    copy_trimmed(m->column, sizeof m->column, text, (size_t)(sign - text));
    copy_trimmed(m->target, sizeof m->target, sign + 1, (size_t)(colon - sign) - 1);
    if (colon < end) copy_trimmed(m->unit, sizeof m->unit, colon + 1, (size_t)(end - colon) - 1);
    return true;
}

bool fit_map_parse(const char *text, fit_map **map, int *n) {
    size_t most = 1;
    for (const char *c = text; *c; c++) most += *c == ',';
    *n = 0;
    *map = calloc(most, sizeof **map);
    if (!*map) return print_error("--map", "out of memory");
    for (;; text++) {
        const size_t length = strcspn(text, ",");
        if (!parse_entry(text, length, &(*map)[(*n)++])) return false;
        text += length;
        if (!*text) return true;
    }
}

// ---------------------------------------------------------------- what a column is
typedef enum column_kind { COLUMN_TIME, COLUMN_INPUT, COLUMN_OUTPUT, COLUMN_NONE } column_kind;

typedef struct column {
    column_kind kind;
    int index;         // in the table
    const char *name;  // of the input, of the output
    const char *si;    // its unit
    const char *unit;  // in the table; "": SI
    double factor;     // from it to SI
} column;

// "camera.x", also as results have it, "sensor.camera.x".
static bool is_channel(const session *s, const char *target, column *c) {
    char name[192];
    if (!strncmp(target, "sensor.", 7)) target += 7;
    for (int i = 0; i < td_n_sensors(s->system); i++)
        for (int k = 0; k < td_sensor_channels(s->system, i); k++)
            if (!strcmp(td_sensor_channel(s->system, i, k, name, sizeof name), target))
                return c->si = td_sensor_unit(s->system, i), true;
    return false;
}

static column_kind kind_of(const session *s, const char *target, bool sensors, column *c,
                           td_error *err) {
    td_named_output found;
    const bool input = !strncmp(target, "input.", 6);
    const int index = td_find_input(s->system, input ? target + 6 : target);
    c->name = input ? target + 6 : target;
    c->si = "s";
    if (!strcmp(target, "time")) return COLUMN_TIME;
    if (index >= 0) return c->si = td_input_unit(s->system, index), COLUMN_INPUT;
    if (sensors) {
        if (is_channel(s, target, c)) return COLUMN_OUTPUT;
        if (err) snprintf(err->message, sizeof err->message, "it is no channel of a sensor");
        return COLUMN_NONE;
    }
    if (!strncmp(target, "marker.", 7))
        return c->si = "m", COLUMN_OUTPUT;  // whether it is there, the fit says
    if (td_find_output(s->system, target, &found, err) < 0) return COLUMN_NONE;
    c->si = found.units[0];
    return COLUMN_OUTPUT;
}

static bool find_factor(const char *where, column *c) {
    char text[64], why[UNITS_TEXT], name[UNITS_TEXT];
    quantity q = {.value = 1.0};
    c->factor = 1.0;
    if (!c->unit[0] || !strcmp(c->unit, c->si)) return true;
    snprintf(text, sizeof text, "1 %.50s", c->unit);
    if (!quantity_parse(text, &q, why)) return print_error(where, "%s: %s", c->name, why);
    const dimension si = unit_dimension(strcmp(c->si, "1") ? c->si : "");
    if (!dimension_fits(q.dim, si))
        return print_error(where, "%s: '%s' does not go with a %s", c->name, c->unit,
                           dimension_name(si, name));
    c->factor = q.value;
    return true;
}

static bool mapped_column(const fit_data *d, const fit_map *m, const session *s, bool sensors,
                          column *c) {
    char hint[HINT_SIZE];
    td_error err = {0};
    suggestion near = suggest_for(m->column);
    c->index = table_column(&d->t, m->column);
    for (int i = 0; i < d->t.n_columns; i++) suggest(&near, d->t.names[i]);
    if (c->index < 0)
        return print_error(d->path, "there is no column '%s'%s", m->column,
                           hint_text(&near, "", hint));
    c->unit = m->unit[0] ? m->unit : d->t.units[c->index];
    c->kind = kind_of(s, m->target, sensors, c, &err);
    if (c->kind == COLUMN_NONE)
        return print_error("--map", "'%s' is no time, input or output: %s", m->target, err.message);
    return find_factor("--map", c);
}

static bool own_column(const fit_data *d, int index, const session *s, bool sensors, column *c) {
    c->index = index;
    c->unit = d->t.units[index];
    c->kind = kind_of(s, d->t.names[index], sensors, c, NULL);
    return c->kind == COLUMN_NONE || find_factor(d->path, c);
}

// Columns that are nothing of the robot are left out; that is said, as a name may be mistyped.
static void note_ignored(const fit_data *d, const column *columns, int n, const session *s,
                         bool sensors) {
    char names[256] = "", hint[HINT_SIZE], channel[192], best[192] = "";
    int count = 0, used = 0, first = -1;
    for (int i = 0; i < n; i++) {
        if (columns[i].kind != COLUMN_NONE) continue;
        if (count++ == 0) first = i;
        if (count <= 4)
            used += snprintf(names + used, sizeof names - (size_t)used, "%s'%.48s'",
                             count > 1 ? ", " : "", d->t.names[columns[i].index]);
    }
    if (count == 0) return;
    suggestion near = suggest_for(d->t.names[columns[first].index]);
    for (int i = 0; sensors && i < td_n_sensors(s->system); i++)
        for (int k = 0; k < td_sensor_channels(s->system, i); k++) {
            const int before = near.distance;
            suggest(&near, td_sensor_channel(s->system, i, k, channel, sizeof channel));
            if (near.distance == before || !near.best) continue;
            snprintf(best, sizeof best, "%s", channel);
            near.best = best;
        }
    for (int i = 0; i < td_n_inputs(s->system); i++) suggest(&near, td_input_name(s->system, i));
    print_note(d->path, "not used: %s%s, which %s no input or %s of the robot%s", names,
               count > 4 ? ", ..." : "", count > 1 ? "are" : "is",
               sensors ? "channel of a sensor" : "output", hint_text(&near, "", hint));
}

// ---------------------------------------------------------------- numbers
static bool read_column(const fit_data *d, const column *c, double *to, int stride) {
    td_error err = {0};
    for (int i = 0; i < d->t.n_rows; i++) {
        double value;
        if (!table_number(&d->t, d->path, i, c->index, &value, &err))
            return report_error(NULL, &err), false;
        to[(size_t)i * (size_t)stride] = c->factor * value;
    }
    return true;
}

static bool allocate(fit_data *d, int n_inputs, int n_outputs) {
    const size_t rows = (size_t)d->t.n_rows, in = (size_t)n_inputs, out = (size_t)n_outputs;
    d->names = calloc(in + out + 1, sizeof *d->names);
    d->units = calloc(out + 1, sizeof *d->units);
    d->times = calloc(rows * (1 + in + out) + 2 * out + 1, sizeof(double));
    if (!d->names || !d->units || !d->times) return print_error(d->path, "out of memory");
    d->given = d->times + rows;
    d->measured = d->given + rows * in;
    d->noise = d->measured + rows * out;
    d->factors = d->noise + out;
    return true;
}

static bool read_columns(fit_data *d, const column *columns, int n) {
    int counts[4] = {0};
    for (int i = 0; i < n; i++) counts[columns[i].kind]++;
    if (counts[COLUMN_TIME] > 1) return print_error(d->path, "there are two columns of time");
    if (counts[COLUMN_OUTPUT] == 0)
        return print_error(d->path,
                           "no column is an output of the robot; say with --map which are: "
                           "--map 'x=tip.x:mm'");
    if (!allocate(d, counts[COLUMN_INPUT], counts[COLUMN_OUTPUT])) return false;
    int in = 0, out = 0;
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        const column *c = &columns[i];
        if (c->kind == COLUMN_TIME) ok = read_column(d, c, d->times, 1);
        if (c->kind == COLUMN_INPUT) {
            d->names[in] = c->name;
            ok = read_column(d, c, d->given + in++, counts[COLUMN_INPUT]);
        }
        if (c->kind == COLUMN_OUTPUT) {
            d->names[counts[COLUMN_INPUT] + out] = c->name;
            d->factors[out] = c->factor, d->units[out] = c->unit;
            ok = read_column(d, c, d->measured + out++, counts[COLUMN_OUTPUT]);
        }
    }
    d->r = (td_recording){.name = d->path,
                          .n_rows = d->t.n_rows,
                          .times = counts[COLUMN_TIME] ? d->times : NULL,
                          .inputs = d->names,
                          .given = d->given,
                          .n_inputs = in,
                          .outputs = d->names + in,
                          .measured = d->measured,
                          .n_outputs = out};
    return ok;
}

// ---------------------------------------------------------------- noise
// "tip.x=0.5 mm"
static bool read_noise(fit_data *d, const session *s, const char *given) {
    char name[160], why[UNITS_TEXT];
    const char *sign = strchr(given, '=');
    quantity q = {0};
    if (!sign) return print_error("--noise", "'%s' is not NAME=SIZE, like tip.x='0.5 mm'", given);
    copy_trimmed(name, sizeof name, given, (size_t)(sign - given));
    if (!quantity_parse(sign + 1 + strspn(sign + 1, " "), &q, why))
        return print_error("--noise", "%s: %s", name, why);
    if (!(q.value > 0.0)) return print_error("--noise", "%s: %g must be positive", name, q.value);
    for (int k = 0; k < d->r.n_outputs; k++) {
        td_named_output found;
        char unit[UNITS_TEXT];
        if (strcmp(d->r.outputs[k], name) != 0) continue;
        const bool marker = td_find_output(s->system, name, &found, NULL) < 0;
        const char *text = marker ? "m" : found.units[0];
        const dimension si = unit_dimension(strcmp(text, "1") ? text : "");
        if (q.has_unit && !dimension_fits(q.dim, si))
            return print_error("--noise", "%s is a %s", name, dimension_name(si, unit));
        d->noise[k] = q.value;
    }
    return true;
}

static bool read_noises(fit_data *d, const session *s, const args *a) {
    const int n = args_count(a, "noise");
    for (int i = 0; i < n; i++)
        if (!read_noise(d, s, args_nth(a, "noise", i))) return false;
    for (int k = 0; k < d->r.n_outputs && n > 0; k++)
        if (d->noise[k] == 0.0)
            return print_error("--noise", "is given for others, but not for %s", d->r.outputs[k]);
    if (n > 0) d->r.noise = d->noise;
    return true;
}

bool fit_data_read(fit_data *d, const char *path, const fit_map *map, int n, const session *s,
                   const args *a) {
    td_error err = {0};
    *d = (fit_data){.path = path};
    if (!table_read(&d->t, path, &err)) return report_error(NULL, &err), false;
    const int count = n > 0 ? n : d->t.n_columns;
    column *columns = calloc((size_t)count, sizeof *columns);
    bool ok = columns != NULL;
    for (int i = 0; i < count && ok; i++)
        ok = n > 0 ? mapped_column(d, &map[i], s, !a, &columns[i])
                   : own_column(d, i, s, !a, &columns[i]);
    if (ok && n == 0) note_ignored(d, columns, count, s, !a);
    ok = ok && read_columns(d, columns, count) && (!a || read_noises(d, s, a));
    free(columns);
    return ok;
}

void fit_data_free(fit_data *d) {
    table_free(&d->t);
    free(d->names);
    free(d->units);
    free(d->times);
    *d = (fit_data){0};
}
