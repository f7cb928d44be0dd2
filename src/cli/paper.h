// cli/paper.h - reproducing a source paper: what a paper offers, and how its numbers are reported.
//
// A paper is a folder papers/<name>/ with one constant `paper` in it, and one line in paper.c. It
// has items (a table, a figure, an appendix); each item computes its numbers and hands them over
// one by one, so that every line appears as soon as it is known.
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/gnuplot.h"
#include "io/json.h"

typedef enum paper_effort { PAPER_QUICK, PAPER_DEFAULT, PAPER_FULL } paper_effort;

// ---------------------------------------------------------------- one quantity
typedef struct comparison {
    const char *quantity;
    const char *unit;          // "" for a pure number
    double printed, ours;      // NAN: there is none
    const char *printed_text;  // instead of the number: "unstable"; NULL: none
    const char *ours_text;
    const char *note;  // NULL: none
} comparison;

// ---------------------------------------------------------------- a run
typedef struct paper_report {
    const char *paper;  // its name
    const char *item;   // the first label of the item at work
    paper_effort effort;
    const char *folder;  // where tables and figures go
    const char *data;    // folder with recordings; NULL: none was given
    bool as_json;
    json json;
    FILE *quantities;  // quantities.csv
    int rows;          // of this item
    bool failed;       // something could not be computed or written
} paper_report;

enum { MOST_LABELS = 6 };
typedef struct paper_item {
    const char *labels[MOST_LABELS];  // "table 3"; every table, figure and section it makes
    const char *title;
    void (*run)(paper_report *r);
} paper_item;

typedef struct paper {
    const char *name;  // "till2019": the folder and the argument
    const char *authors, *title, *source, *doi;
    bool has_recordings;      // measurements that --data brings
    const paper_item *items;  // ends with an empty one
} paper;

// Both return false after a message.
bool report_begin(paper_report *r);
bool report_end(paper_report *r);
// The title under all its labels: what follows belongs to each of them.
void report_heading(paper_report *r, const paper_item *item);
// "table 2, figure 7"; with_capitals: "Table 2, Figure 7".
void labels_of(const paper_item *item, bool with_capitals, char *text, size_t size);

// ---------------------------------------------------------------- for the items
void report_compare(paper_report *r, const comparison *c);
// A sentence of the paper that may hold or not: printed is "yes". note: NULL for none.
void report_claim(paper_report *r, const char *quantity, bool holds, const char *note);
// A paragraph for people; not in the JSON.
void report_remark(paper_report *r, const char *text);
// Something that could not be computed; the run goes on and ends with exit code 1.
void report_failure(paper_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
// What is being computed now; shown only on a terminal, until the next line.
void report_progress(const paper_report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A table in the folder; NULL after a message. Close it with report_close.
FILE *report_table(paper_report *r, const char *file);
void report_close(paper_report *r, FILE *table, const char *file);
// A figure in the folder, with terminal and plain axes set; false after a message.
bool report_figure(paper_report *r, gnuplot *g, const char *file, int width, int height);
void report_figure_end(paper_report *r, gnuplot *g, const char *file);
