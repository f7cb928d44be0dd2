// tests/modes.h - modes of worlds, in a few words.
#pragma once

#include "rods.h"

typedef struct found_modes {
    td_linearisation *l;
    int n;
} found_modes;

// About the state as it is.
static inline found_modes modes_about(world *w, const td_output *outputs, int n) {
    td_error err = {0};
    found_modes out = {.l = td_linearisation_create(w->system, outputs, n, &err)};
    if (!out.l) fprintf(stderr, "%s: %s\n", err.where, err.message);
    assert_non_null(out.l);
    CHECK_CALL(w, td_linearise(w->system, w->state, out.l));
    const td_status status = td_solve_modes(out.l, 0);
    if (status != TD_OK)
        fprintf(stderr, "modes: %s: %s\n", td_status_name(status), td_linearisation_message(out.l));
    assert_int_equal(status, TD_OK);
    out.n = td_n_modes(out.l);
    return out;
}

static inline found_modes modes_at_rest(world *w) {
    CHECK_CALL(w, td_solve_statics(w->system, w->state));
    return modes_about(w, NULL, 0);
}

// rad/s
static inline double omega_of(const found_modes *f, int mode) {
    return hypot(td_get_mode(f->l, mode).re, td_get_mode(f->l, mode).im);
}

static inline void show_modes(const found_modes *f, int most) {
    for (int i = 0; i < f->n && i < most; i++) {
        const td_mode m = td_get_mode(f->l, i);
        fprintf(stderr, "%d: s = %.10g %+.10g i, kind %d, damping %.6g\n", i, m.re, m.im,
                (int)m.kind, m.damping);
    }
}
