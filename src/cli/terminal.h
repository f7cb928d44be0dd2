// cli/terminal.h - messages and progress on the terminal. All of it goes to stderr.
#pragma once

#include <stdbool.h>

#include "io/clock.h"
#include "tendril/status.h"

// "where: message". Coloured only on a terminal, and never when NO_COLOR is set. The first returns false, the
// second the code, so that a function can end with it.
bool print_error(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));
int exit_error(int code, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void print_note(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));

// An error of the library; `file` is put before a place that does not name its file.
void report_error(const char *file, const td_error *err);
int exit_reported(int code, const char *file, const td_error *err);

// A progress bar; does nothing unless stderr is a terminal.
typedef struct progress {
    bool shown;
    bool timed;            // over simulated time; false: over a share of the work
    double begin, end;     // simulated time, or 0 and 1
    double started, last;  // wall time
    double first;          // share of the work when it was first heard of; below 0: not yet
} progress;

progress progress_begin(double begin, double end, bool quiet);
progress progress_begin_share(bool quiet);
void progress_update(progress *p, double t);
void progress_end(progress *p);  // clears the line
