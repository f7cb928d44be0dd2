// papers/sadati2019/errors.h - errors of all models on all recordings, and what the text says of
// them.
#pragma once

#include "follow.h"
#include "lineup.h"

enum { MOST = 16, WAYS = 2 };
enum { AS_PUBLISHED, AS_CORRECTED };  // their conditioning, models and damping; ours

typedef struct cell {
    bool there, moved;  // is it computed, at rest and in motion?
    outcome rest, motion;
} cell;

typedef struct study {
    const contender *list[MOST];
    int n;
    cell cells[RECORDINGS][WAYS][MOST][MOST_SIZES];
    // What it gains, mm, when the sections follow the mean stretch: by the one size of a model that
    // the paper has, at rest and in motion; NAN: not computed.
    double gains[RECORDINGS][WAYS][MOST][2];
} study;

extern const char *const way_names[WAYS];

// mm; NAN: not computed.
double study_error(const study *s, int which, int way, const char *model, int n, bool motion);
// The rankings of section 3, the "up to 6 %" of mean stretch, and the "8 to 14 %" of the abstract.
void report_gains(paper_report *r, const study *s);
void report_range(paper_report *r, const study *s);
void report_rankings(paper_report *r, const study *s);
