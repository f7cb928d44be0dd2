// The lines, tables and figures of `tendril paper`.
#include "cli/paper.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "io/result.h"
#include "io/written.h"

enum { WIDTH = 100, QUANTITY = 44, NUMBER = 11, UNIT = 4, DIFFERENCE = 10 };
enum { NOTE = 2 + QUANTITY + 2 * NUMBER + 1 + UNIT + DIFFERENCE + 2 };  // where a note begins

static bool is_terminal(int descriptor) {
    const char *term = getenv("TERM");
    return isatty(descriptor) && !(term && !strcmp(term, "dumb"));
}

// ---------------------------------------------------------------- files
static void path_of(const paper_report *r, const char *file, char *path, size_t size) {
    snprintf(path, size, "%s/%s", r->folder, file);
}

FILE *report_table(paper_report *r, const char *file) {
    char path[640];
    path_of(r, file, path, sizeof path);
    td_error err = {0};
    FILE *table = whole_open(path, &err);
    if (!table) r->failed = !print_error(path, "%s", err.message);
    return table;
}

void report_close(paper_report *r, FILE *table, const char *file) {
    char path[640];
    td_error err = {0};
    path_of(r, file, path, sizeof path);
    if (written_close(table, path, &err) < 0) r->failed = !print_error(path, "%s", err.message);
}

bool report_figure(paper_report *r, gnuplot *g, const char *file, int width, int height) {
    char path[640];
    path_of(r, file, path, sizeof path);
    report_progress(r, "drawing %s", file);
    if (!gnuplot_open(g, path)) {
        r->failed = true;
        return false;
    }
    fprintf(g->script,
            "set terminal pngcairo size %d,%d font 'Sans,17' linewidth 2 enhanced\n"
            "set border 3 lc rgb '#555555' lw 0.6\n"
            "set tics nomirror out scale 0.6\n"
            "set grid lc rgb '#e3e3e3' lw 0.5 lt 1\n"
            "set key Left reverse samplen 2 spacing 1.15\n",
            width, height);
    return true;
}

void report_figure_end(paper_report *r, gnuplot *g, const char *file) {
    (void)file;
    if (!gnuplot_close(g)) r->failed = true;
}

// ---------------------------------------------------------------- begin and end
bool report_begin(paper_report *r) {
    td_error err = {0};
    if (make_folders(r->folder, &err) < 0) {
        report_error(NULL, &err);
        return false;
    }
    r->quantities = report_table(r, "quantities.csv");
    if (!r->quantities) return false;
    fputs("item,quantity,unit,printed,ours,difference,note\n", r->quantities);
    if (r->as_json) {
        r->json = json_start(stdout);
        json_begin_array(&r->json);
    }
    return true;
}

bool report_end(paper_report *r) {
    report_progress(r, "%s", "");
    if (r->as_json) json_end_array(&r->json);
    report_close(r, r->quantities, "quantities.csv");
    return !r->failed;
}

void labels_of(const paper_item *item, bool with_capitals, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < MOST_LABELS && item->labels[k] && used < size; k++) {
        const char *label = item->labels[k];
        char first = with_capitals ? (char)toupper((unsigned char)label[0]) : label[0];
        used +=
            (size_t)snprintf(text + used, size - used, "%s%c%s", k ? ", " : "", first, label + 1);
    }
}

void report_heading(paper_report *r, const paper_item *item) {
    r->item = item->labels[0];
    r->rows = 0;
    report_progress(r, "%s", "");
    if (r->as_json) return;
    const char *no = getenv("NO_COLOR");
    bool bold = is_terminal(STDOUT_FILENO) && !(no && no[0]);
    char labels[128];
    labels_of(item, true, labels, sizeof labels);
    printf("\n%s%s: %s%s\n", bold ? "\033[1m" : "", labels, item->title, bold ? "\033[0m" : "");
}

void report_progress(const paper_report *r, const char *format, ...) {
    if (!is_terminal(STDERR_FILENO)) return;
    fputs("\r\033[K", stderr);
    va_list args;
    va_start(args, format);
    if (format[0] && strcmp(format, "%s") != 0 && r->item) fprintf(stderr, "%s: ", r->item);
    vfprintf(stderr, format, args);
    va_end(args);
    fflush(stderr);
}

void report_failure(paper_report *r, const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    report_progress(r, "%s", "");
    print_error(r->item ? r->item : r->paper, "%s", message);
    r->failed = true;
}

// ---------------------------------------------------------------- lines
static double difference_of(const comparison *c) {
    bool numbers = !c->printed_text && !c->ours_text && isfinite(c->printed) && isfinite(c->ours);
    return numbers && c->printed != 0.0 ? c->ours / c->printed - 1.0 : (double)NAN;
}

