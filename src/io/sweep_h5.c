// io/sweep_h5.c - the table of a study in HDF5: see sweep.h.
//
// /cases is one compound data set with a row for each case: its parameters, its results, `status` and `message`, a number of
// /messages from 0, or -1. Attributes names, units and texts tell of each column. /study_file and /robot_file are what was
// computed. No times are kept: the same study gives the same bytes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/h5.h"
#include "io/sweep.h"
#include "io/written.h"

enum { ROWS_AT_ONCE = 4096 };
#define FORMAT "tendril sweep 1"

// ---------------------------------------------------------------- texts
// One thing for each failure: how often the same words come does not matter.
typedef struct texts {
    const char **list;  // in the order of cases
    int n;
    int32_t *of;     // (n_cases) -1: none
    int32_t *slots;  // (n_slots) hashed; -1: free
    size_t n_slots;
} texts;

static void texts_free(texts *x) {
    free(x->list);
    free(x->of);
    free(x->slots);
}

static int32_t number_of(texts *x, const char *text) {
    hash h = HASH_START;
    hash_text(&h, text);
    size_t slot = (size_t)h & (x->n_slots - 1);
    while (x->slots[slot] >= 0 && strcmp(x->list[x->slots[slot]], text) != 0)
        slot = (slot + 1) & (x->n_slots - 1);
    if (x->slots[slot] < 0) {
        x->list[x->n] = text;
        x->slots[slot] = x->n++;
    }
    return x->slots[slot];
}

static bool texts_of(texts *x, const sweep_table *t) {
    size_t n = 0;
    for (long long i = 0; i < t->n_cases; i++) n += t->messages[i] != NULL;
    *x = (texts){.n_slots = 16};
    while (x->n_slots < 2 * n) x->n_slots *= 2;
    x->list = calloc(n + 1, sizeof *x->list);
    x->of = malloc(sizeof *x->of * (size_t)t->n_cases);
    x->slots = malloc(sizeof *x->slots * x->n_slots);
    if (!x->list || !x->of || !x->slots) return texts_free(x), false;
    for (size_t i = 0; i < x->n_slots; i++) x->slots[i] = -1;
    for (long long i = 0; i < t->n_cases; i++)
        x->of[i] = t->messages[i] ? number_of(x, t->messages[i]) : -1;
    return true;
}

// ---------------------------------------------------------------- writing
static hid_t plain_creation(void) {
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(how, false);
    return how;
}

static hid_t fixed_text(size_t size) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static size_t longest(const char *const *list, int n) {
    size_t most = 1;
    for (int i = 0; i < n; i++)
        if (strlen(list[i]) > most) most = strlen(list[i]);
    return most;
}

// Texts side by side, each filled up with zeros.
static char *packed(const char *const *list, int n, size_t size) {
    char *all = calloc((size_t)n + 1, size);
    for (int i = 0; all && i < n; i++) memcpy(all + (size_t)i * size, list[i], strlen(list[i]));
    return all;
}

static bool put_list(hid_t object, const char *name, const char *const *list, int n) {
    const hsize_t count = (hsize_t)n;
    const size_t size = longest(list, n);
    char *all = packed(list, n, size);
    const hid_t type = fixed_text(size), space = H5Screate_simple(1, &count, NULL);
    const hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = all && a >= 0 && H5Awrite(a, type, all) >= 0;
    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
    free(all);
    return ok;
}

