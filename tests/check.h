// tests/check.h - cmocka with checks that print what they saw (cmocka's own print_error gives up on
// long messages).
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// Under sanitizers `make test` takes a part of long rows of cases, which all go the same way through the code; `make
// sanitize` takes them all.
static inline int check_briefly(void) {
    return getenv("TENDRIL_TEST_BRIEF") != NULL;
}

// |a - b| <= tol, and neither is NaN.
#define CHECK_NEAR(a, b, tol) check_near((a), (b), (tol), #a, #b, __FILE__, __LINE__)
static inline void check_near(double a, double b, double tol, const char *ta, const char *tb,
                              const char *file, int line) {
    if (fabs(a - b) <= tol) return;
    fprintf(stderr, "%s = %.17g\n%s = %.17g\ndifference %.3g, tolerance %.3g\n", ta, a, tb, b,
            fabs(a - b), tol);
    _fail(file, line);
}

// lo <= a <= hi
#define CHECK_BETWEEN(a, lo, hi) check_between((a), (lo), (hi), #a, __FILE__, __LINE__)
static inline void check_between(double a, double lo, double hi, const char *ta, const char *file,
                                 int line) {
    if (a >= lo && a <= hi) return;
    fprintf(stderr, "%s = %.17g is not in [%.9g, %.9g]\n", ta, a, lo, hi);
    _fail(file, line);
}

// A call that must return TD_OK, with its error printed otherwise.
#define CHECK_OK(call, err) check_ok((call), &(err), #call, __FILE__, __LINE__)
#ifdef TD_API
static inline void check_ok(int status, const td_error *err, const char *text, const char *file,
                            int line) {
    if (status >= 0) return;
    fprintf(stderr, "%s returned %s: %s: %s\n", text, td_status_name((td_status)status), err->where,
            err->message);
    _fail(file, line);
}
#endif