static void cell(char *text, size_t size, const char *instead, double value, const char *format) {
    if (instead) {
        snprintf(text, size, "%s", instead);
    } else if (isfinite(value)) {
        snprintf(text, size, format, value);
    } else {
        snprintf(text, size, "-");
    }
}

// On lines of their own, each indented.
static void print_wrapped(const char *text, int indent) {
    int column = WIDTH;
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " ");
        if (column + 1 + length > WIDTH) {
            printf("\n%*s", indent - 1, "");
            column = indent - 1;
        }
        printf(" %.*s", length, word);
        column += 1 + length;
        word += length;
        word += strspn(word, " ");
    }
    putchar('\n');
}

// The note beside the numbers when there is room, under them otherwise.
static void print_note_of(const char *note) {
    if (!note || strlen(note) + NOTE <= WIDTH) {
        printf("%s%s\n", note ? "  " : "", note ? note : "");
    } else {
        print_wrapped(note, 6);
    }
}

void report_remark(paper_report *r, const char *text) {
    report_progress(r, "%s", "");
    if (!r->as_json) print_wrapped(text, 2);
}

static void print_line(paper_report *r, const comparison *c) {
    char printed[40], ours[40], difference[40] = "";
    cell(printed, sizeof printed, c->printed_text, c->printed, "%g");
    cell(ours, sizeof ours, c->ours_text, c->ours, "%.5g");
    if (strlen(ours) >= NUMBER) cell(ours, sizeof ours, c->ours_text, c->ours, "%.4g");
    double d = difference_of(c);
    if (isfinite(d)) snprintf(difference, sizeof difference, "%+.2f %%", 100.0 * d);
    if (r->rows == 0)
        printf("  %-*s%*s%*s %-*s%*s\n", QUANTITY, "", NUMBER, "printed", NUMBER, "ours", UNIT, "",
               DIFFERENCE, "differs");
    char line[160];
    int length = snprintf(line, sizeof line, "  %-*s%*s%*s %-*s%*s", QUANTITY, c->quantity, NUMBER,
                          printed, NUMBER, ours, UNIT, c->unit, DIFFERENCE, difference);
    bool beside = c->note && strlen(c->note) + NOTE <= WIDTH;
    while (!beside && length > 0 && line[length - 1] == ' ') line[--length] = '\0';
    fputs(line, stdout);
    print_note_of(c->note);
    fflush(stdout);
}

static void put_value(json *j, const char *key, const char *instead, double value) {
    if (instead) {
        json_put_string(j, key, instead);
    } else {
        json_put_number(j, key, value);
    }
}

static void print_json_line(paper_report *r, const comparison *c) {
    json *j = &r->json;
    json_begin_object(j);
    json_put_string(j, "paper", r->paper);
    json_put_string(j, "item", r->item);
    json_put_string(j, "quantity", c->quantity);
    json_put_string(j, "unit", c->unit);
    put_value(j, "printed", c->printed_text, c->printed);
    put_value(j, "ours", c->ours_text, c->ours);
    json_put_number(j, "difference", difference_of(c));
    json_put_string(j, "note", c->note ? c->note : "");
    json_end_object(j);
    fflush(stdout);
}

static void put_csv_line(paper_report *r, const comparison *c) {
    char printed[40], ours[40], difference[40];
    cell(printed, sizeof printed, c->printed_text, c->printed, "%g");
    cell(ours, sizeof ours, c->ours_text, c->ours, "%.9g");
    cell(difference, sizeof difference, NULL, difference_of(c), "%.6g");
    const char *texts[] = {r->item, c->quantity, c->unit};
    for (int i = 0; i < 3; i++) {
        csv_text(r->quantities, texts[i]);
        fputc(',', r->quantities);
    }
    fprintf(r->quantities, "%s,%s,%s,", strcmp(printed, "-") ? printed : "",
            strcmp(ours, "-") ? ours : "", strcmp(difference, "-") ? difference : "");
    csv_text(r->quantities, c->note ? c->note : "");
    fputc('\n', r->quantities);
}

void report_compare(paper_report *r, const comparison *c) {
    report_progress(r, "%s", "");
    if (r->as_json) {
        print_json_line(r, c);
    } else {
        print_line(r, c);
    }
    put_csv_line(r, c);
    r->rows++;
}

void report_claim(paper_report *r, const char *quantity, bool holds, const char *note) {
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "",
                                    .printed = (double)NAN,
                                    .printed_text = "yes",
                                    .ours = (double)NAN,
                                    .ours_text = holds ? "yes" : "no",
                                    .note = note});
}
