// io/table.c - see table.h.
#include "io/table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "robot/units.h"

#define LARGEST (256L << 20)  // bytes

static bool refuse(td_error *err, td_status status, const char *path, int line, const char *why) {
    char where[192];
    if (line > 0) snprintf(where, sizeof where, "%.170s:%d", path, line);
    else snprintf(where, sizeof where, "%.180s", path);
    return error_set(err, status, where, "%s", why), false;
}

// ---------------------------------------------------------------- bytes
static char *read_all(const char *path, td_error *err) {
    FILE *file = fopen(path, "rb");
    if (!file) return refuse(err, TD_ERR_FILE, path, 0, strerror(errno)), NULL;
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room + 1);
    while (text) {
        used += fread(text + used, 1, room - used, file);
        if (used < room || room > (size_t)LARGEST) break;
        room *= 2;
        char *more = realloc(text, room + 1);
        if (!more) free(text);
        text = more;
    }
    const bool failed = ferror(file) != 0, large = used > (size_t)LARGEST;
    fclose(file);
    if (!text) return refuse(err, TD_ERR_MEMORY, path, 0, "out of memory"), NULL;
    text[used] = '\0';
    const char *why = failed                     ? "cannot be read"
                      : large                    ? "is larger than 256 MiB"
                      : memchr(text, '\0', used) ? "holds a NUL byte"
                                                 : NULL;
    if (!why) return text;
    free(text);
    return refuse(err, TD_ERR_FILE, path, 0, why), NULL;
}

// ---------------------------------------------------------------- cells
static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
    return text;
}

// The cell that begins here, in place; *rest: behind its separator, NULL at the end of the line.
static char *take_cell(char *at, char separator, char **rest) {
    char *begin = at + strspn(at, separator == '\t' ? " " : " \t"), *to = begin;
    *rest = NULL;
    if (*begin == '"') {  // two quotes within are one
        for (at = begin + 1; *at && (*at != '"' || at[1] == '"'); at++) {
            if (*at == '"') at++;
            *to++ = *at;
        }
        at = strchr(*at ? at + 1 : at, separator);
        *to = '\0';
        if (at) *rest = at + 1;
        return begin;
    }
    char *end = strchr(begin, separator);
    if (end) *end = '\0', *rest = end + 1;
    return trim(begin);
}

static bool has_content(char *line) {
    line[strcspn(line, "\r")] = '\0';
    if (line[strspn(line, " \t")] == '#') line[0] = '\0';
    return line[strspn(line, " \t,;")] != '\0';
}

static int count_cells(const char *line, char separator) {
    int n = 1;
    bool quoted = false;
    for (; *line; line++) {
        if (*line == '"') quoted = !quoted;
        n += *line == separator && !quoted;
    }
    return n;
}

static char separator_of(const char *header) {
    return strchr(header, ';') ? ';' : strchr(header, '\t') ? '\t' : ',';
}

// "x [mm]" is x, in mm.
static void name_column(table *t, int column, char *cell) {
    static char none[] = "";
    char *open = strrchr(cell, '['), *end = cell + strlen(cell);
    t->names[column] = cell, t->units[column] = none;
    if (!open || end == cell || end[-1] != ']') return;
    end[-1] = '\0', *open = '\0';
    t->units[column] = trim(open + 1);
    t->names[column] = trim(cell);
}

// ---------------------------------------------------------------- rows
static bool allocate(table *t, const char *text, char *header, char separator) {
    size_t lines = 1;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    t->n_columns = count_cells(header, separator);
    const size_t n = (size_t)t->n_columns;
    char **at = calloc(2 * n + lines * n, sizeof *at);
    t->memory = at;
    t->lines = calloc(lines, sizeof *t->lines);
    if (!at || !t->lines) return false;
    t->names = at, t->units = at + n, t->cells = at + 2 * n;
    return true;
}

static bool read_row(table *t, const char *path, char *line, int number, char separator,
                     td_error *err) {
    char **cells = t->n_rows < 0 ? NULL : t->cells + (size_t)t->n_rows * (size_t)t->n_columns;
    char why[96], *rest = line;
    const int found = count_cells(line, separator);
    if (found != t->n_columns) {
        snprintf(why, sizeof why, "%d cells, but the header has %d", found, t->n_columns);
        return refuse(err, TD_ERR_VALUE, path, number, why);
    }
    for (int i = 0; i < t->n_columns && rest; i++) {
        char *cell = take_cell(rest, separator, &rest);
        if (cells) cells[i] = cell;
        else name_column(t, i, cell);
    }
    if (cells) t->lines[t->n_rows] = number;
    t->n_rows++;
    return true;
}

bool table_read(table *t, const char *path, td_error *err) {
    *t = (table){.n_rows = -1};  // the header comes first
    char *text = t->text = read_all(path, err), separator = ',';
    bool ok = text != NULL;
    if (ok && !strncmp(text, "\xef\xbb\xbf", 3)) text += 3;
    for (int number = 1; ok && text; number++) {
        char *line = text, *end = strchr(text, '\n');
        text = end ? end + 1 : NULL;
        if (end) *end = '\0';
        if (!has_content(line)) continue;
        if (t->n_rows < 0) {
            separator = separator_of(line);
            if (!allocate(t, text ? text : "", line, separator))
                ok = refuse(err, TD_ERR_MEMORY, path, 0, "out of memory");
        }
        ok = ok && read_row(t, path, line, number, separator, err);
    }
    if (ok && t->n_rows < 1) ok = refuse(err, TD_ERR_VALUE, path, 0, "has no rows below a header");
    if (!ok) table_free(t);
    return ok;
}

void table_free(table *t) {
    free(t->text);
    free(t->memory);
    free(t->lines);
    *t = (table){0};
}

int table_column(const table *t, const char *name) {
    for (int i = 0; i < t->n_columns; i++)
        if (!strcmp(t->names[i], name)) return i;
    char *end;
    const long number = strtol(name, &end, 10);
    return *name && !*end && number >= 1 && number <= t->n_columns ? (int)number - 1 : -1;
}

bool table_number(const table *t, const char *path, int row, int column, double *value,
                  td_error *err) {
    const char *cell = t->cells[(size_t)row * (size_t)t->n_columns + (size_t)column];
    char why[UNITS_TEXT], all[UNITS_TEXT + 80];
    *value = (double)NAN;
    if (!cell[0] || !strcasecmp(cell, "nan")) return true;
    if (number_parse(cell, value, NULL, why)) return true;
    snprintf(all, sizeof all, "column '%.60s': %s", t->names[column], why);
    return refuse(err, TD_ERR_VALUE, path, t->lines[row], all);
}
