// robot/file_csv.c - a signal's points from two columns of a table.
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/file_read.h"
#include "robot/suggest.h"
#include "robot/units.h"

#define MOST_ROWS 100000
#define MOST_COLUMNS 256

typedef struct row {
    char *fields[MOST_COLUMNS];
    int columns[MOST_COLUMNS];  // where each begins, 1-based
    int n;
} row;

typedef struct csv {
    reader *r;
    const node *n;     // the `table` mapping
    const char *file;  // as the robot file calls it
    char separator;    // ' ' stands for blanks and tabs
    int line;
    int time, value;  // columns from 0
    double *points;
    int n_points;
} csv;

__attribute__((format(printf, 3, 4))) static td_status refuse(csv *c, int column,
                                                              const char *format, ...) {
    char path[128];
    td_error *err = c->r->err;
    *err = (td_error){.status = TD_ERR_VALUE, .line = c->line, .column = column};
    node_path(c->n, path, sizeof path);
    snprintf(err->where, sizeof err->where, "%.60s:%d:%d: %.100s", c->file, c->line, column, path);
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return TD_ERR_VALUE;
}

// ---------------------------------------------------------------- lines and fields
static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) end--;
    *end = '\0';
    return text;
}

static char *unquote(char *text) {
    size_t length = strlen(text);
    if (length < 2 || text[0] != '"' || text[length - 1] != '"') return text;
    text[length - 1] = '\0';
    return text + 1;
}

// Splits in place. False: too many columns.
static bool split(char *line, char separator, row *out) {
    char *at = line;
    for (out->n = 0; at; out->n++) {
        if (out->n == MOST_COLUMNS) return false;
        if (separator == ' ') at += strspn(at, " \t");
        if (separator == ' ' && !*at) return true;
        char *end = separator == ' ' ? strpbrk(at, " \t") : strchr(at, separator);
        if (end) *end = '\0';
        char *field = trim(at);
        out->columns[out->n] = (int)(field - line) + 1;
        out->fields[out->n] = unquote(field);
        at = end ? end + 1 : NULL;
    }
    return true;
}

// The next line that is not blank, without its comment; NULL at the end.
static char *next_line(csv *c, char **rest) {
    while (*rest) {
        char *line = *rest, *end = strchr(line, '\n');
        *rest = end && end[1] ? end + 1 : NULL;
        if (end) *end = '\0';
        c->line++;
        line[strcspn(line, "#\r")] = '\0';
        if (line[strspn(line, " \t")]) return line;
    }
    return NULL;
}

static bool is_number(const char *text) {
    double value;
    char why[UNITS_TEXT];
    return number_parse(text, &value, NULL, why);
}

static bool is_header(const row *first) {
    for (int i = 0; i < first->n; i++)
        if (first->fields[i][0] && !is_number(first->fields[i])) return true;
    return false;
}

// ---------------------------------------------------------------- columns
static td_status column_by_name(csv *c, const node *n, const row *header, int *column) {
    suggestion s = suggest_for(n->text);
    for (*column = 0; *column < header->n; ++*column) {
        if (strcmp(header->fields[*column], n->text) == 0) return TD_OK;
        suggest(&s, header->fields[*column]);
    }
    return node_error(c->r->t, n, false, c->r->err, TD_ERR_VALUE,
                      "'%.60s' has no column '%.60s'%s%.60s%s", c->file, n->text,
                      s.best ? "; did you mean '" : "", s.best ? s.best : "", s.best ? "'?" : "");
}

static td_status find_column(csv *c, const node *n, int otherwise, const row *first, bool header,
                             int *column) {
    *column = otherwise;
    if (!n) return TD_OK;
    td_status status = expect_scalar(c->r, n, "the name or the number of a column");
    if (status) return status;
    double number;
    char why[UNITS_TEXT];
    if (!number_parse(n->text, &number, NULL, why)) {
        if (header) return column_by_name(c, n, first, column);
        return node_error(c->r->t, n, false, c->r->err, TD_ERR_VALUE,
                          "'%.60s' has no header, so that a column has a number, not a name",
                          c->file);
    }
    if (!(number >= 1.0 && number <= first->n) || number != floor(number))
        return node_error(c->r->t, n, false, c->r->err, TD_ERR_VALUE,
                          "%s is not a column of '%.60s', which has columns 1 to %d", n->text,
                          c->file, first->n);
    *column = (int)number - 1;
    return TD_OK;
}

