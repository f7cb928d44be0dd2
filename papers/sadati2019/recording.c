// papers/sadati2019/recording.c - see recording.h.
#include "recording.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REST 64.5    // mm, from the base to the end of the sensor
#define COIL 14.514  // mm along x, from the end of the sensor to the coil
enum { SPAN = 9 };   // samples of the moving average

static const double no_load[] = {8.7, 15.15, 21.7, 26.2, 31.1, 35.1, 39.2, 44.6, 50.9};
static const double load1[] = {8.9, 15.7, 18.1, 26.7, 30.0, 33.0, 36.3, 42.4, 44.8, 52.4};
const recorded recorded_cases[RECORDINGS] = {
    {"NoLoad_raw.csv", "no load", false, 7.0, no_load, sizeof no_load / sizeof *no_load},
    {"Load1_raw.csv", "load", true, 5.0, load1, sizeof load1 / sizeof *load1},
};

// ---------------------------------------------------------------- quaternions
static void multiply(const double a[4], const double b[4], double out[4]) {
    const double q[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                         a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, q, sizeof q);
}

static void conjugate(const double a[4], double out[4]) {
    for (int k = 0; k < 4; k++) out[k] = k == 0 ? a[k] : -a[k];
}

static void normalise(double q[4]) {
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4 && size > 0.0; k++) q[k] /= size;
}

static void rotate(const double q[4], const double v[3], double out[3]) {
    double x[4] = {0.0, v[0], v[1], v[2]}, back[4];
    conjugate(q, back);
    multiply(q, x, x);
    multiply(x, back, x);
    memcpy(out, x + 1, 3 * sizeof *out);
}

// ---------------------------------------------------------------- the raw file
enum { PRESSURE = 0, BASE = 3, TIP = 6, TURN = 9, FORCE = 13, TORQUE = 16, COLUMNS = 19 };
static const char *const columns[COLUMNS] = {
    "p0_bar", "p1_bar", "p2_bar", "base_x", "base_y", "base_z", "tip_x", "tip_y", "tip_z", "tip_q0",
    "tip_qx", "tip_qy", "tip_qz", "Fx_b",   "Fy_b",   "Fz_b",   "Mx_b",  "My_b",  "Mz_b"};

typedef struct raw {
    double (*rows)[COLUMNS];
    int n;
} raw;

static bool refuse(td_error *err, const char *where, const char *message, const char *what) {
    *err = (td_error){.status = TD_ERR_PARSE};
    snprintf(err->where, sizeof err->where, "%.95s", where);
    snprintf(err->message, sizeof err->message, message, what);
    return false;
}

// Which of our columns each column of the file is; -1: none of them.
static bool read_header(char *line, bool load, int *map, int most, const char *path,
                        td_error *err) {
    bool seen[COLUMNS] = {false};
    int i = 0;
    for (char *word = strtok(line, ",\r\n"); word && i < most; word = strtok(NULL, ",\r\n"), i++) {
        map[i] = -1;
        for (int k = 0; k < COLUMNS; k++) {
            if (strcmp(word, columns[k]) != 0) continue;
            map[i] = k;
            seen[k] = true;
        }
    }
    for (; i < most; i++) map[i] = -1;
    for (int k = 0; k < (load ? COLUMNS : FORCE); k++)
        if (!seen[k]) return refuse(err, path, "the column %s is missing", columns[k]);
    return true;
}

static bool read_row(const char *line, const int *map, int most, double *row) {
    char *end;
    for (int i = 0; i < most; i++, line = end + 1) {
        double value = strtod(line, &end);
        if (end == line || !isfinite(value)) return false;
        if (map[i] >= 0) row[map[i]] = value;
        if (*end != ',') return *end == '\n' || *end == '\r' || *end == '\0';
    }
    return false;
}

static bool read_rows(FILE *file, bool load, raw *out, const char *path, td_error *err) {
    enum { MOST = 64, ROWS = 100000 };
    char line[2048];
    int map[MOST], room = 0;
    if (!fgets(line, sizeof line, file)) return refuse(err, path, "%s", "the file is empty");
    if (!read_header(line, load, map, MOST, path, err)) return false;
    while (fgets(line, sizeof line, file)) {
        if (out->n == room) {
            room = room ? 2 * room : 2048;
            void *more = room <= ROWS ? realloc(out->rows, room * sizeof *out->rows) : NULL;
            if (!more) return refuse(err, path, "%s", "out of memory");
            out->rows = more;
        }
        memset(out->rows[out->n], 0, sizeof *out->rows);
        if (!read_row(line, map, MOST, out->rows[out->n++]))
            return refuse(err, path, "a row is not all numbers: %.60s", line);
    }
    return out->n > SPAN || refuse(err, path, "%s", "too few rows");
}

static bool read_raw(const char *path, bool load, raw *out, td_error *err) {
    *out = (raw){0};
    FILE *file = fopen(path, "r");
    if (!file) return refuse(err, path, "cannot read: %s", strerror(errno));
    bool fine = read_rows(file, load, out, path, err);
    fclose(file);
    if (!fine) free(out->rows);
    return fine;
}

