// model/cosserat/descend.c - from a shape that is no equilibrium downhill to one: where a rod goes that
// something damps.
//
// Material that resists changes of strain in proportion to its stiffness Ks, and bodies that their springs
// hold, move by hold Ks x_t = - r(x). One step of the linearly implicit Euler rule is
//
//     (K + hold Ks) dx = - r(x)
//
// with a hold so large that the symmetric part of the matrix is definite: every step goes downhill, and
// what grows is what the shape, however slightly, leans to. Where K itself is definite the hold is dropped
// and this is Newton's method.
#include <math.h>

#include "model/cosserat/assembly.h"

#define SMALL_HOLD 1e-6
#define LEAST_HOLD 1e-3
#define MOST_HOLD 1e4
#define LONGEST 0.5  // rad, or lengths, in one step
#define NEAR 1e-2    // from here on Newton's method finds the rest of the way
#define MOST_DESCENT 120

static void set_hold(assembly_problem *p, double hold) {
    p->springs = hold;
    for (int i = 0; i < p->a->n_rods; i++) p->own->problems[i].hold = hold;
}

// Factors at the point last evaluated; is the symmetric part definite on admissible variations?
static bool is_definite(assembly_problem *p, double hold) {
    int negative = 0, border = 0, neutral = 0;
    set_hold(p, hold);
    return assembly_factor(p, true, &negative) && negative >= 0 &&
           border_negative(p, &border, &neutral) && negative + border <= 0;
}

// The least hold of a geometric series, from `from` on, that makes it definite. HUGE_VAL: none does.
static double hold_from(assembly_problem *p, double from) {
    double hold = from < LEAST_HOLD ? 0.0 : from;
    while (hold <= MOST_HOLD) {
        if (is_definite(p, hold)) return hold;
        hold = fmax(LEAST_HOLD, 2.0 * hold);
    }
    return HUGE_VAL;
}

bool assembly_is_definite(assembly_problem *p, const double *point) {
    const bool definite = assembly_evaluate(p, point, p->own->residual) && is_definite(p, 0.0);
    p->own->kept->valid = 0.0;
    return definite;
}

static td_status descend(assembly_problem *p, double *point, double first_hold) {
    assembly_memory *own = p->own;
    double hold = 0.0;
    if (first_hold < MOST_HOLD &&
        !(assembly_evaluate(p, point, own->residual) && is_definite(p, first_hold)))
        return TD_ERR_NOT_CONVERGED;
    for (int i = 0; i < MOST_DESCENT; i++) {
        p->stats->iterations++;
        if (!assembly_evaluate(p, point, own->residual)) return TD_ERR_NOT_FINITE;
        hold = hold_from(p, hold / 2.0);
        if (hold == HUGE_VAL) return TD_ERR_NOT_CONVERGED;
        assembly_solve(p, own->residual, own->change);
        const double size = assembly_size(p, own->change);
        if (!isfinite(size)) return TD_ERR_NOT_FINITE;
        assembly_move(p, point, size > LONGEST ? LONGEST / size : 1.0, own->change, point);
        if (size <= p->c->options.tolerance || (hold == 0.0 && size <= NEAR)) return TD_OK;
    }
    return TD_ERR_NOT_CONVERGED;
}

td_status assembly_descend(assembly_problem *p, double *point, double first_hold, path_test *test) {
    td_status status = descend(p, point, first_hold);
    set_hold(p, 0.0);
    p->own->kept->valid = 0.0;
    return status < 0 ? status : assembly_follow(p, point, test);
}

td_status assembly_follow_held(assembly_problem *p, double *point, path_test *test) {
    p->own->kept->valid = 0.0;
    set_hold(p, SMALL_HOLD);
    td_status status = assembly_follow(p, point, test);
    set_hold(p, 0.0);
    p->own->kept->valid = 0.0;
    if (status >= 0) *test = assembly_test(p);
    return status;
}