static bool put_text(hid_t object, const char *name, const char *text) {
    const hid_t type = fixed_text(strlen(text) + 1), space = H5Screate(H5S_SCALAR);
    const hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = a >= 0 && H5Awrite(a, type, text) >= 0;
    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static bool put_texts(hid_t file, const char *path, const char *const *list, int n) {
    const hsize_t count = (hsize_t)n;
    const size_t size = longest(list, n);
    char *all = packed(list, n, size);
    const hid_t type = fixed_text(size), how = plain_creation();
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    const bool ok =
        all && set >= 0 && (n == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
    H5Tclose(type);
    free(all);
    return ok;
}

typedef struct columns {
    int n_parameters, n_results, n;
    const char **names, **units, **texts;  // (n)
    size_t row;                            // bytes
} columns;

static void columns_free(columns *c) {
    free(c->names);
    free(c->units);
    free(c->texts);
}

static bool columns_of(columns *c, const td_study *study) {
    *c = (columns){td_study_n_parameters(study), td_study_n_results(study), 0, NULL, NULL, NULL, 0};
    c->n = c->n_parameters + c->n_results + 2;
    c->names = calloc((size_t)c->n, sizeof *c->names);
    c->units = calloc((size_t)c->n, sizeof *c->units);
    c->texts = calloc((size_t)c->n, sizeof *c->texts);
    c->row = sizeof(double) * (size_t)(c->n - 2) + 2 * sizeof(int32_t);
    if (!c->names || !c->units || !c->texts) return columns_free(c), false;
    for (int i = 0; i < c->n - 2; i++) {
        const td_study_column of = i < c->n_parameters
                                       ? td_study_parameter(study, i)
                                       : td_study_result(study, i - c->n_parameters);
        c->names[i] = of.name, c->units[i] = of.unit, c->texts[i] = of.text;
    }
    c->names[c->n - 2] = "status", c->names[c->n - 1] = "message";
    c->units[c->n - 2] = c->units[c->n - 1] = "";
    c->texts[c->n - 2] = "0 fine, above: results worth a word, below: failed";
    c->texts[c->n - 1] = "number in /messages, -1: none";
    return true;
}

static hid_t row_type(const columns *c, bool memory) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, c->row);
    for (int i = 0; i < c->n - 2; i++)
        H5Tinsert(type, c->names[i], sizeof(double) * (size_t)i,
                  memory ? H5T_NATIVE_DOUBLE : H5T_IEEE_F64LE);
    const size_t at = sizeof(double) * (size_t)(c->n - 2);
    const hid_t whole = memory ? H5T_NATIVE_INT32 : H5T_STD_I32LE;
    H5Tinsert(type, "status", at, whole);
    H5Tinsert(type, "message", at + sizeof(int32_t), whole);
    return type;
}

static void fill_row(unsigned char *to, const td_study *study, const sweep_table *t,
                     const columns *c, const texts *x, long long i) {
    const int32_t last[2] = {t->status[i], x->of[i]};
    double parameters[256];
    td_study_get_case(study, i, parameters);
    memcpy(to, parameters, sizeof(double) * (size_t)c->n_parameters);
    to += sizeof(double) * (size_t)c->n_parameters;
    memcpy(to, t->results + (size_t)i * (size_t)c->n_results,
           sizeof(double) * (size_t)c->n_results);
    memcpy(to + sizeof(double) * (size_t)c->n_results, last, sizeof last);
}

static bool write_rows(hid_t set, const td_study *study, const sweep_table *t, const columns *c,
                       const texts *x) {
    unsigned char *rows = calloc(ROWS_AT_ONCE, c->row);
    const hid_t type = row_type(c, true), space = H5Dget_space(set);
    bool ok = rows != NULL;
    for (long long i = 0; i < t->n_cases && ok; i += ROWS_AT_ONCE) {
        const hsize_t from = (hsize_t)i;
        const hsize_t n = (hsize_t)(t->n_cases - i < ROWS_AT_ONCE ? t->n_cases - i : ROWS_AT_ONCE);
        for (hsize_t k = 0; k < n; k++)
            fill_row(rows + k * c->row, study, t, c, x, i + (long long)k);
        const hid_t memory = H5Screate_simple(1, &n, NULL);
        ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &n, NULL) >= 0 &&
             H5Dwrite(set, type, memory, space, H5P_DEFAULT, rows) >= 0;
        H5Sclose(memory);
    }
    H5Sclose(space);
    H5Tclose(type);
    free(rows);
    return ok;
}