// ---------------------------------------------------------------- conditioning
// q and -q are one rotation; the tracker changes between them.
static void make_continuous(raw *r) {
    for (int i = 1; i < r->n; i++) {
        const double *before = r->rows[i - 1] + TURN;
        double *q = r->rows[i] + TURN, along = 0.0;
        for (int k = 0; k < 4; k++) along += q[k] * before[k];
        for (int k = 0; k < 4 && along < 0.0; k++) q[k] = -q[k];
    }
}

// Moving average of SPAN samples, of fewer where the recording begins and ends.
static bool smooth(raw *r) {
    double(*out)[COLUMNS] = calloc(r->n, sizeof *out);
    if (!out) return false;
    for (int i = 0; i < r->n; i++) {
        int reach = SPAN / 2;
        if (i < reach) reach = i;
        if (r->n - 1 - i < reach) reach = r->n - 1 - i;
        for (int j = i - reach; j <= i + reach; j++)
            for (int k = 0; k < COLUMNS; k++) out[i][k] += r->rows[j][k] / (2 * reach + 1);
    }
    free(r->rows);
    r->rows = out;
    return true;
}

// Rotation since the first sample: q q0* stands in the axes of the robot; q0* q, as published, in
// those that the coil had at first, turned by half a turn against them.
static void relative_turn(const double *q, const double *first, conditioning how, double out[4]) {
    double back[4], now[4] = {q[0], q[1], q[2], q[3]};
    conjugate(first, back);
    if (how == PUBLISHED) multiply(back, now, out);
    else multiply(now, back, out);
}

static sample condition(const double *row, const double *first, conditioning how) {
    static const double coil[3] = {COIL, 0.0, 0.0};
    sample s = {0};
    double turned[3];
    relative_turn(row + TURN, first + TURN, how, s.turn);
    normalise(s.turn);
    rotate(s.turn, coil, turned);
    for (int k = 0; k < 3; k++) {
        double moved = row[TIP + k] - row[BASE + k] - (first[TIP + k] - first[BASE + k]);
        s.tip[k] = 1e-3 * (moved - (turned[k] - coil[k]) + (k == 2 ? REST : 0.0));
        s.pressure[k] = 1e5 * (row[PRESSURE + k] - first[PRESSURE + k]);
        s.force[k] = row[FORCE + k] - first[FORCE + k];
        s.moment[k] = 1e-3 * (row[TORQUE + k] - first[TORQUE + k]);
    }
    rotate(s.turn, s.force, s.force);
    rotate(s.turn, s.moment, s.moment);
    return s;
}

// The row of an instant, floor(t/0.05) counted from 1, as an index; -1: before the first.
static int row_of(double time) {
    return (int)floor(time / SAMPLING) - 1;
}

// Every instant that is asked for must have been recorded: none is taken from the last row instead.
static bool is_long_enough(const recorded *what, int n, const char *path, td_error *err) {
    double last = what->from;
    for (int i = 0; i < what->n_instants; i++) last = fmax(last, what->instants[i]);
    if (row_of(last) < n) return true;
    refuse(err, path, "%s", "");
    snprintf(err->message, sizeof err->message,
             "%d rows end at %g s, but the module is looked at up to %g s: a recording cut off? "
             "expected at least %d rows, %g s apart",
             n, (n - 1) * SAMPLING, last, row_of(last) + 1, SAMPLING);
    return false;
}

bool recording_load(recording *r, const char *folder, const recorded *what, conditioning how,
                    td_error *err) {
    char path[1024];
    raw from;
    snprintf(path, sizeof path, "%s/%s", folder, what->file);
    *r = (recording){.what = what};
    if (!read_raw(path, what->load, &from, err)) return false;
    if (!is_long_enough(what, from.n, path, err)) {
        free(from.rows);
        return false;
    }
    if (how != PUBLISHED) make_continuous(&from);
    bool fine = how == RAW || smooth(&from);
    r->samples = fine ? calloc(from.n, sizeof *r->samples) : NULL;
    for (int i = 0; i < from.n && r->samples; i++) {
        r->samples[i] = condition(from.rows[i], from.rows[0], how);
        r->samples[i].time = i * SAMPLING;
    }
    r->n = from.n;
    free(from.rows);
    return r->samples || refuse(err, path, "%s", "out of memory");
}

void recording_free(recording *r) {
    free(r->samples);
    *r = (recording){0};
}

// ---------------------------------------------------------------- looking up
const sample *sample_at(const recording *r, double time) {
    int row = row_of(time);
    if (row < 0) row = 0;
    if (row >= r->n) row = r->n - 1;
    return &r->samples[row];
}

sample sample_between(const recording *r, double time) {
    double x = fmin(fmax(time / SAMPLING, 0.0), r->n - 1.0);
    int i = (int)x < r->n - 1 ? (int)x : r->n - 2;
    const sample *a = &r->samples[i], *b = a + 1;
    sample s = *a;
    s.time = time;
    x -= i;
    for (int k = 0; k < 3; k++) {
        s.pressure[k] += x * (b->pressure[k] - a->pressure[k]);
        s.tip[k] += x * (b->tip[k] - a->tip[k]);
        s.force[k] += x * (b->force[k] - a->force[k]);
        s.moment[k] += x * (b->moment[k] - a->moment[k]);
    }
    return s;
}
