// io/matrices.c - see matrices.h.
#include "io/matrices.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/h5.h"
#include "io/result.h"

enum { PATH_BYTES = 512 };

// ---------------------------------------------------------------- JSON
static void put_texts(json *j, const char *key, const char *const *texts, int n) {
    json_open_array(j, key);
    for (int i = 0; i < n; i++) json_string(j, texts[i]);
    json_end_array(j);
}

void matrices_put(const matrices *m, json *j) {
    for (int i = 0; i < m->n_labels; i++) {
        const label_list *l = &m->labels[i];
        json_open_object(j, l->name);
        put_texts(j, "names", l->names, l->n);
        put_texts(j, "units", l->units, l->n);
        json_end_object(j);
    }
    for (int i = 0; i < m->n_tables; i++) {
        const matrix_table *t = &m->tables[i];
        json_put_rows(j, t->name, t->values, t->rows, t->columns);
    }
}

// ---------------------------------------------------------------- files
typedef td_status writing(const matrices *m, const char *name, const char *path, td_error *err);

// Something else stands under this name: a robot file, a thesis.
static bool is_foreign(const char *path, const char *begins) {
    char head[64] = "";
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return false;
    if (!begins) return !is_own_file(path);
    FILE *file = fopen(path, "rb");
    if (!file) return true;
    const size_t n = fread(head, 1, strlen(begins), file);
    fclose(file);
    return n != strlen(begins) || memcmp(head, begins, n) != 0;
}

static td_status write_beside(const matrices *m, const char *path, const char *begins,
                              writing *content, td_error *err) {
    char beside[PATH_BYTES + sizeof BESIDE];
    if (is_foreign(path, begins))
        return error_set(err, TD_ERR_VALUE, path,
                         "there is a file that this program did not write, so it is left alone; "
                         "give another name");
    if ((size_t)snprintf(beside, sizeof beside, "%s" BESIDE, path) >= sizeof beside)
        return error_set(err, TD_ERR_FILE, path, "the path is longer than %d bytes", PATH_BYTES);
    td_status status = content(m, beside, path, err);
    if (status == TD_OK && rename(beside, path) != 0)
        status = error_set(err, TD_ERR_FILE, path, "cannot write: %s", strerror(errno));
    if (status < 0) unlink(beside);
    return status;
}