static bool write_cases(hid_t file, const td_study *study, const sweep_table *t, const columns *c,
                        const texts *x) {
    const hsize_t n = (hsize_t)t->n_cases;
    const hid_t type = row_type(c, false), how = plain_creation();
    const hid_t space = H5Screate_simple(1, &n, NULL);
    const hid_t set = H5Dcreate2(file, "/cases", type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    const bool ok = set >= 0 && put_list(set, "names", c->names, c->n) &&
                    put_list(set, "units", c->units, c->n) &&
                    put_list(set, "texts", c->texts, c->n) && write_rows(set, study, t, c, x);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
    H5Tclose(type);
    return ok;
}

// Words that the numbers of a parameter stand for: /choices_NAME.
static bool write_choices(hid_t file, const td_study *study) {
    bool ok = true;
    for (int i = 0; i < td_study_n_parameters(study) && ok; i++) {
        const td_study_column p = td_study_parameter(study, i);
        char path[256];
        snprintf(path, sizeof path, "/choices_%.200s", p.name);
        if (p.n_choices > 0) ok = put_texts(file, path, p.choices, p.n_choices);
    }
    return ok;
}

static void print_fingerprint(const td_study *study, char text[20]) {
    snprintf(text, 20, "%016llx", td_study_fingerprint(study));
}

static bool write_file(hid_t file, const td_study *study, const sweep_table *t) {
    columns c;
    texts x;
    char print[20];
    print_fingerprint(study, print);
    if (!columns_of(&c, study)) return false;
    if (!texts_of(&x, t)) return columns_free(&c), false;
    const td_robot *robot = td_study_robot(study);
    const char *documents[2] = {td_study_source(study), robot ? td_robot_source(robot) : ""};
    const bool ok =
        h5_put_text(file, "format", FORMAT) && put_text(file, "version", TD_VERSION) &&
        put_text(file, "name", td_study_name(study)) &&
        put_text(file, "action", td_study_action(study)) &&
        put_text(file, "method", td_study_method(study)) && put_text(file, "fingerprint", print) &&
        h5_put_number(file, "n_base", (double)td_study_n_base(study)) &&
        put_texts(file, "/study_file", &documents[0], 1) &&
        put_texts(file, "/robot_file", &documents[1], 1) && write_choices(file, study) &&
        put_texts(file, "/messages", x.list, x.n) && write_cases(file, study, t, &c, &x);
    texts_free(&x);
    columns_free(&c);
    return ok;
}

td_status sweep_write(const char *path, const td_study *study, const sweep_table *t,
                      td_error *err) {
    char beside[700];
    snprintf(beside, sizeof beside, "%.650s.part", path);
    h5_silence();
    const hid_t file = H5Fcreate(beside, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return h5_error(err, path, "cannot be written");
    bool ok = write_file(file, study, t);
    if (!ok) h5_error(err, path, "cannot be written");
    ok = H5Fclose(file) >= 0 && ok;
    if (ok && rename(beside, path) == 0) return TD_OK;
    if (ok) h5_error(err, path, "cannot be given its name");
    unlink(beside);
    return TD_ERR_FILE;
}

// ---------------------------------------------------------------- reading
static bool same_fingerprint(hid_t file, const td_study *study) {
    char own[20], found[64] = "";
    print_fingerprint(study, own);
    if (H5Aexists(file, "fingerprint") <= 0) return false;
    const hid_t a = H5Aopen(file, "fingerprint", H5P_DEFAULT), type = H5Aget_type(a);
    const bool fits = H5Tget_class(type) == H5T_STRING && H5Tget_size(type) < sizeof found;
    const bool ok = fits && H5Aread(a, type, found) >= 0;
    H5Tclose(type);
    H5Aclose(a);
    return ok && !strcmp(own, found);
}

static char *read_messages(hid_t file, hsize_t *n, size_t *size) {
    const hid_t set = H5Dopen2(file, "/messages", H5P_DEFAULT);
    if (set < 0) return NULL;
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    H5Sget_simple_extent_dims(space, n, NULL);
    *size = H5Tget_size(type);
    char *all = calloc((size_t)*n + 1, *size);
    if (all && *n > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) < 0) {
        free(all);
        all = NULL;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return all;
}

static bool take_row(sweep_table *t, const columns *c, long long i, const unsigned char *row,
                     const char *messages, hsize_t n_messages, size_t size) {
    int32_t last[2];
    const size_t results = sizeof(double) * (size_t)c->n_results;
    row += sizeof(double) * (size_t)c->n_parameters;
    memcpy(t->results + (size_t)i * (size_t)c->n_results, row, results);
    memcpy(last, row + results, sizeof last);
    t->status[i] = last[0];
    t->n_done++;
    if (last[1] < 0 || (hsize_t)last[1] >= n_messages) return true;
    t->messages[i] = calloc(size + 1, 1);
    if (t->messages[i]) memcpy(t->messages[i], messages + (size_t)last[1] * size, size);
    return t->messages[i] != NULL;
}

static bool read_cases(hid_t file, const td_study *study, sweep_table *t) {
    columns c;
    hsize_t n = 0, n_messages = 0;
    size_t size = 0;
    if (!columns_of(&c, study)) return false;
    char *messages = read_messages(file, &n_messages, &size);
    const hid_t set = H5Dopen2(file, "/cases", H5P_DEFAULT), type = row_type(&c, true);
    if (set >= 0) {
        const hid_t space = H5Dget_space(set);
        H5Sget_simple_extent_dims(space, &n, NULL);
        H5Sclose(space);
    }
    unsigned char *rows = (long long)n == t->n_cases ? malloc((size_t)n * c.row) : NULL;
    bool ok = rows && messages && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0;
    for (long long i = 0; i < t->n_cases && ok; i++)
        ok = take_row(t, &c, i, rows + (size_t)i * c.row, messages, n_messages, size);
    if (set >= 0) H5Dclose(set);
    H5Tclose(type);
    free(rows);
    free(messages);
    columns_free(&c);
    return ok;
}

td_status sweep_read(const char *path, const td_study *study, sweep_table *t, td_error *err) {
    h5_silence();
    if (access(path, F_OK) != 0) return error_set(err, TD_ERR_FILE, path, "is not there");
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return error_set(err, TD_ERR_FILE, path, "is no table that can be read");
    td_status status = TD_OK;
    if (!same_fingerprint(file, study))
        status = error_set(err, TD_ERR_VALUE, path, "is of another study, robot or version");
    else if (!read_cases(file, study, t))
        status = error_set(err, TD_ERR_FILE, path, "is damaged, or there is no memory");
    H5Fclose(file);
    return status;
}

// ---------------------------------------------------------------- as text
static void put_cell(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputc('"', out);
}

static void put_heads(FILE *out, const columns *c) {
    for (int i = 0; i < c->n - 2; i++) {
        char head[256];
        snprintf(head, sizeof head, "%.150s%s%.60s%s", c->names[i], c->units[i][0] ? " [" : "",
                 c->units[i], c->units[i][0] ? "]" : "");
        put_cell(out, head);
        fputc(',', out);
    }
    fputs("status,message\n", out);
}

td_status sweep_write_csv(const char *path, const td_study *study, const sweep_table *t,
                          td_error *err) {
    columns c;
    double parameters[256];
    FILE *out = whole_open(path, err);
    if (!out) return TD_ERR_FILE;
    if (!columns_of(&c, study)) {
        whole_drop(out, path);
        return error_set(err, TD_ERR_MEMORY, path, "out of memory");
    }
    put_heads(out, &c);
    for (long long i = 0; i < t->n_cases; i++) {
        td_study_get_case(study, i, parameters);
        for (int k = 0; k < c.n_parameters; k++) fprintf(out, "%.17g,", parameters[k]);
        for (int k = 0; k < c.n_results; k++) {
            const double x = t->results[(size_t)i * (size_t)c.n_results + (size_t)k];
            if (isfinite(x)) fprintf(out, "%.17g", x);
            fputc(',', out);
        }
        fprintf(out, "%d,", t->status[i]);
        if (t->messages[i]) put_cell(out, t->messages[i]);
        fputc('\n', out);
    }
    columns_free(&c);
    return written_close(out, path, err);
}
