// cli/terminal.c - see terminal.h.
#include "cli/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool terminal(void) {
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

static bool colours(void) {
    const char *no = getenv("NO_COLOR");
    return !(no && no[0]) && terminal();
}

static void print_message(const char *colour, const char *where, const char *format, va_list args) {
    bool c = colours();
    fprintf(stderr, "%s%s:%s ", c ? colour : "", where, c ? "\033[0m" : "");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

bool print_error(const char *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_message("\033[1;31m", where, format, args);
    va_end(args);
    return false;
}

int exit_error(int code, const char *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_message("\033[1;31m", where, format, args);
    va_end(args);
    return code;
}

void print_note(const char *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_message("\033[1m", where, format, args);
    va_end(args);
}

void report_error(const char *file, const td_error *err) {
    bool named = !file || err->line > 0 || !strncmp(err->where, file, strlen(file));
    if (!err->where[0]) {
        print_error(file ? file : "tendril", "%s", err->message);
    } else if (named) {
        print_error(err->where, "%s", err->message);
    } else {
        print_error(file, "%s: %s", err->where, err->message);
    }
}

int exit_reported(int code, const char *file, const td_error *err) {
    report_error(file, err);
    return code;
}

// ---------------------------------------------------------------- progress
enum { BAR = 30 };

progress progress_begin(double begin, double end, bool quiet) {
    double t = wall_clock();
    return (progress){!quiet && terminal(), true, begin, end, t, t, -1.0};
}

progress progress_begin_share(bool quiet) {
    progress p = progress_begin(0.0, 1.0, quiet);
    p.timed = false;
    return p;
}

// "3 min 20 s"
static void print_left(double seconds) {
    const long s = (long)(seconds + 0.5);
    if (s >= 3600) fprintf(stderr, "  %ld h %ld min left", s / 3600, s / 60 % 60);
    else if (s >= 60) fprintf(stderr, "  %ld min %ld s left", s / 60, s % 60);
    else fprintf(stderr, "  %ld s left", s);
}

void progress_update(progress *p, double t) {
    if (!p->shown) return;
    double wall = wall_clock();
    if (wall - p->last < 0.1) return;
    p->last = wall;
    double done = (t - p->begin) / (p->end - p->begin);
    int filled = (int)(BAR * (done < 0 ? 0 : done > 1 ? 1 : done));
    char bar[BAR + 1];
    for (int i = 0; i < BAR; i++) bar[i] = i < filled ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K[%s] %3.0f %%", bar, 100 * done);
    if (!p->timed && p->first < 0.0) p->first = done, p->started = wall;
    if (!p->timed && done > p->first)
        print_left((wall - p->started) * (1.0 - done) / (done - p->first));
    if (p->timed)
        fprintf(stderr, "  t = %.4g s  %.3g x real time", t, (t - p->begin) / (wall - p->started));
    fflush(stderr);
}

void progress_end(progress *p) {
    if (p->shown) fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}