// ---------------------------------------------------------------- HDF5
static bool put_matrix(hid_t file, const matrix_table *t) {
    const hsize_t size[2] = {(hsize_t)t->rows, (hsize_t)t->columns};
    hid_t space = H5Screate_simple(2, size, NULL);
    hid_t set =
        H5Dcreate2(file, t->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = set >= 0 && h5_put_text(set, "description", t->about) &&
              (t->rows == 0 || t->columns == 0 ||
               H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t->values) >= 0);
    if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

static bool put_strings(hid_t group, const char *name, const char *const *texts, int n) {
    const hsize_t size = (hsize_t)n;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok =
        set >= 0 && (n == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static bool put_labels(hid_t file, const label_list *l) {
    hid_t group = H5Gcreate2(file, l->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = group >= 0 && put_strings(group, "names", l->names, l->n) &&
                    put_strings(group, "units", l->units, l->n);
    if (group >= 0) H5Gclose(group);
    return ok;
}

static bool put_all(hid_t file, const matrices *m) {
    bool ok = h5_put_text(file, "format", "tendril linearisation") &&
              h5_put_integer(file, "format_version", RESULT_FORMAT) &&
              h5_put_text(file, "tendril_version", td_version()) &&
              h5_put_text(file, "program", m->program) && h5_put_text(file, "robot", m->robot) &&
              h5_put_text(file, "model", m->model) && h5_put_text(file, "description", m->about) &&
              h5_put_integer(file, "n_coordinates", m->n_coordinates);
    for (int i = 0; ok && i < m->n_tables; i++) ok = put_matrix(file, &m->tables[i]);
    for (int i = 0; ok && i < m->n_labels; i++) ok = put_labels(file, &m->labels[i]);
    return ok;
}

static td_status write_h5(const matrices *m, const char *name, const char *path, td_error *err) {
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return h5_error(err, path, "cannot write");
    bool ok = put_all(file, m) && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    ok = H5Fclose(file) >= 0 && ok;
    return ok ? TD_OK : h5_error(err, path, "cannot write");
}

td_status matrices_write_h5(const matrices *m, const char *path, td_error *err) {
    h5_silence();
    return write_beside(m, path, NULL, write_h5, err);
}

// ---------------------------------------------------------------- Octave
#define OCTAVE_HEAD "% Written by tendril linearise"

static void put_octave_texts(FILE *out, const char *name, const char *const *texts, int n) {
    fprintf(out, "%s = {", name);
    for (int i = 0; i < n; i++) {
        fputs(i ? ", '" : "'", out);
        for (const char *c = texts[i]; *c; c++) {
            if (*c == '\'') fputc('\'', out);
            fputc((unsigned char)*c < 0x20 ? ' ' : *c, out);
        }
        fputc('\'', out);
    }
    fputs("};\n", out);
}

static void put_octave_matrix(FILE *out, const matrix_table *t) {
    fprintf(out, "%s = ", t->name);
    if (t->rows == 0 || t->columns == 0) {
        fprintf(out, "zeros(%d, %d);  %% %s\n", t->rows, t->columns, t->about);
        return;
    }
    fprintf(out, "[  %% %s\n", t->about);
    for (int i = 0; i < t->rows; i++) {
        for (int k = 0; k < t->columns; k++) {
            char text[32];
            format_exact(text, sizeof text, t->values[(size_t)i * (size_t)t->columns + k]);
            fprintf(out, " %s", text);
        }
        fputc('\n', out);
    }
    fputs("];\n", out);
}

static td_status write_octave(const matrices *m, const char *name, const char *path,
                              td_error *err) {
    FILE *out = fopen(name, "w");
    if (!out) return error_set(err, TD_ERR_FILE, path, "cannot write: %s", strerror(errno));
    fprintf(out, "%s %s: %s, model %s\n%% %s\n", OCTAVE_HEAD, td_version(), m->robot, m->model,
            m->about);
    for (int i = 0; i < m->n_labels; i++) {
        char word[64];
        snprintf(word, sizeof word, "%.32s_names", m->labels[i].name);
        put_octave_texts(out, word, m->labels[i].names, m->labels[i].n);
        snprintf(word, sizeof word, "%.32s_units", m->labels[i].name);
        put_octave_texts(out, word, m->labels[i].units, m->labels[i].n);
    }
    for (int i = 0; i < m->n_tables; i++) put_octave_matrix(out, &m->tables[i]);
    fprintf(out, "n_coordinates = %d;  %% what follows them in z are multipliers\n",
            m->n_coordinates);
    if (m->plain)
        fputs("% x = [z(s); z'(s); z(f)], x' = sys_A x + sys_B u, y = sys_C x + sys_D u; f have no "
              "mass: what\n"
              "% flows in materials. moves and flows give -z''(s) and -z'(f) by "
              "[x; u]\n"
              "f = find(~any(M, 2)); s = find(any(M, 2));\n"
              "flows = D(f, f) \\ [K(f, s), D(f, s), K(f, f), -B(f, :)];\n"
              "moves = M(s, s) \\ ([K(s, s), D(s, s), K(s, f), -B(s, :)] - D(s, f) * flows);\n"
              "told = [C(:, s), C1(:, s), C(:, f), F] - C1(:, f) * flows - C2(:, s) * moves;\n"
              "xs = 1:(2 * numel(s) + numel(f)); us = numel(xs) + (1:size(B, 2));\n"
              "sys_A = [zeros(numel(s)), eye(numel(s)), zeros(numel(s), numel(f)); -moves(:, xs); "
              "-flows(:, xs)];\n"
              "sys_B = [zeros(numel(s), numel(us)); -moves(:, us); -flows(:, us)];\n"
              "sys_C = told(:, xs);\n"
              "sys_D = told(:, us);\n",
              out);
    const bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad)
        return error_set(err, TD_ERR_FILE, path, "cannot write: %s", strerror(errno));
    return TD_OK;
}

td_status matrices_write_octave(const matrices *m, const char *path, td_error *err) {
    return write_beside(m, path, OCTAVE_HEAD, write_octave, err);
}