// ---------------------------------------------------------------- rows
static td_status read_field(csv *c, const row *row_, int column, double *out) {
    char why[UNITS_TEXT];
    if (column >= row_->n)
        return refuse(c, 1, "column %d is missing: the row has %d", column + 1, row_->n);
    const char *field = row_->fields[column];
    if (!number_parse(field, out, NULL, why)) return refuse(c, row_->columns[column], "%s", why);
    if (!(fabs(*out) <= LARGEST_QUANTITY))
        return refuse(c, row_->columns[column], "'%s' is too large to compute with", field);
    return TD_OK;
}

static td_status add_row(csv *c, const row *row_) {
    if (c->n_points == MOST_ROWS) return refuse(c, 1, "the table has more than %d rows", MOST_ROWS);
    double *p = c->points + 2 * c->n_points;
    td_status status = read_field(c, row_, c->time, &p[0]);
    if (!status) status = read_field(c, row_, c->value, &p[1]);
    if (status) return status;
    if (c->n_points > 0 && p[0] < p[-2])
        return refuse(c, row_->columns[c->time], "times must not decrease, but %g s follows %g s",
                      p[0], p[-2]);
    c->n_points++;
    return TD_OK;
}

static td_status read_rows(csv *c, char *text, const table_draft *draft) {
    row row_;
    char *rest = text;
    bool first = true;
    for (char *line = next_line(c, &rest); line; line = next_line(c, &rest)) {
        if (first) c->separator = strchr(line, ';') ? ';' : strchr(line, ',') ? ',' : ' ';
        if (!split(line, c->separator, &row_))
            return refuse(c, 1, "more than %d columns", MOST_COLUMNS);
        bool header = first && is_header(&row_);
        td_status status = TD_OK;
        if (first) status = find_column(c, draft->time, 0, &row_, header, &c->time);
        if (first && !status) status = find_column(c, draft->value, 1, &row_, header, &c->value);
        first = false;
        if (!status && !header) status = add_row(c, &row_);
        if (status) return status;
    }
    if (c->n_points == 0) return refuse(c, 1, "the table has no rows");
    return TD_OK;
}

// ---------------------------------------------------------------- into the tree
static node *number_node(tree *t, const node *like, double value) {
    node *n = tree_node(t, NODE_SCALAR);
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    if (n) n->text = tree_text(t, text, strlen(text));
    if (!n || !n->text) return NULL;
    n->line = like->line, n->column = like->column, n->source = like->source;
    return n;
}

// The table becomes points in the tree, so that the robot's source says everything by itself.
static bool write_points(csv *c, node *table, bool smooth) {
    tree *t = c->r->t;
    node *list = tree_node(t, NODE_SEQUENCE);
    if (!list) return false;
    list->line = table->line, list->column = table->column, list->source = table->source;
    for (int i = 0; i < c->n_points; i++) {
        node *point = tree_node(t, NODE_SEQUENCE);
        node *time = number_node(t, table, c->points[2 * i]);
        node *value = number_node(t, table, c->points[2 * i + 1]);
        if (!point || !time || !value) return false;
        node_append(point, time);
        node_append(point, value);
        node_append(list, point);
    }
    node_put(table, list);
    list->key = smooth ? "curve" : "points";
    c->r->rewritten = true;
    return true;
}

static td_status read_text(csv *c, node *n, char *text, const table_draft *draft,
                           td_signal *signal) {
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    size_t lines = 1;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    if (lines > MOST_ROWS) lines = MOST_ROWS;
    c->points = tree_take(c->r->t, 2 * sizeof(double) * lines);
    if (!c->points) return node_error(c->r->t, n, false, c->r->err, TD_ERR_MEMORY, "out of memory");
    td_status status = read_rows(c, text, draft);
    if (status) return status;
    if (!write_points(c, n, draft->smooth))
        return node_error(c->r->t, n, false, c->r->err, TD_ERR_VALUE,
                          "the tables of this file are too long together");
    signal->points = c->points;
    signal->n_points = c->n_points;
    return TD_OK;
}

td_status read_table(reader *r, node *n, const table_draft *draft, td_signal *signal) {
    const node *file = node_child(n, "file");
    const char *path;
    char *text;
    size_t length;
    td_status status = read_named_file(r, file, &path, &text, &length);
    if (status) return status;
    csv c = {.r = r, .n = n, .file = draft->file};
    if (memchr(text, '\0', length)) status = REFUSE(file, "'%.60s' holds a NUL byte", draft->file);
    else status = read_text(&c, n, text, draft, signal);
    free(text);
    return status;
}
